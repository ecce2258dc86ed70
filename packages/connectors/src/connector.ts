// The connector interface: one kind of target system, and how it verifies and changes secrets.
import type { ConnectorIcon, ConnectorProtocol, ParameterField, ScanCommand } from "@strongroom/contract";
import type { Secret } from "@strongroom/keys";
import type { Network } from "./address.ts";
import type { Collected, ListedPrivilege } from "./collected.ts";
import type { DatabaseReader, DatabaseSearch, DatabasesRead } from "./database-search.ts";
import type { FileReader, FileSearch, FilesRead } from "./file-search.ts";

/** An SSH host key as OpenSSH prints it: `ssh-ed25519` and `SHA256:` with unpadded base64. */
export interface HostKey {
  type: string;
  fingerprint: string;
}

/**
 * The system and user that a secret belongs to. Holds no secret: `additionalParams` and `connectionString` are stored
 * unencrypted.
 */
export interface Target {
  type: string;
  host: string | null;
  port: number | null;
  username: string | null;
  databaseName: string | null;
  schemaName: string | null;
  /** Overrides host, port and database (CRED-38). */
  connectionString: string | null;
  sslEnabled: boolean;
  additionalParams: Readonly<Record<string, unknown>>;
  /** The pinned SSH host key; null or absent means that none is pinned yet and the first one seen is trusted. */
  knownHostKey?: HostKey | null;
}

export interface NetworkPolicy {
  allowLoopback: boolean;
  /** When not empty, targets must be in one of these; loopback depends only on `allowLoopback`. */
  allowedNetworks: readonly Network[];
  /** All addresses of a name, or an error with a `code` of node:dns. */
  lookup: (name: string) => Promise<string[]>;
}

export interface VerifyContext {
  /** The whole attempt, name resolution included, ends after this many milliseconds. */
  timeoutMs: number;
  /** Aborting the signal ends the attempt immediately with `unreachable` and the code `cancelled`. */
  signal: AbortSignal;
  network: NetworkPolicy;
  now: () => Date;
  /** The regions of a cloud whose objects `listAccounts` collects; default: the credential's own region. */
  regions?: readonly string[];
  /** Called by `listAccounts` with the number of accounts that it has received, possibly often. */
  onListed?: (accounts: number) => void;
}

/** The target answered and rejected the secret. */
export const REJECTED_CODES = [
  "wrong-password",
  "account-locked",
  "account-expired",
  "password-expired",
  "must-change",
  "no-permission",
  "certificate-expired",
  "certificate-not-yet-valid",
] as const;

/** The target could not be asked now; another attempt may succeed. */
export const UNREACHABLE_CODES = [
  "dns-failure",
  "refused",
  "no-route",
  "timeout",
  "connection-lost",
  "too-many-connections",
  "not-ready",
  "rate-limited",
  "server-error",
  "cancelled",
] as const;

/** The secret cannot be verified until the entry, the target or the policy is changed. */
export const MISCONFIGURED_CODES = [
  "bad-input",
  "address-forbidden",
  "host-key-changed",
  "tls-failure",
  "tls-required",
  "insecure-authentication",
  "password-not-checked",
  "method-not-offered",
  "second-factor",
  "protocol-error",
  "no-such-database",
  "no-permission",
  "redirected",
  "unexpected-status",
  "name-mismatch",
  "key-mismatch",
  /** The endpoint presents a different certificate from the stored one. */
  "certificate-differs",
  "broken-chain",
] as const;

export type RejectedCode = (typeof REJECTED_CODES)[number];
export type UnreachableCode = (typeof UNREACHABLE_CODES)[number];
export type MisconfiguredCode = (typeof MISCONFIGURED_CODES)[number];

/** The reason why TLS was not established. */
export type TlsReason =
  | "not-offered"
  | "self-signed"
  | "unknown-issuer"
  | "expired"
  | "not-yet-valid"
  | "name-mismatch"
  | "revoked"
  | "handshake";

/** JSON-safe observations that a caller may keep and show; never a secret. */
export type Facts = Readonly<Record<string, unknown>>;

