// The parts of a list of accounts beyond the accounts: privileges with their reasons, and SSH keys.
import { PrivilegeKind, type CloudProvider, type CloudResourceKind } from "@strongroom/contract";

const FULL: readonly PrivilegeKind[] = PrivilegeKind.options.slice(0, PrivilegeKind.options.indexOf("escalation"));

export type { PrivilegeKind };

/** Whether the privilege includes everything on the system. */
export const isFullControl = (kind: PrivilegeKind): boolean => FULL.includes(kind);

/** One reason why an account is privileged. Texts are of at most 256 characters, lists of at most 20. */
export interface ListedPrivilege {
  kind: PrivilegeKind;
  /** Groups or roles between the account and the privilege, the account's own first. */
  path: readonly string[];
  /** The commands of a rule, or the names of rights. */
  detail: readonly string[];
  /** The account that it acts as, unless that is the strongest one of the system. */
  becomes?: string;
  /** Whether the system asks for the account's own password again; null if unknown. */
  needsPassword: boolean | null;
}

/** Sorts privileges by strength, the strongest first. */
export const strongestFirst = (one: ListedPrivilege, other: ListedPrivilege): number =>
  PrivilegeKind.options.indexOf(one.kind) - PrivilegeKind.options.indexOf(other.kind);

/** A key pair that opens an account, or a private key that an account can read. */
export interface ListedKey {
  relation: "opens" | "held";
  /** The opened account or the reader. Null for a private key that every account of the system can read. */
  account: string | null;
  /** `SHA256:` with unpadded base64. Null for an encrypted private key that does not contain its public half. */
  fingerprint: string | null;
  /** `ssh-ed25519` or similar, or an access key's kind. */
  type: string | null;
  /** The file that contains it, with the line. */
  place: string;
  comment: string | null;
  /** With `opens`: the names of the key's options, and the values of `from`. Never a forced command's arguments. */
  options: readonly string[];
  /** With `held`. */
  isEncrypted: boolean | null;
  /** With `held`: why the account can read it. */
  readBy: "owner" | "group" | "everyone" | null;
}

/** The region of objects that all regions share. */
export const GLOBAL = "global";

/** A user, role, access key, or the name of a secret of a cloud account. Never a value. */
export interface ListedResource {
  kind: CloudResourceKind;
  region: string;
  /** Unique within its kind and region; at most 512 characters. */
  name: string;
  facts: Readonly<Record<string, unknown>>;
}

export interface CollectedCloud {
  provider: CloudProvider;
  /** The number of the AWS account, the Azure tenant, or the Google Cloud project of the key; null if unknown. */
  account: string | null;
  resources: readonly ListedResource[];
  /** The complete lists: a resource that such a list does not contain no longer exists. */
  complete: readonly { kind: CloudResourceKind; region: string }[];
}

export interface Collected {
  /** Only of clouds. */
  cloud?: CollectedCloud;
  keys: readonly ListedKey[];
  /** Facts of the system itself, such as its listening services. */
  system: Readonly<Record<string, unknown>>;
}
