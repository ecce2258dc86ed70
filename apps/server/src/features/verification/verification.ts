// Maps verification results to changes of stored secrets, audit notes and API replies.
import { isFailing } from "@strongroom/contract";
import type { VerifyReply } from "@strongroom/contract";
import { connectorFor, destinationHost } from "@strongroom/connectors";
import type { Connector, Target, VerifyResult } from "@strongroom/connectors";
import type { Updateable } from "kysely";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Audience } from "#kernel/events/audience.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { searchKeys, verificationStatus as statusOf } from "#features/secrets/index.ts";
import type { SecretRow, SecretsTable, HostKey } from "#features/secrets/index.ts";
import type { AttemptRow, Outcome } from "./verification.store.ts";

/** The result of an attempt. INVARIANT: no field contains a secret. */
export interface Result {
  outcome: Outcome;
  code: string | null;
  message: string;
  durationMs: number;
  /** The key that an SSH server presented. */
  hostKey: HostKey | null;
  /** The key differs from the pinned one: possibly a man-in-the-middle attack. */
  isAlarm: boolean;
  expiresAt: Date | null;
}

/** The columns of a stored login that connectors need. */
export type LoginRow = Pick<
  SecretRow,
  | "type"
  | "host"
  | "port"
  | "username"
  | "database_name"
  | "schema_name"
  | "connection_string"
  | "ssl_enabled"
  | "additional_params"
  | "host_key"
>;

export function targetOf(row: LoginRow): Target {
  return {
    type: row.type,
    host: row.host,
    port: row.port,
    username: row.username,
    databaseName: row.database_name,
    schemaName: row.schema_name,
    connectionString: row.connection_string,
    sslEnabled: row.ssl_enabled,
    additionalParams: row.additional_params,
    knownHostKey: row.host_key,
  };
}

export const connectorOf = (row: LoginRow): Connector => connectorFor(targetOf(row));

/** The host that the secret is sent to, as the connector derives it (CRED-38). */
export const destinationOf = (row: LoginRow): string | null => destinationHost(targetOf(row));

const LONGEST_MESSAGE = 1_000;

export function resultOf(verified: VerifyResult): Result {
  const facts = "facts" in verified ? verified.facts : undefined;
  return {
    outcome: isCancelled(verified) ? "aborted" : verified.outcome,
    code: "code" in verified ? verified.code : null,
    message: storable(verified.message),
    durationMs: verified.durationMs,
    hostKey: hostKeyIn(facts?.["hostKey"]),
    isAlarm: "alarm" in verified && verified.alarm === true,
    expiresAt: timeIn(facts?.["notAfter"]),
  };
}

/** This server stopped the attempt, so the target gave no answer. */
const isCancelled = (verified: VerifyResult): boolean => "code" in verified && verified.code === "cancelled";

/** Returns a result that did not come from a connector; by default, that the attempt was aborted. */
export function endedBy(code: string, message: string, outcome: Outcome = "aborted", durationMs = 0): Result {
  return { outcome, code, message, durationMs, hostKey: null, isAlarm: false, expiresAt: null };
}

export const INTERRUPTED = "interrupted";

/** The code for a fault of this server. The next scheduled verification tries again. */
export const INTERNAL_ERROR = "internal-error";

/** A target's message may contain anything; PostgreSQL text cannot store a NUL. */
function storable(message: string): string {
  return message.toWellFormed().replaceAll("\0", "\uFFFD").slice(0, LONGEST_MESSAGE);
}

function hostKeyIn(fact: unknown): HostKey | null {
  if (typeof fact !== "object" || fact === null || !("type" in fact) || !("fingerprint" in fact)) return null;
  const { type, fingerprint } = fact;
  return typeof type === "string" && typeof fingerprint === "string" ? { type, fingerprint } : null;
}

function timeIn(fact: unknown): Date | null {
  const time = typeof fact === "string" || fact instanceof Date ? new Date(fact) : null;
  return time === null || Number.isNaN(time.getTime()) ? null : time;
}

/** The schedule's verification interval for personal credentials. */
export const VERIFY_EVERY_MS = 86_400_000;

/** The audit target of an attempt. An attempt without a user belongs to an account. */
export function targetIn(attempt: Pick<AttemptRow, "user_id" | "credential_id" | "credential_name">) {
  const { user_id, credential_id: id, credential_name: name } = attempt;
  return { type: user_id === null ? "account" : "credential", id, name };
}

const EXPIRED_CODES = new Set(["certificate-expired", "password-expired", "account-expired"]);

