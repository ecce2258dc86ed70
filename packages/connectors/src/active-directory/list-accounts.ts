// Lists the accounts of a domain, and which of them are privileged through any chain of groups.
import type { Client, Entry } from "ldapts";
import type { ListAttempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { ListedAccount, ListFinding, Target } from "../connector.ts";
import type { ListedPrivilege } from "../collected.ts";
import { nameOf } from "../dial.ts";
import { listCommand, listed, misconfigured } from "../finding.ts";
import { buffersOf, entriesOf, textOf, textsOf, timeOf } from "../ldap/entries.ts";
import { membersByGroup, pathsTo } from "../privilege-paths.ts";
import { domainBase, timeOfFiletime } from "./entry.ts";
import { logIn } from "./log-in.ts";
import { ridOf, sidText } from "./security-id.ts";

/** Users and group-managed service accounts. */
const PEOPLE = "(|(&(objectCategory=person)(objectClass=user))(objectClass=msDS-GroupManagedServiceAccount))";
const ATTRIBUTES =
  "sAMAccountName userPrincipalName objectSid primaryGroupID memberOf adminCount userAccountControl msDS-User-Account-Control-Computed lockoutTime pwdLastSet accountExpires lastLogonTimestamp servicePrincipalName whenCreated objectClass msDS-AllowedToDelegateTo msDS-ManagedPasswordInterval".split(
    " ",
  );

/** Well-known groups with control of the domain: Domain, Schema and Enterprise Admins, and Administrators. */
const CONTROLLING = { domain: [512, 518, 519], builtIn: [544] };
/** Groups whose members can gain control: Group Policy Creator Owners; Account, Server, Print and Backup Operators. */
const ESCALATING = { domain: [520], builtIn: [548, 549, 550, 551] };
/** The built-in Administrator, and krbtgt, which has the key that signs every Kerberos ticket. */
const BUILT_IN_PRIVILEGED = [500, 502];

const DISABLED = 0x2;
const LOCKED_OUT = 0x10;
const NEVER_EXPIRES = 0x1_0000;
const IS_CONTROLLER = 0x2000;
/** Keeps the tickets of every user that logs in to its services. */
const DELEGATES_EVERYTHING = 0x8_0000;
/** Can act as any user towards the services in msDS-AllowedToDelegateTo. */
const DELEGATES_WITHOUT_LOGIN = 0x100_0000;
const STALE_DAYS = 90;
const MAX_COMPUTERS = 1000;

export async function listUsers(target: Target, password: string, current: ListAttempt): Promise<ListFinding> {
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
    const options = { filter: PEOPLE, attributes: ATTRIBUTES, explicitBufferAttributes: ["objectSid"] };
    const groups = await groupsIn(session.client, base);
    const now = current.context.now();
    const shown = (people: readonly Entry[]) => {
      const reasons = reasonsIn(groups, people);
      return listed(
        people.map((entry) => toAccount(entry, reasons(entry), now)),
        nameOf(address),
      );
    };
    const people = await entriesOf(session.client, base, options, (found) => {
      current.progress(found.length);
      current.keep(() => shown(found));
    });
    const computers = await computersIn(session.client, base);
    const commands = [
      listCommand("search for groups", groups.length, "group"),
      listCommand("search for accounts", people.length, "account"),
      listCommand("search for computers", computers.length, "computer"),
    ];
    return { ...shown(people), collected: { keys: [], system: { computers } }, commands };
  } catch (error) {
    return session.failureOf(error);
  } finally {
    session.close();
  }
}

function groupsIn(client: Client, base: string): Promise<Entry[]> {
  return entriesOf(client, base, {
    filter: "(objectCategory=group)",
    attributes: ["cn", "memberOf", "objectSid"],
    explicitBufferAttributes: ["objectSid"],
  });
}

