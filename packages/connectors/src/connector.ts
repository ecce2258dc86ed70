// What a connector is: one kind of target system, and how a stored secret is proved on it.
import type { Secret } from "@strongroom/keys";
import type { NetworkPolicy } from "./network-policy.ts";

/** An SSH host key as OpenSSH prints it: `ssh-ed25519` and `SHA256:` with unpadded base64. */
export interface HostKey {
  type: string;
  fingerprint: string;
}

/** Where and as whom a secret is used. Holds no secret: `additionalParams` and `connectionString` are stored in the clear. */
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

export interface VerifyContext {
  /** The whole attempt, name resolution included, ends after this many milliseconds. */
  timeoutMs: number;
  /** Aborting it ends the attempt at once with `unreachable` and the code `cancelled`. */
  signal: AbortSignal;
  network: NetworkPolicy;
  now: () => Date;
}

/** The target was asked and said no. */
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

/** The target could not be asked now; another attempt may end otherwise. */
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

/** Nothing is known of the secret until somebody changes the entry, the target or the policy. */
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
  /** The endpoint shows another certificate than the stored one. */
  "certificate-differs",
  "broken-chain",
] as const;

export type RejectedCode = (typeof REJECTED_CODES)[number];
export type UnreachableCode = (typeof UNREACHABLE_CODES)[number];
export type MisconfiguredCode = (typeof MISCONFIGURED_CODES)[number];

/** Why TLS was not established. */
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
      /** The target may be impersonated: somebody has to look before anything is sent to it again. */
      alarm?: true;
      facts?: Facts;
    }
  | { outcome: "unsupported"; message: string };

export type Failure = Exclude<Finding, { outcome: "verified" }>;

/** `message` is one or two plain sentences; `durationMs` a whole number of milliseconds. */
export type VerifyResult = Finding & { durationMs: number };

/** Who acts on a target on behalf of an account of it: the platform's reconcile account, at the target's own address. */
export interface Login {
  username: string;
  secret: Secret;
}

/** The target was asked to change a secret and said no: what was in force before still is. */
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
 * How a change ended, as far as the target told.
 *
 * - `changed`: the target said yes. Whoever asked still proves it by a login of its own.
 * - `refused`: the target said no, clearly. Another candidate may do better after `password-rules` and `reused`.
 * - `unsent`: nothing that could change anything was sent. `failure` says why, in the words of a verification.
 * - `unknown`: it was sent, and no clear answer came. Either secret may be in force.
 */
export type ChangeFinding =
  | { outcome: "changed"; message: string; facts?: Facts }
  | { outcome: "refused"; code: RefusedCode; message: string }
  | { outcome: "unsent"; failure: Failure; message: string }
  | { outcome: "unknown"; message: string };

/** `message` is one or two plain sentences; `durationMs` a whole number of milliseconds. */
export type ChangeResult = ChangeFinding & { durationMs: number };

/** A secret that the target itself makes (an access key). `unknown`: there may be one there that nobody knows. */
export type IssueResult = (
  | { outcome: "issued"; secret: Secret; message: string; facts?: Facts }
  | Exclude<ChangeFinding, { outcome: "changed" }>
) & { durationMs: number };

/** An account that lives on a target, as far as the one who looked may see. Times are ISO 8601, null: not known. */
export interface ListedAccount {
  name: string;
  /** May do everything, or become somebody who may. */
  isPrivileged: boolean;
  isLocked: boolean;
  passwordChangedAt: string | null;
  expiresAt: string | null;
  lastLoginAt: string | null;
  /** Groups, roles, shells, key fingerprints. Never a hash. */
  facts: Facts;
}

export type ListFinding = { outcome: "listed"; accounts: ListedAccount[]; message: string } | Failure;

/** `message` is one or two plain sentences; `durationMs` a whole number of milliseconds. */
export type ListResult = ListFinding & { durationMs: number };

/** More are not listed; the message says so. */
export const MAX_LISTED_ACCOUNTS = 10_000;

/** What a target takes, for who makes up new passwords. */
export interface PasswordLimits {
  maxLength?: number;
  /** Characters that must not occur. */
  forbidden?: string;
}

/**
 * One kind of target. An ability beyond `verify` is an optional method of its own, which callers probe for.
 *
 * No method ever rejects for anything that the target does: a rejected promise is a bug of the connector. None puts a
 * secret, old or new, into a message, a fact, an error or a log.
 */
export interface Connector {
  id: string;
  name: string;
  /** The credential types that it serves; the registry decides among several by the rest of the target. */
  types: readonly string[];
  /** True when the shared suite runs against a real target, not only against a double of ours. */
  proven: boolean;
  verify(target: Target, secret: Secret, context: VerifyContext): Promise<VerifyResult>;

  passwordLimits?: PasswordLimits;
  /** For secrets that are no passwords (key pairs): a new one in the form of `current`. Null when `current` is a password. */
  newSecret?(current: Secret): Promise<Secret | null>;
  /**
   * Logs in with `current` and puts `candidate` in its place, or beside it where both stay valid until `retire`. Doing it
   * again with the same candidate is harmless. It never proves the candidate: callers do that with `verify`.
   */
  change?(target: Target, current: Secret, candidate: Secret, context: VerifyContext): Promise<ChangeResult>;
  /** As `change`, by somebody with the right to set the secret of others. */
  reconcile?(target: Target, by: Login, candidate: Secret, context: VerifyContext): Promise<ChangeResult>;
  /** Whether `by` could reconcile `target` now: a login, and the right to change. Changes nothing. */
  checkReconcile?(target: Target, by: Login, context: VerifyContext): Promise<VerifyResult>;
  /** Instead of `change`, where the target makes the secret: a second one beside `current`. */
  issue?(target: Target, current: Secret, context: VerifyContext): Promise<IssueResult>;
  /**
   * After `change` or `issue` left two: takes `retired` away, logged in with `current`. Doing it again is harmless, and so
   * is doing it where `change` left one only.
   */
  retire?(target: Target, current: Secret, retired: Secret, context: VerifyContext): Promise<ChangeResult>;
  /** Who has an account there. Bounded: at most 10,000. */
  listAccounts?(target: Target, secret: Secret, context: VerifyContext): Promise<ListResult>;
}
