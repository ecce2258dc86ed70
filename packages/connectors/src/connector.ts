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

/**
 * One kind of target. An ability beyond `verify` becomes an optional method of its own, which callers probe for.
 */
export interface Connector {
  id: string;
  name: string;
  /** The credential types that it serves; the registry decides among several by the rest of the target. */
  types: readonly string[];
  /** True when the shared suite runs against a real target, not only against a double of ours. */
  proven: boolean;
  /** Never throws for anything the target does; a rejected promise is a bug of the connector. */
  verify(target: Target, secret: Secret, context: VerifyContext): Promise<VerifyResult>;
}
