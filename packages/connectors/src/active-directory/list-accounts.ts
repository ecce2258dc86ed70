// Lists the accounts of a domain, and which of them are privileged through any chain of groups.
import { escapeFilter, type Client, type Entry } from "ldapts";
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { ListedAccount, ListFinding, Target } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { listed, misconfigured } from "../finding.ts";
import { buffersOf, entriesOf, entryAt, textOf, textsOf } from "../ldap/entries.ts";
import { domainBase, timeOfFiletime } from "./entry.ts";
import { logIn } from "./log-in.ts";
import { ridOf, sidText } from "./security-id.ts";

const PEOPLE = "(&(objectCategory=person)(objectClass=user))";
const ATTRIBUTES =
  "sAMAccountName userPrincipalName objectSid primaryGroupID memberOf adminCount userAccountControl msDS-User-Account-Control-Computed lockoutTime pwdLastSet accountExpires lastLogonTimestamp servicePrincipalName".split(
    " ",
  );

/** Administrators and Account, Server, Print and Backup Operators: well-known identifiers. */
const BUILT_IN_GROUPS = [544, 548, 549, 550, 551].map((rid) => `S-1-5-32-${rid}`);
/** Domain Admins, Schema Admins, Enterprise Admins, Group Policy Creator Owners. */
const DOMAIN_GROUPS = [512, 518, 519, 520];
/** The built-in Administrator, and krbtgt, which has the key that signs every Kerberos ticket. */
const BUILT_IN_PRIVILEGED = [500, 502];

const DISABLED = 0x2;
const LOCKED_OUT = 0x10;
const NEVER_EXPIRES = 0x1_0000;

export async function listUsers(target: Target, password: string, current: Attempt): Promise<ListFinding> {
  const login = await logIn(target, password, current, MAX_LISTED_BYTES);
  if ("failure" in login) return login.failure;
  const { session, address } = login;
  current.waitFor(`${nameOf(address)} to list its accounts`);
  try {
    const base = await domainBase(session.client);
    if (base === null)
      return misconfigured(
        "protocol-error",
        `${nameOf(address)} does not name its domain. Check that it is a domain controller.`,
      );
    const privileged = await privilegedIn(session.client, base);
    const options = { filter: PEOPLE, attributes: ATTRIBUTES, explicitBufferAttributes: ["objectSid"] };
    const people = await entriesOf(session.client, base, options);
    return listed(
      people.map((entry) => toAccount(entry, privileged)),
      nameOf(address),
    );
  } catch (error) {
    return session.failureOf(error);
  } finally {
    session.close();
  }
}

/** The DNs of the members of a privileged group, direct or nested (LDAP_MATCHING_RULE_IN_CHAIN). */
async function privilegedIn(client: Client, base: string): Promise<Set<string>> {
  const root = await entryAt(client, base, ["objectSid"], ["objectSid"]);
  const [sid] = root === null ? [] : buffersOf(root, "objectSid");
  const ofDomain = sid === undefined ? [] : DOMAIN_GROUPS.map((rid) => `${sidText(sid)}-${rid}`);
  const wanted = [...BUILT_IN_GROUPS, ...ofDomain].map((each) => `(objectSid=${each})`);
  const groups = await entriesOf(client, base, { filter: `(|${wanted.join("")})`, attributes: ["cn"] });
  if (groups.length === 0) return new Set();
  const inChain = groups.map(({ dn }) => escapeFilter`(memberOf:1.2.840.113556.1.4.1941:=${dn})`);
  const members = await entriesOf(client, base, { filter: `(&${PEOPLE}(|${inChain.join("")}))`, attributes: ["cn"] });
  return new Set(members.map(({ dn }) => dn));
}

/** Uses the controller's computed flag where available: `lockoutTime` stays set after a lock has expired. */
function isOut(entry: Entry): boolean {
  const computed = textOf(entry, "msDS-User-Account-Control-Computed");
  if (computed !== null) return (Number(computed) & LOCKED_OUT) !== 0;
  return Number(textOf(entry, "lockoutTime") ?? 0) > 0;
}

function toAccount(entry: Entry, privileged: ReadonlySet<string>): ListedAccount {
  const control = Number(textOf(entry, "userAccountControl") ?? 0);
  const [sid] = buffersOf(entry, "objectSid");
  const rid = sid === undefined ? null : ridOf(sidText(sid));
  const isBorn = rid !== null && BUILT_IN_PRIVILEGED.includes(rid);
  const isByPrimary = DOMAIN_GROUPS.includes(Number(textOf(entry, "primaryGroupID")));
  const isDisabled = (control & DISABLED) !== 0;
  const isLockedOut = isOut(entry);
  return {
    name: textOf(entry, "sAMAccountName") ?? entry.dn,
    isPrivileged: isBorn || isByPrimary || privileged.has(entry.dn),
    isLocked: isDisabled || isLockedOut,
    passwordChangedAt: timeOfFiletime(textOf(entry, "pwdLastSet")),
    expiresAt: timeOfFiletime(textOf(entry, "accountExpires")),
    lastLoginAt: timeOfFiletime(textOf(entry, "lastLogonTimestamp")),
    facts: {
      dn: entry.dn,
      principalName: textOf(entry, "userPrincipalName"),
      groups: textsOf(entry, "memberOf").slice(0, 100),
      /** True for an account that is or was in a protected group: its access list stays restricted until the mark is cleared. */
      hasAdminCount: textOf(entry, "adminCount") === "1",
      isDisabled,
      isLockedOut,
      mustChange: textOf(entry, "pwdLastSet") === "0",
      passwordNeverExpires: (control & NEVER_EXPIRES) !== 0,
      servicePrincipalNames: textsOf(entry, "servicePrincipalName").slice(0, 100),
    },
  };
}
