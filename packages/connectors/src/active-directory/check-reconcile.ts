// Checks whether an account can reset the password of a domain account, using the access list if it is readable.
import { Control, type Client, type Entry, type SearchOptions } from "ldapts";
import type { Attempt } from "../attempt.ts";
import type { Finding, ReconcileLogin, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured, rejected, verified } from "../finding.ts";
import { buffersOf } from "../ldap/entries.ts";
import { mayResetPassword } from "./access-rights.ts";
import { findEntry } from "./entry.ts";
import { logIn, type DomainSession } from "./log-in.ts";
import { sidText } from "./security-id.ts";
import { domainName } from "./user-name.ts";

export async function checkReset(target: Target, by: ReconcileLogin, current: Attempt): Promise<Finding> {
  const { username } = target;
  if (!username) return misconfigured("bad-input", "The user name is missing.");
  const name = domainName(username, target);
  if ("failure" in name) return name.failure;
  const login = await logIn({ ...target, username: by.username }, by.secret.reveal(), current);
  if ("failure" in login) return login.failure;
  const where = nameOf(login.address);
  try {
    const account = await findEntry(login.session.client, name, ["objectSid"]);
    if (account === null)
      return misconfigured("bad-input", `${where} has no ${username}, or ${by.username} has no permission to see it.`);
    const mayReset = await isAllowed(login, account);
    if (mayReset === false) {
      return rejected(
        "no-permission",
        `${by.username} can log in to ${where}, but has no permission to reset the password of ${username}.`,
      );
    }
    const right =
      mayReset === null
        ? `It has no permission to read the access control list of ${username}, so only a reset will show whether it can do that.`
        : `It can reset the password of ${username}.`;
    return verified(`${by.username} can log in to ${where}. ${right}`, { mayReset });
  } catch (error) {
    return login.session.failureOf(error);
  } finally {
    login.session.close();
  }
}

/** Null when the access list or the account's own groups cannot be read. */
async function isAllowed({ session, name }: DomainSession, account: Entry): Promise<boolean | null> {
  const { client } = session;
  const own = await findEntry(client, name, ["objectSid"]);
  const sids = own === null ? null : await sidsOf(client, own.dn);
  const [descriptor] = await binaries(client, account.dn, "nTSecurityDescriptor", new AccessListOnly());
  if (sids === null || descriptor === undefined) return null;
  try {
    return mayResetPassword(descriptor, sids);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Everyone, Authenticated Users, the account and all its groups, including nested ones. Null when the groups cannot be
 * read.
 */
async function sidsOf(client: Client, dn: string): Promise<Set<string> | null> {
  const own = await binaries(client, dn, "objectSid");
  const groups = await binaries(client, dn, "tokenGroups");
  if (own.length === 0 || groups.length === 0) return null;
  return new Set(["S-1-1-0", "S-1-5-11", ...[...own, ...groups].map(sidText)]);
}

async function binaries(client: Client, dn: string, attribute: string, control?: Control): Promise<Buffer[]> {
  const attributes = [attribute];
  const options: SearchOptions = { scope: "base", attributes, explicitBufferAttributes: attributes };
  const { searchEntries } = await client.search(dn, options, control);
  return searchEntries[0] === undefined ? [] : buffersOf(searchEntries[0], attribute);
}

/**
 * LDAP_SERVER_SD_FLAGS ([MS-ADTS] §3.1.1.3.4.1.11): requests only the access list of a descriptor, which needs no
 * special right.
 */
class AccessListOnly extends Control {
  constructor() {
    super("1.2.840.113556.1.4.801", { critical: true });
  }

  override writeControl(writer: { writeBuffer(value: Buffer, tag: number): void }): void {
    // SEQUENCE { INTEGER 4 } in an OCTET STRING.
    writer.writeBuffer(Buffer.from([0x30, 0x03, 0x02, 0x01, 0x04]), 0x04);
  }
}
