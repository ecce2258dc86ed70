// Lists the accounts of a directory, and which of them are in a privileged group.
import type { Entry } from "ldapts";
import type { ListAttempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { ListedAccount, ListFinding, Target } from "../connector.ts";
import type { ListedPrivilege } from "../collected.ts";
import { nameOf } from "../dial.ts";
import { listCommand, listed, misconfigured } from "../finding.ts";
import { entriesOf, entryAt, textOf, textsOf, timeOf } from "./entries.ts";
import { membersByGroup, pathsTo } from "../privilege-paths.ts";
import { logIn } from "./log-in.ts";
import { resultCodeOf, type Session } from "./session.ts";

const ACCOUNTS =
  "(|(objectClass=person)(objectClass=account)(objectClass=posixAccount)(objectClass=simpleSecurityObject))";
const ACCOUNT_ATTRIBUTES =
  "uid cn uidNumber loginShell shadowExpire pwdChangedTime pwdAccountLockedTime pwdLastSuccess authTimestamp".split(
    " ",
  );
const GROUPS = "(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))";
/** The default names of privileged groups; the additional parameter `privileged_groups` replaces them. */
const PRIVILEGED = ["root", "wheel", "sudo", "admin", "admins", "administrators", "directory administrators"];

export async function listEntries(target: Target, password: string, current: ListAttempt): Promise<ListFinding> {
  const privileged = privilegedNames(target);
  if (privileged === null) {
    return misconfigured("bad-input", 'The additional parameter "privileged_groups" must be a list of group names.');
  }
  const bound = await logIn(target, password, current, MAX_LISTED_BYTES);
  if ("failure" in bound) return bound.failure;
  const { session, address } = bound;
  current.waitFor(`${nameOf(address)} to list its accounts`);
  try {
    const base = await baseOf(session, target);
    if (base === null) {
      return misconfigured(
        "bad-input",
        'The directory does not publish a naming context. Set the additional parameter "base_dn".',
      );
    }
    const groups = await entriesOf(session.client, base, {
      filter: GROUPS,
      attributes: ["cn", "member", "uniqueMember", "memberUid"],
    });
    const members = privilegedMembers(groups, privileged);
    const membership = membershipOf(groups);
    const shown = (people: readonly Entry[]) =>
      listed(
        people.map((entry) => toAccount(entry, members, membership)),
        nameOf(address),
      );
    const options = { filter: ACCOUNTS, attributes: ACCOUNT_ATTRIBUTES };
    const people = await entriesOf(session.client, base, options, (found) => {
      current.progress(found.length);
      current.keep(() => shown(found));
    });
    const commands = [
      listCommand("search for groups", groups.length, "group"),
      listCommand("search for accounts", people.length, "account"),
    ];
    return { ...shown(people), commands };
  } catch (error) {
    // The base does not exist, or its DN is invalid.
    if (resultCodeOf(error) === 32 || resultCodeOf(error) === 34) {
      return misconfigured(
        "bad-input",
        `${nameOf(address)} has no entry at the base_dn of this entry, or ${address.username} has no permission to see it.`,
      );
    }
    return session.failureOf(error);
  } finally {
    session.close();
  }
}

function privilegedNames({ additionalParams }: Target): string[] | null {
  const { privileged_groups = PRIVILEGED } = additionalParams;
  if (!Array.isArray(privileged_groups) || !privileged_groups.every((each) => typeof each === "string")) return null;
  return privileged_groups.map((each) => each.toLowerCase());
}

/** `base_dn`, or the server's first naming context. */
async function baseOf({ client }: Session, { additionalParams }: Target): Promise<string | null> {
  const { base_dn } = additionalParams;
  if (typeof base_dn === "string") return base_dn;
  const root = await entryAt(client, "", ["namingContexts"]);
  return root === null ? null : textOf(root, "namingContexts");
}

/** Maps the lower-case DN or name of a member to the member's groups. */
type Membership = ReadonlyMap<string, readonly Entry[]>;

function membershipOf(groups: readonly Entry[]): Membership {
  const membership = new Map<string, Entry[]>();
  for (const group of groups) {
    for (const member of membersOf(group)) {
      const known = membership.get(member);
      if (known === undefined) membership.set(member, [group]);
      else known.push(group);
    }
  }
  return membership;
}

function membersOf(group: Entry): string[] {
  return ["member", "uniqueMember", "memberUid"]
    .flatMap((name) => textsOf(group, name))
    .map((each) => each.toLowerCase());
}

/** For each member of groups with these names, direct or nested, the names of the groups between. */
function privilegedMembers(groups: readonly Entry[], names: readonly string[]): Map<string, string[]> {
  const named = new Map(groups.map((group) => [group.dn.toLowerCase(), textOf(group, "cn") ?? group.dn]));
  const goals = groups.filter((group) => textsOf(group, "cn").some((name) => names.includes(name.toLowerCase())));
  const members = membersByGroup(
    groups.flatMap((group) => membersOf(group).map((member) => [group.dn.toLowerCase(), member] as const)),
  );
  const paths = pathsTo(
    goals.map(({ dn }) => dn.toLowerCase()),
    members,
  );
  return new Map([...paths].map(([member, path]) => [member, path.slice(0, 20).map((dn) => named.get(dn) ?? dn)]));
}

function toAccount(entry: Entry, privileged: ReadonlyMap<string, string[]>, membership: Membership): ListedAccount {
  const uid = textOf(entry, "uid");
  const names = [entry.dn, uid].filter((name) => name !== null).map((name) => name.toLowerCase());
  const groups = new Set(names.flatMap((name) => membership.get(name) ?? []));
  const privileges = privilegesOf(entry, names, privileged);
  const expiryDay = Number(textOf(entry, "shadowExpire") ?? Number.NaN);
  return {
    name: uid ?? textOf(entry, "cn") ?? entry.dn,
    isPrivileged: privileges.length > 0,
    isLocked: textOf(entry, "pwdAccountLockedTime") !== null,
    passwordChangedAt: timeOf(textOf(entry, "pwdChangedTime")),
    expiresAt: expiryDay > 0 && expiryDay < 1e6 ? new Date(expiryDay * 86_400_000).toISOString() : null,
    lastLoginAt: timeOf(textOf(entry, "pwdLastSuccess") ?? textOf(entry, "authTimestamp")),
    facts: {
      dn: entry.dn,
      groups: [...groups].map((group) => textOf(group, "cn") ?? group.dn),
      shell: textOf(entry, "loginShell"),
    },
    privileges,
  };
}

function privilegesOf(
  entry: Entry,
  names: readonly string[],
  privileged: ReadonlyMap<string, string[]>,
): ListedPrivilege[] {
  const path = names.map((name) => privileged.get(name)).find((each) => each !== undefined);
  const isRoot = textOf(entry, "uidNumber") === "0";
  return [
    ...(isRoot ? [{ kind: "root", path: ["user id 0"], detail: [], needsPassword: null } as const] : []),
    ...(path === undefined ? [] : [{ kind: "directory-admin", path, detail: [], needsPassword: null } as const]),
  ];
}
