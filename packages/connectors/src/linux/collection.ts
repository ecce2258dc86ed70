// Reads the output of the collection script: accounts with their privileges, keys and dependents.
import type { ScanCommand } from "@strongroom/contract";
import type { Collected, ListedPrivilege } from "../collected.ts";
import type { ListedAccount } from "../connector.ts";
import { dependentsIn } from "./dependents.ts";
import { keysIn } from "./found-keys.ts";
import { privilegesOf, type UnixAccount } from "./privileges.ts";
import { readSudoers, sudoRightsOf, type SudoersLine } from "./sudoers.ts";

/** The lines of one kind, without the kind. */
type Rows = (kind: string) => string[][];

export interface Collection {
  accounts: ListedAccount[];
  collected: Collected;
  commands: ScanCommand[];
  /** False if the output ends before the script did. */
  isWhole: boolean;
}

/**
 * Facts of an account: `uid`, `gid`, `home`, `shell`, `groups` (at most 100), `passwordStatus` (`set`, `locked`,
 * `none`, `unknown`), `passwordKind` (such as `sha512`), `mustChange`, `passwordMaxDays`, `keys` (SHA-256 fingerprints
 * of the keys that open it), `sharesUidWith` (other accounts with the same user id). Facts of the system: `listening`,
 * `sshd`, `names`.
 *
 * Without readable sudoers, members of `sudo`, `wheel` and `admin` count as able to use sudo.
 *
 * `isLocked` is about the password: a key of a locked account still logs in, unless the account has expired. `now`
 * decides whether it has.
 */
export function readCollection(text: string, now: Date): Collection {
  const lines = text.split("\n");
  const byKind = Map.groupBy(lines, (line) => line.slice(0, 2));
  const rows: Rows = (kind) => (byKind.get(`${kind}:`) ?? []).map((line) => line.slice(2).split(":"));
  const shadows = new Map(rows("S").map(([name = "", ...rest]) => [name, shadowOf(rest)]));
  const logins = new Map(rows("L").map(([name = "", ...moment]) => [name, momentOf(moment.join(":"))]));
  const groups = memberships(rows("G"));
  const seen = new Set<string>();
  const people = rows("P").flatMap(([name = "", , uid = "", gid = "", , home = "", shell = ""]): Person[] => {
    if (!/^[^\s\p{Cc}]{1,256}$/u.test(name) || seen.has(name)) return [];
    seen.add(name);
    return [{ name, uid, gid, home: home.slice(0, 256), shell: shell.slice(0, 256), ...groups(name, gid) }];
  });
  const results = new Map(rows("C").map(([part = "", code = ""]) => [part, Number(code) || 0]));
  const rightsOf = sudoRights(lines, rows, results.get("sudoers") === 0);
  const keys = keysIn(lines, people);
  const opening = Map.groupBy(
    keys.filter(({ relation }) => relation === "opens"),
    ({ account }) => account ?? "",
  );
  const dependents = dependentsIn(lines);
  const byUid = Map.groupBy(people, ({ uid }) => uid);
  const accounts = people.map((person): ListedAccount => {
    const shadow = shadows.get(person.name) ?? null;
    const privileges = privilegesOf(person, rightsOf(person), people);
    const all = [...privileges, ...presumed(person, privileges, results.get("sudoers") === 0)];
    const twins = (byUid.get(person.uid) ?? []).filter(({ name }) => name !== person.name);
    return {
      name: person.name,
      isPrivileged: all.length > 0,
      isLocked: shadow !== null && (shadow.status === "locked" || isPast(shadow.expiresOn, now)),
      passwordChangedAt: shadow?.changedOn === 0 ? null : dateOf(shadow?.changedOn ?? null),
      expiresAt: dateOf(shadow?.expiresOn ?? null),
      lastLoginAt: logins.get(person.name) ?? null,
      facts: {
        uid: Number(person.uid),
        gid: Number(person.gid),
        home: person.home,
        shell: person.shell,
        groups: person.groups.slice(0, 100),
        passwordStatus: shadow?.status ?? "unknown",
        ...(shadow?.kind ? { passwordKind: shadow.kind } : {}),
        mustChange: shadow?.changedOn === 0,
        passwordMaxDays: shadow?.maxDays ?? null,
        keys: [...new Set((opening.get(person.name) ?? []).flatMap(({ fingerprint }) => fingerprint ?? []))],
        ...(twins.length > 0 ? { sharesUidWith: twins.slice(0, 20).map(({ name }) => name) } : {}),
      },
      privileges: all,
      dependents: (dependents.get(person.name) ?? []).slice(0, 100),
    };
  });
  const system = {
    names: hostNames(rows).slice(0, 10),
    listening: listeningIn(byKind.get("B:") ?? []),
    sshd: Object.fromEntries(rows("Q").map(([key = "", ...value]) => [key, value.join(":").slice(0, 256)])),
  };
  const isWhole = byKind.has("Z:");
  const lengthOf = (kind: string) => byKind.get(`${kind}:`)?.length ?? 0;
  return { accounts, collected: { keys, system }, commands: commandsOf(results, lengthOf, isWhole), isWhole };
}