export type Finding =
  | { outcome: "verified"; message: string; facts?: Facts }
  | { outcome: "rejected"; code: RejectedCode; message: string; facts?: Facts }
  | { outcome: "unreachable"; code: UnreachableCode; message: string; facts?: Facts }
  | {
      outcome: "misconfigured";
      code: MisconfiguredCode;
      message: string;
      /** With `tls-failure` only. */
      reason?: TlsReason;
      /** The target may be impersonated: a person must investigate before anything else is sent to it. */
      alarm?: true;
      facts?: Facts;
    }
  | { outcome: "unsupported"; message: string };

export type Failure = Exclude<Finding, { outcome: "verified" }>;

/** `message` is one or two plain sentences; `durationMs` a whole number of milliseconds. */
export type VerifyResult = Finding & { durationMs: number };

/**
 * The account that acts on a target on behalf of another account: the platform's reconcile account, at the target's own
 * address.
 */
export interface ReconcileLogin {
  username: string;
  secret: Secret;
}

/** The target answered and refused to change the secret: the previous one is still active. */
export const REFUSED_CODES = [
  "password-rules",
  "too-young",
  "reused",
  "no-permission",
  "no-such-account",
  "limit-reached",
  "not-changeable",
] as const;
export type RefusedCode = (typeof REFUSED_CODES)[number];

/**
 * The result of a change, as far as the target reported it.
 *
 * - `changed`: the target confirmed it. The caller still verifies it with a login.
 * - `refused`: the target clearly refused. Another candidate may succeed after `password-rules` and `reused`.
 * - `unsent`: nothing that could change a secret was sent. `failure` gives the reason, as in a verification.
 * - `unknown`: it was sent, and no clear response was received. Either secret may be active.
 */
export type ChangeFinding =
  | { outcome: "changed"; message: string; facts?: Facts }
  | { outcome: "refused"; code: RefusedCode; message: string }
  | { outcome: "unsent"; failure: Failure; message: string }
  | { outcome: "unknown"; message: string };

/** `message` is one or two plain sentences; `durationMs` a whole number of milliseconds. */
export type ChangeResult = ChangeFinding & { durationMs: number };

/**
 * A secret that the target itself generates (an access key). `unknown`: the target may have one that was never
 * received.
 */
export type IssueFinding =
  | { outcome: "issued"; secret: Secret; message: string; facts?: Facts }
  | Exclude<ChangeFinding, { outcome: "changed" }>;

/** `durationMs` is a whole number of milliseconds. */
export type IssueResult = IssueFinding & { durationMs: number };

/** Something on the target that runs as the account or contains its login, and might need its new password. */
export interface ListedDependent {
  /** `service`: a Windows service, or a systemd unit with the account in `User=`. */
  kind: "service" | "timer" | "cron-job" | "scheduled-task" | "application-pool" | "linked-server" | "file" | "process";
  /** The unit, task, linked server or path, as the target names it. */
  name: string;
  /** One line of evidence, such as the schedule or the command. Never a secret. */
  detail: string | null;
}

/** The limit of dependents for one account. */
export const MAX_LISTED_DEPENDENTS = 100;

/** An account on a target, as far as the login may see it. Times are ISO 8601, or null if unknown. */
export interface ListedAccount {
  name: string;
  /** The name to log in with, if it differs. */
  login?: string;
  /** The account can do everything, or can grant itself that permission. */
  isPrivileged: boolean;
  isLocked: boolean;
  passwordChangedAt: string | null;
  expiresAt: string | null;
  lastLoginAt: string | null;
  /** Groups, roles, shells, key fingerprints. Never a hash. */
  facts: Facts;
  /** At most `MAX_LISTED_DEPENDENTS`; omitted by connectors that do not look for them. */
  dependents?: readonly ListedDependent[];
  /** The reasons for `isPrivileged`, the strongest first; absent if the connector reports none. */
  privileges?: readonly ListedPrivilege[];
}

export type ListFinding = (
  | {
      outcome: "listed";
      accounts: ListedAccount[];
      message: string;
      isComplete: boolean;
      /** The attempt ended before the target had answered everything: facts of the accounts may be missing, too. */
      isPartial?: true;
      facts?: Facts;
      /** Keys, and facts of the system; absent if the connector collects none. */
      collected?: Collected;
    }
  | Failure
) & {
  /** The result of each command or query, as far as the attempt got. */
  commands?: readonly ScanCommand[];
};

