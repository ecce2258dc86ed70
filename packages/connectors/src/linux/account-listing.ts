// The script that lists the accounts of a Unix host, and the parser for its output.
import { MAX_LISTED_ACCOUNTS, type ListedAccount } from "../connector.ts";

/**
 * `sh` reads the script from its input; the whole script is one function, so that a script cut off in transit runs
 * nothing. Each output line starts with its kind: P passwd, G group, S shadow (the hash stays on the host), U sudoers,
 * K the fingerprint of a key, L the last login.
 */
export const LISTING_SCRIPT = `
main() {
  LC_ALL=C; export LC_ALL
  getent passwd | head -n ${MAX_LISTED_ACCOUNTS + 1} | sed 's/^/P:/'
  getent group | head -n 20000 | sed 's/^/G:/'
  if [ -r /etc/shadow ]; then
    while IFS=: read -r name hash last min max warn idle expire rest; do
      case "$hash" in '') state=none ;; \\!*|\\**) state=locked ;; *) state=set ;; esac
      printf 'S:%s:%s:%s:%s:%s\\n' "$name" "$state" "$last" "$max" "$expire"
    done < /etc/shadow
  fi
  cat /etc/sudoers /etc/sudoers.d/* 2>/dev/null | head -n 5000 |
    sed -n 's/^\\([A-Za-z0-9_.%@-]\\{1,64\\}\\)[[:space:]].*=.*/U:\\1/p' | grep -v '^U:Defaults'
  getent passwd | cut -d: -f1,6 | head -n 500 | while IFS=: read -r name home; do
    [ -r "$home/.ssh/authorized_keys" ] || continue
    ssh-keygen -lf "$home/.ssh/authorized_keys" 2>/dev/null | head -n 20 | while read -r bits print rest; do
      printf 'K:%s:%s\\n' "$name" "$print"
    done
  done
  lastlog 2>/dev/null | head -n 5000 | sed -n 's/^\\([^ ]*\\) .* \\([A-Z][a-z][a-z] *[0-9]* [0-9:]* [+-][0-9]* [0-9]*\\)$/L:\\1:\\2/p'
  exit 0
}
main
`;

/**
 * Facts: `uid`, `gid`, `home`, `shell`, `groups` (at most 100), `passwordStatus` (`set`, `locked`, `none`, `unknown`),
 * `mustChange`, `passwordMaxDays`, `keys` (SHA-256 fingerprints of its authorized keys). Privileged accounts have uid
 * 0, or may use sudo by name or through a group (sudo, wheel, admin, and those in sudoers; aliases there are not
 * followed).
 *
 * `isLocked` is about the password: a key of a locked account still logs in, unless the account has expired. `now`
 * decides whether it has.
 */
export function accountsIn(text: string, now: Date): ListedAccount[] {
  const lines = Map.groupBy(text.split("\n"), (line) => line.slice(0, 2));
  const rows = (kind: string) => (lines.get(kind) ?? []).map((line) => line.slice(2).split(":"));
  const shadows = new Map(rows("S:").map(([name = "", ...rest]) => [name, shadowOf(rest)]));
  const logins = new Map(rows("L:").map(([name = "", ...moment]) => [name, momentOf(moment.join(":"))]));
  const keys = Map.groupBy(rows("K:"), ([name]) => name);
  const groupsOf = memberships(rows("G:"));
  const privileged = new Set([...MIGHTY_GROUPS.map((group) => `%${group}`), ...rows("U:").map(([who = ""]) => who)]);
  const people = rows("P:").filter(([name = ""]) => /^[^\s\p{Cc}]{1,256}$/u.test(name));
  return people.map(([name = "", , uid = "", gid = "", , home = "", shell = ""]) => {
    const shadow = shadows.get(name) ?? null;
    const groups = groupsOf(name, gid);
    const who = ["ALL", name, ...groups.map((group) => `%${group}`)];
    return {
      name,
      isPrivileged: uid === "0" || who.some((each) => privileged.has(each)),
      isLocked: shadow !== null && (shadow.status === "locked" || isPast(shadow.expiresOn, now)),
      passwordChangedAt: shadow?.changedOn === 0 ? null : dateOf(shadow?.changedOn ?? null),
      expiresAt: dateOf(shadow?.expiresOn ?? null),
      lastLoginAt: logins.get(name) ?? null,
      facts: {
        uid: Number(uid),
        gid: Number(gid),
        home: home.slice(0, 256),
        shell: shell.slice(0, 256),
        groups: groups.slice(0, 100),
        passwordStatus: shadow?.status ?? "unknown",
        mustChange: shadow?.changedOn === 0,
        passwordMaxDays: shadow?.maxDays ?? null,
        keys: (keys.get(name) ?? []).map((row) => row.slice(1).join(":")).filter((print) => FINGERPRINT.test(print)),
      },
    };
  });
}

const MIGHTY_GROUPS = ["sudo", "wheel", "admin"];
const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/;

interface Shadow {
  status: "set" | "locked" | "none" | "unknown";
  /** Days since 1970; 0 means that the password must be changed at once. */
  changedOn: number | null;
  maxDays: number | null;
  expiresOn: number | null;
}

const STATUSES = ["set", "locked", "none"] as const;

function shadowOf([status, changedOn, maxDays, expiresOn]: string[]): Shadow {
  return {
    status: STATUSES.find((each) => each === status) ?? "unknown",
    changedOn: numberIn(changedOn),
    maxDays: numberIn(maxDays),
    expiresOn: numberIn(expiresOn),
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
function memberships(rows: string[][]): (name: string, gid: string) => string[] {
  const byGid = new Map(rows.map(([group = "", , gid = ""]) => [gid, group]));
  const byMember = new Map<string, string[]>();
  for (const [group = "", , , members = ""] of rows) {
    for (const member of members.split(",")) byMember.set(member, [...(byMember.get(member) ?? []), group]);
  }
  return (name, gid) => {
    const primary = byGid.get(gid);
    return [...new Set([...(primary === undefined ? [] : [primary]), ...(byMember.get(name) ?? [])])];
  };
}