interface Person extends UnixAccount {
  gid: string;
  shell: string;
  groupIds: string[];
}

function sudoRights(lines: readonly string[], rows: Rows, isReadable: boolean) {
  const sudoers = readSudoers(isReadable ? sudoersLines(lines) : []);
  const host = { names: hostNames(rows) };
  return (person: Person) => sudoRightsOf(person, host, sudoers);
}

function* linesOfSudoers(lines: readonly string[]): Generator<SudoersLine> {
  let file = "/etc/sudoers";
  for (const line of lines) {
    if (line.startsWith("F:")) file = line.slice(2, 258);
    else if (line.startsWith("U:")) yield { file, text: line.slice(2, 16_384) };
  }
}

const sudoersLines = (lines: readonly string[]) => [...linesOfSudoers(lines)];

const hostNames = (rows: Rows): string[] => {
  const names = rows("O")
    .map((parts) => parts.join(":").slice(0, 253))
    .filter((name) => /^[A-Za-z0-9.:_-]+$/.test(name));
  return [...new Set(names.flatMap((name) => (/^\d|:/.test(name) ? [name] : [name, name.split(".")[0] ?? name])))];
};

const MIGHTY_GROUPS = ["sudo", "wheel", "admin"];

function presumed({ groups }: Person, known: readonly ListedPrivilege[], isReadable: boolean): ListedPrivilege[] {
  if (isReadable || known.some(({ kind }) => kind === "root")) return [];
  return groups
    .filter((group) => MIGHTY_GROUPS.includes(group))
    .map((group) => ({
      kind: "sudo-all",
      path: [`group ${group}`],
      detail: ["presumed: the login could not read the rules of sudo"],
      needsPassword: null,
    }));
}

interface Shadow {
  status: "set" | "locked" | "none" | "unknown";
  /** Days since 1970; 0 means that the password must be changed immediately. */
  changedOn: number | null;
  maxDays: number | null;
  expiresOn: number | null;
  /** The name of the hash function. */
  kind: string | null;
}

const STATUSES = ["set", "locked", "none"] as const;
const HASHES: Readonly<Record<string, string>> = {
  "1": "md5",
  "2a": "bcrypt",
  "2b": "bcrypt",
  "2y": "bcrypt",
  "5": "sha256",
  "6": "sha512",
  y: "yescrypt",
  gy: "gost-yescrypt",
  "7": "scrypt",
};

function shadowOf([status, changedOn, maxDays, expiresOn, kind]: string[]): Shadow {
  return {
    status: STATUSES.find((each) => each === status) ?? "unknown",
    changedOn: numberIn(changedOn),
    maxDays: numberIn(maxDays),
    expiresOn: numberIn(expiresOn),
    kind: HASHES[kind ?? ""] ?? null,
  };
}

const numberIn = (text: string | undefined) => (/^\d{1,7}$/.test(text ?? "") ? Number(text) : null);

const DAY_MS = 86_400_000;

const dateOf = (day: number | null) => (day === null ? null : new Date(day * DAY_MS).toISOString());

const isPast = (day: number | null, now: Date) => day !== null && day * DAY_MS <= now.getTime();

