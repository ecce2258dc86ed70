// Shares the validation context and maps rows to replies.
import { isFailing } from "@strongroom/contract";
import type {
  AccessRequestId,
  ErrorCategory,
  JitAccount,
  JitSessionValidation,
  Severity,
  ValidationAttempt,
  ValidationFailure,
  ValidationMatch,
} from "@strongroom/contract";
import type { Kernel } from "#kernel/kernel.ts";
import { moment } from "#kernel/moment.ts";
import type { NotificationsFeature } from "#features/notifications/index.ts";
import type { VerificationFeature } from "#features/verification/index.ts";
import type { FoundAttempt } from "./history/attempts.store.ts";
import type { FailureRow } from "./history/failures.store.ts";
import type { JitRow } from "./history/jit.store.ts";
import type { MatchRow } from "./search/search.store.ts";
import type { GrantQueries } from "#features/figures/index.ts";
import { categoryOf, statusOfAttempt, statusOfSecret } from "./validation.policy.ts";

export interface ValidationContext {
  kernel: Kernel;
  verification: VerificationFeature;
  notify: NotificationsFeature["notify"];
  grants: GrantQueries;
}

export function toAttempt(row: FoundAttempt): ValidationAttempt {
  const status = statusOfAttempt(row);
  return {
    id: row.id,
    account_id: row.credential_id,
    is_account: row.user_id === null,
    account_name: row.credential_name,
    hostname: row.host,
    username: row.username,
    system_type: row.system_type,
    verification_method: row.method,
    status,
    error_message: row.outcome === "verified" ? null : row.message,
    error_category: errorCategory(row),
    started_at: row.started_at.toISOString(),
    duration_ms: row.duration_ms,
    triggered_by: row.trigger === "manual" || row.trigger === "bulk" ? row.triggered_by : row.trigger,
  };
}

const errorCategory = ({ outcome, code }: FoundAttempt): ErrorCategory | null =>
  outcome !== null && (isFailing(outcome) || outcome === "aborted") ? categoryOf(outcome, code) : null;

export function toFailure(row: FailureRow): ValidationFailure {
  return {
    id: row.id,
    ...secretIn(row),
    status: row.verification_status,
    error_category: row.outcome === null ? "internal" : categoryOf(row.outcome, row.code),
    error_message: row.verification_error ?? "The last verification failed.",
    severity: row.severity as Severity,
    failure_count: Math.max(1, row.failure_count),
    first_failed_at: moment(row.first_failed_at ?? row.last_verification_attempt),
    last_failed_at: moment(row.last_verification_attempt),
    associated_jit_sessions: row.sessions as ValidationFailure["associated_jit_sessions"],
    may_validate: row.may_validate,
  };
}

function healthOf(status: string): JitSessionValidation["overall_health"] {
  if (isFailing(status)) return "critical";
  return status === "verified" ? "healthy" : "degraded";
}

/** VAL-38 to VAL-41. */
export function toSession(row: JitRow): JitSessionValidation {
  return {
    session_id: row.session_id as AccessRequestId,
    session_name: row.session_name,
    requester: row.requester,
    expires_at: row.ends_at.toISOString(),
    overall_health: healthOf(row.verification_status),
    accounts: [toJitAccount(row)],
  };
}

function toJitAccount(row: JitRow): JitAccount {
  const status = statusOfSecret(row);
  return {
    ...secretIn({ ...row, user_id: null }),
    verification_method: row.method ?? "",
    validation_status: status === "never_validated" ? "unknown" : status,
    is_critical: isFailing(row.verification_status),
    last_validated_at: moment(row.last_verification_attempt),
    response_time_ms: row.duration_ms,
    error_message: row.verification_error,
    may_validate: row.may_validate,
  };
}

export function toMatch(row: MatchRow): ValidationMatch {
  return {
    ...secretIn(row),
    connection_method: row.connection_method,
    account_status: row.account_status,
    verification_method: row.method,
    status: statusOfSecret(row),
    error_message: row.verification_error,
    severity: row.severity as Severity | null,
    jit: row.jit,
    last_validated_at: moment(row.last_verification_attempt),
    created_at: row.created_at.toISOString(),
    may_validate: row.may_validate,
  };
}

interface SecretRow {
  id: string;
  user_id: string | null;
  name: string;
  host: string | null;
  username: string | null;
  system_type: string;
}

const secretIn = ({ id, user_id, name, host, username, system_type }: SecretRow) => ({
  account_id: id,
  is_account: user_id === null,
  account_name: name,
  hostname: host,
  username,
  system_type,
});