/** Why an account is privileged: a well-known identifier, groups by any chain, the primary group, and delegation. */
function reasonsIn(groups: readonly Entry[], people: readonly Entry[]): (entry: Entry) => ListedPrivilege[] {
  const byRid = new Map(groups.flatMap((group) => (ridIn(group) === null ? [] : [[ridIn(group)!, group] as const])));
  const names = new Map(groups.map((group) => [group.dn, textOf(group, "cn") ?? group.dn]));
  // memberOf of users and groups has every pair, except for primary groups.
  const pairs = [...groups, ...people].flatMap((entry) =>
    textsOf(entry, "memberOf").map((group) => [group, entry.dn] as const),
  );
  const primary = people.flatMap((entry) => {
    const group = byRid.get(`domain ${textOf(entry, "primaryGroupID")}`);
    return group === undefined ? [] : [[group.dn, entry.dn] as const];
  });
  const members = membersByGroup([...pairs, ...primary]);
  const dnsOf = ({ domain, builtIn }: typeof CONTROLLING) =>
    [...domain.map((rid) => `domain ${rid}`), ...builtIn.map((rid) => `built-in ${rid}`)].flatMap(
      (id) => byRid.get(id)?.dn ?? [],
    );
  const controlling = pathsTo(dnsOf(CONTROLLING), members);
  const escalating = pathsTo(dnsOf(ESCALATING), members);
  const shown = (path: readonly string[]) => path.slice(0, 20).map((dn) => names.get(dn) ?? dn);
  return (entry) => {
    const found: ListedPrivilege[] = [];
    const add = (kind: ListedPrivilege["kind"], path: string[], detail: string[] = []) =>
      found.push({ kind, path, detail, needsPassword: null });
    const rid = Number(ridIn(entry)?.replace("domain ", ""));
    const control = Number(textOf(entry, "userAccountControl") ?? 0);
    const [toControl, toMore] = [controlling.get(entry.dn), escalating.get(entry.dn)];
    if (toControl !== undefined) add("domain-admin", shown(toControl));
    else if (BUILT_IN_PRIVILEGED.includes(rid))
      add("domain-admin", [rid === 500 ? "built-in administrator" : "built-in key account"]);
    if (toMore !== undefined) add("escalation", shown(toMore));
    if ((control & DELEGATES_EVERYTHING) !== 0 && (control & IS_CONTROLLER) === 0) {
      add("impersonation", [], ["unconstrained delegation"]);
    } else if ((control & DELEGATES_WITHOUT_LOGIN) !== 0) {
      const services = textsOf(entry, "msDS-AllowedToDelegateTo").slice(0, 20);
      add(
        "impersonation",
        [],
        services.length > 0 ? services.map((each) => each.slice(0, 256)) : ["protocol transition"],
      );
    }
    return found;
  };
}

/** `domain 512` or `built-in 544`. */
function ridIn(entry: Entry): string | null {
  const [bytes] = buffersOf(entry, "objectSid");
  if (bytes === undefined) return null;
  const sid = sidText(bytes);
  return `${sid.startsWith("S-1-5-32-") ? "built-in" : "domain"} ${ridOf(sid)}`;
}

/** Computers of the domain, for more scans. */
async function computersIn(client: Client, base: string) {
  const attributes = ["cn", "dNSHostName", "operatingSystem", "userAccountControl", "lastLogonTimestamp"];
  const entries = await entriesOf(client, base, { filter: "(objectCategory=computer)", attributes });
  return entries.slice(0, MAX_COMPUTERS).map((entry) => {
    const control = Number(textOf(entry, "userAccountControl") ?? 0);
    return {
      name: (textOf(entry, "dNSHostName") ?? textOf(entry, "cn") ?? entry.dn).slice(0, 253),
      operatingSystem: textOf(entry, "operatingSystem")?.slice(0, 100) ?? null,
      isController: (control & IS_CONTROLLER) !== 0,
      isDisabled: (control & DISABLED) !== 0,
      lastLoginAt: timeOfFiletime(textOf(entry, "lastLogonTimestamp")),
    };
  });
}

/** Uses the controller's computed flag where available: `lockoutTime` stays set after a lock has expired. */
function isOut(entry: Entry): boolean {
  const computed = textOf(entry, "msDS-User-Account-Control-Computed");
  if (computed !== null) return (Number(computed) & LOCKED_OUT) !== 0;
  return Number(textOf(entry, "lockoutTime") ?? 0) > 0;
}

function toAccount(entry: Entry, privileges: ListedPrivilege[], now: Date): ListedAccount {
  const control = Number(textOf(entry, "userAccountControl") ?? 0);
  const isDisabled = (control & DISABLED) !== 0;
  const isLockedOut = isOut(entry);
  const isManaged = textsOf(entry, "objectClass").some(
    (each) => each.toLowerCase() === "msds-groupmanagedserviceaccount",
  );
  const delegation =
    (control & DELEGATES_EVERYTHING) !== 0
      ? "unconstrained"
      : textsOf(entry, "msDS-AllowedToDelegateTo").length > 0
        ? "constrained"
        : null;
  return {
    name: textOf(entry, "sAMAccountName") ?? entry.dn,
    isPrivileged: privileges.length > 0,
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
      isStale: !isDisabled && isStale(entry, now),
      ...(isManaged ? { isManagedServiceAccount: true } : {}),
      ...(delegation === null ? {} : { delegation }),
    },
    privileges,
  };
}

/** No login for 90 days, or none at all since it was created 90 days ago. */
function isStale(entry: Entry, now: Date): boolean {
  const last = timeOfFiletime(textOf(entry, "lastLogonTimestamp")) ?? timeOf(textOf(entry, "whenCreated"));
  return last !== null && now.getTime() - Date.parse(last) > STALE_DAYS * 86_400_000;
}