function momentOf(text: string): string | null {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** The names of a user's groups: the one of the gid in passwd, and those that list the user. */
function memberships(rows: string[][]): (name: string, gid: string) => { groups: string[]; groupIds: string[] } {
  const byGid = new Map(rows.map(([group = "", , gid = ""]) => [gid, group]));
  const idOf = new Map(rows.map(([group = "", , gid = ""]) => [group, gid]));
  const byMember = new Map<string, string[]>();
  for (const [group = "", , , members = ""] of rows) {
    for (const member of members.split(",")) {
      const known = byMember.get(member);
      if (known === undefined) byMember.set(member, [group]);
      else known.push(group);
    }
  }
  return (name, gid) => {
    const primary = byGid.get(gid);
    const groups = [...new Set([...(primary === undefined ? [] : [primary]), ...(byMember.get(name) ?? [])])];
    return { groups, groupIds: [gid, ...groups.flatMap((group) => idOf.get(group) ?? [])] };
  };
}

/** At most 200 sockets: protocol, address, port and the program. */
function listeningIn(lines: readonly string[]) {
  const found = lines.flatMap((line) => {
    const [protocol = "", , , , local = "", , ...rest] = line.slice(2).split(/\s+/);
    const [, address = "", port = ""] = /^(.*):(\d{1,5})$/.exec(local) ?? [];
    if (!/^(tcp|udp)$/.test(protocol) || port === "" || !/^[0-9a-fA-F.:*%[\]\w-]{1,64}$/.test(address)) return [];
    const program = /users:\(\("([\w./:@ -]{1,64})"/.exec(rest.join(" "))?.[1] ?? null;
    const uid = /(?:^|\s)uid:(\d{1,10})/.exec(rest.join(" "))?.[1];
    return [{ protocol, address, port: Number(port), program, uid: uid === undefined ? 0 : Number(uid) }];
  });
  return found.slice(0, 200);
}

const count = (amount: number, one: string) => `${amount.toLocaleString("en")} ${one}${amount === 1 ? "" : "s"}`;

/** SCAN-04: the result of each part in our own words. In a list that was cut off, the last part seen did not end. */
function commandsOf(
  results: ReadonlyMap<string, number>,
  lines: (kind: string) => number,
  isWhole: boolean,
): ScanCommand[] {
  const parts: [string, string, number, string, string][] = [
    ["sudo -n true", "sudo", 0, "", sudoError(results.get("sudo") ?? 0)],
    ["getent passwd", "passwd", lines("P"), "account", ""],
    ["getent group", "group", lines("G"), "group", ""],
    ["read /etc/shadow", "shadow", lines("S"), "password state", "The login cannot read the states of passwords."],
    ["read /etc/sudoers and its includes", "sudoers", lines("U"), "line", "The login cannot read the rules of sudo."],
    ["read authorized_keys", "keys", lines("K"), "authorized key", ""],
    ["find private keys in home directories", "private", lines("X"), "private key", ""],
    ["lastlog", "lastlog", lines("L"), "login", "The host has no lastlog or lastlog2."],
    ["read systemd units", "units", lines("N"), "unit file", ""],
    ["read cron tables", "cron", lines("J"), "cron job", "The login cannot read the cron tables of accounts."],
    ["ss -ltunp", "sockets", lines("B"), "listening socket", "The host has no ss, or no socket listens."],
  ];
  const last = parts.findLastIndex(([, part, amount]) => results.has(part) || amount > 0);
  return parts.map(([command, part, amount, noun, problem], index) => {
    if (!isWhole && index >= last) {
      const output = amount > 0 ? `${count(amount, noun)} until the end of the answer` : "";
      return {
        command,
        success: false,
        exitCode: null,
        output,
        error: "The host's answer ended before this part did.",
      };
    }
    const exitCode = results.get(part) ?? 0;
    const success = exitCode === 0;
    return {
      command,
      success,
      exitCode,
      output: success && noun !== "" ? count(amount, noun) : "",
      error: success ? "" : problem,
    };
  });
}

function sudoError(code: number): string {
  return code === 124
    ? "sudo did not answer within 10 s, so the scan ran without it."
    : "The login may not use sudo without a password, so the scan ran without it.";
}