/** CRED-13 to CRED-17: the changes to the stored secret after an attempt that ended at `at`. */
export function changesAfter(
  row: SecretRow,
  result: Result,
  at: Date,
  /** Null: no automatic verification. */
  everyMs: number | null,
): Updateable<SecretsTable> {
  const isVerified = result.outcome === "verified";
  const next = everyMs === null ? null : new Date(at.getTime() + everyMs);
  if (result.outcome === "aborted") return afterAborted(row, result, at, next);
  const attempted = {
    last_verification_attempt: at,
    verification_error: isVerified ? null : result.message,
    verification_code: isVerified ? null : result.code,
  };
  if (result.outcome === "unsupported") return { ...attempted, verify_after: null };

  const verification_status = result.outcome;
  const isReached = isVerified || result.outcome === "rejected";
  const isLoginRefused = result.outcome === "rejected" && !result.code?.startsWith("certificate-");
  const pinned = row.host_key ?? (isReached ? result.hostKey : null);
  return {
    ...attempted,
    verification_status,
    status: result.code !== null && EXPIRED_CODES.has(result.code) ? "expired" : isVerified ? "verified" : "failed",
    ...(isVerified ? { verified_at: at } : {}),
    verify_after: isLoginRefused ? null : next,
    ...(isReached ? { rejected_revision: isLoginRefused ? row.login_revision : null } : {}),
    ...(result.isAlarm ? { offered_host_key: json(result.hostKey) } : isReached ? { offered_host_key: null } : {}),
    ...(pinned === row.host_key ? {} : { host_key: json(pinned) }),
    ...(result.expiresAt === null ? {} : { expires_at: result.expiresAt }),
    search_keys: searchKeys({ ...row, verification_status }),
  };
}

/** The status stays, and so does the reason for a failing one: an aborted attempt says nothing about the target. */
function afterAborted(row: SecretRow, result: Result, at: Date, next: Date | null): Updateable<SecretsTable> {
  return {
    last_verification_attempt: at,
    ...(isFailing(row.verification_status) ? {} : { verification_error: result.message }),
    ...(result.code === INTERNAL_ERROR ? { verify_after: next } : {}),
  };
}

const json = (key: HostKey | null): string | null => (key === null ? null : JSON.stringify(key));

/** The audit note of an attempt (CRED-11). */
export function noteOf(attempt: AttemptRow, isAlarm: boolean): AuditNote {
  return {
    target: targetIn(attempt),
    result: resultWord(attempt, isAlarm),
    ...(attempt.outcome === "verified" ? {} : { reason: attempt.code ?? attempt.outcome ?? "" }),
    details: {
      attempt: attempt.id,
      outcome: attempt.outcome,
      message: attempt.message,
      duration: attempt.duration_ms,
      source: attempt.trigger,
      host: attempt.host,
      verification_type: attempt.method,
      ...(attempt.run_id === null ? {} : { run: attempt.run_id, triggered_by: attempt.triggered_by }),
      ...(attempt.is_outdated ? { is_outdated: true } : {}),
    },
  };
}

function resultWord({ outcome }: AttemptRow, isAlarm: boolean): NonNullable<AuditNote["result"]> {
  if (isAlarm || outcome === "aborted") return "warning";
  if (outcome === "unsupported") return "info";
  return outcome === "verified" ? "success" : "failure";
}

export function completed(attempt: AttemptRow, { audience }: { audience: Audience }, isAlarm: boolean): NewEvent[] {
  const event: NewEvent = {
    type: "verification.completed",
    audience,
    data: {
      credential_id: attempt.credential_id,
      name: attempt.credential_name,
      outcome: attempt.outcome,
      message: attempt.message,
      is_alarm: isAlarm,
    },
  };
  if (attempt.user_id !== null) return [event];
  return [event, { type: "account.changed", audience, data: { account_id: attempt.credential_id } }];
}

/** The reply to the vault's screens (API-13). */
export function toReply(attempt: AttemptRow, secretRow: SecretRow): VerifyReply {
  const success = attempt.outcome === "verified";
  const message = attempt.message ?? "";
  const error = success ? null : message;
  return {
    success,
    message,
    error,
    data: {
      success,
      outcome: attempt.outcome ?? "aborted",
      code: attempt.code,
      message,
      error,
      verification_status: statusOf(secretRow),
      verified_at: secretRow.verified_at?.toISOString() ?? null,
      attempted_at: (attempt.finished_at ?? attempt.started_at).toISOString(),
      duration_ms: attempt.duration_ms ?? 0,
    },
  };
}