/** `message` is one or two plain sentences; `durationMs` a whole number of milliseconds. */
export type ListResult = ListFinding & { durationMs: number };

export type ReadFilesFinding = FilesRead | Failure;
export type ReadFilesResult = ReadFilesFinding & { durationMs: number };

export type ReadDatabasesFinding = DatabasesRead | Failure;
export type ReadDatabasesResult = ReadDatabasesFinding & { durationMs: number };

/** The limit of a list; when the target has more accounts, the message says so. */
export const MAX_LISTED_ACCOUNTS = 10_000;

/** The passwords that a target accepts, for generating new ones. */
export interface PasswordLimits {
  maxLength?: number;
  /** Characters that must not occur. */
  forbidden?: string;
}

/**
 * One kind of target. Capabilities beyond `verify` are optional methods, which callers probe for.
 *
 * No method ever rejects for anything that the target does: a rejected promise is a bug in the connector. None puts a
 * secret, old or new, into a message, a fact, an error or a log.
 */
export interface Connector {
  id: string;
  name: string;
  icon: ConnectorIcon;
  /** The port for entries that name none, when no protocol does. */
  defaultPort?: number;
  /** The entry types that the connector supports without a `protocol`. */
  types: readonly string[];
  /** The values of the additional parameter `protocol` that select the connector. */
  protocols?: readonly ConnectorProtocol[];
  /** The schemes of connection strings that select the connector for entries of the type `database`. */
  schemes?: readonly string[];
  /** Ports used by no other protocol; an entry without a protocol is checked by the connector of its port. */
  ports?: readonly number[];
  /** The additional parameters that the connector reads besides `protocol`; forms are generated from them. */
  parameters: readonly ParameterField[];
  /** True when the shared suite runs against a real target, not only against a fake. */
  proven: boolean;
  verify(target: Target, secret: Secret, context: VerifyContext): Promise<VerifyResult>;

  passwordLimits?: PasswordLimits;
  /**
   * For secrets that are not passwords (key pairs): a new one in the form of `current`. Null when `current` is a
   * password.
   */
  newSecret?(current: Secret): Promise<Secret | null>;
  /**
   * Logs in with `current` and replaces it with `candidate`, or adds `candidate` where both stay valid until `retire`.
   * Repeating the call with the same candidate is harmless. It never verifies the candidate: callers do that with
   * `verify`.
   */
  change?(target: Target, current: Secret, candidate: Secret, context: VerifyContext): Promise<ChangeResult>;
  /** Like `change`, but logged in as an account that may set the secrets of other accounts. */
  reconcile?(target: Target, by: ReconcileLogin, candidate: Secret, context: VerifyContext): Promise<ChangeResult>;
  /** Whether `by` could reconcile `target` now: it can log in and has the permission. Changes nothing. */
  checkReconcile?(target: Target, by: ReconcileLogin, context: VerifyContext): Promise<VerifyResult>;
  /** Replaces `change` where the target generates the secret: adds a second one next to `current`. */
  issue?(target: Target, current: Secret, context: VerifyContext): Promise<IssueResult>;
  /**
   * After `change` or `issue` left two secrets: deletes `retired`, logged in with `current`. Repeating the call is
   * harmless, even where `change` left only one.
   */
  retire?(target: Target, current: Secret, retired: Secret, context: VerifyContext): Promise<ChangeResult>;
  /** The accounts of the target, at most 10,000. */
  listAccounts?(target: Target, secret: Secret, context: VerifyContext): Promise<ListResult>;
  /** Prefix of its file locations, `/` if absent. A search whose only root is this prefix covers all files. */
  filesBegin?: "s3://" | "git:";
  /** Finds files and reads them as a stream, with one login. Rejects only when `reader` does. */
  readFiles?(
    target: Target,
    secret: Secret,
    search: FileSearch,
    reader: FileReader,
    context: VerifyContext,
  ): Promise<ReadFilesResult>;
  /** Reads the texts of all databases that the login may open, and changes nothing. Rejects only when `reader` does. */
  readDatabases?(
    target: Target,
    secret: Secret,
    search: DatabaseSearch,
    reader: DatabaseReader,
    context: VerifyContext,
  ): Promise<ReadDatabasesResult>;
}
