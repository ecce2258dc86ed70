// Explains privileges and ways into an account in one sentence each.
import { isFullControl } from "@strongroom/connectors";
import type { PrivilegeKind } from "@strongroom/connectors";

interface Explained {
  kind: PrivilegeKind;
  path: readonly string[];
  detail: readonly string[];
  becomes: string | null;
  needs_password: boolean | null;
}

const RIGHTS: Readonly<Record<PrivilegeKind, string>> = {
  root: "is root",
  "sudo-all": "can run every command as root with sudo",
  "sudo-escape": "can become root with sudo",
  "root-group": "can become root through a group",
  superuser: "is a superuser of the database",
  "domain-admin": "controls the domain",
  "directory-admin": "is an administrator of the directory",
  "local-admin": "is an administrator of the host",
  "cloud-admin": "is an administrator of the cloud account",
  escalation: "can give itself more rights",
  impersonation: "can act as other accounts",
  "sudo-as": "can become another account with sudo",
  "sudo-limited": "can run some commands with sudo",
};

/** Without the account's name and without a full stop. */
export function rightOf({ kind, path, detail, becomes, needs_password }: Explained): string {
  const parts = [RIGHTS[kind]];
  if (kind === "root" && path.length > 0) parts[0] = "has user id 0, so it is root under another name";
  if (kind === "sudo-as" && becomes !== null) parts[0] = `can become ${becomes} with sudo`;
  if (kind === "sudo-limited" && becomes !== null) parts[0] = `can run some commands as ${becomes} with sudo`;
  const isSudo = kind.startsWith("sudo-");
  if (kind === "sudo-escape" || kind === "sudo-limited") parts.push(`(${shown(detail)})`);
  const way = kind === "root" ? [] : path;
  if (way.length > 0) parts.push(isSudo ? throughRule(way) : `through ${way.join(" → ")}`);
  if (!isSudo && detail.length > 0) parts.push(`(${shown(detail)})`);
  if (isSudo && needs_password === false) parts.push("without a password");
  if (isSudo && needs_password === true) parts.push("with its own password");
  return parts.join(" ");
}

const MOST_SHOWN = 3;

const shown = (detail: readonly string[]) =>
  detail.length > MOST_SHOWN
    ? `${detail.slice(0, MOST_SHOWN).join(", ")} and ${detail.length - MOST_SHOWN} more`
    : detail.join(", ");

function throughRule(path: readonly string[]): string {
  const names = path.slice(0, -1);
  const rule = `by a ${path.at(-1)}`;
  return names.length === 0 ? rule : `through ${names.join(" → ")}, ${rule}`;
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export const explainPrivilege = (privilege: Explained): string => sentence(rightOf(privilege));

export const levelOf = (kind: PrivilegeKind): "full" | "limited" => (isFullControl(kind) ? "full" : "limited");

interface Ways {
  name: string;
  hostname: string;
  keys: number;
  /** Accounts that can read the private key of one of them. */
  holders: number;
  isLocked: boolean;
  isManaged: boolean;
}

/** One sentence about the strongest privilege and the ways into the account. */
export function explainAccount(strongest: Explained | undefined, ways: Ways): string {
  const right = strongest === undefined ? "has no special rights that scans know of" : rightOf(strongest);
  const entries = [
    ways.isLocked ? "its password is locked" : null,
    ways.keys > 0 ? `${count(ways.keys, "key opens", "keys open")} it` : null,
    ways.holders > 0 ? `${count(ways.holders, "account", "accounts")} can read such a private key` : null,
    ways.isManaged ? "a safe contains it" : "no safe that you can see contains it",
  ].filter((each) => each !== null);
  return `${ways.name} ${right} on ${ways.hostname}; ${entries.join(", ")}.`;
}

const count = (amount: number, one: string, many: string) =>
  `${amount.toLocaleString("en")} ${amount === 1 ? one : many}`;
