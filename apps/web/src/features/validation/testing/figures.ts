// Replies of the server to the Validation Dashboard, for tests.
import {
  AccessRequestId,
  type JitSessionValidation,
  type ReplyOf,
  type ValidationAttempt,
  type ValidationFailure,
  type readValidationDashboard,
} from "@strongroom/contract";
import type { ValidationEvent } from "#shared/events/validation-events.ts";

export const idOf = (n: number) => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, "0")}`;
export const SESSION = AccessRequestId.parse(idOf(90));
const MOMENT = "2026-01-01T10:00:00.000Z";

const secret = (n: number) => ({
  account_id: idOf(n),
  is_account: true,
  account_name: `Account ${n}`,
  hostname: `db${n}.example.com`,
  username: "app",
  system_type: "postgresql",
});

export const figures: ReplyOf<typeof readValidationDashboard> = {
  range: "24h",
  generated_at: MOMENT,
  validation_statistics: {
    total_accounts: 40,
    verified: 30,
    pending: 2,
    failed: 3,
    rejected: 2,
    unreachable: 1,
    misconfigured: 0,
    never_validated: 5,
    last_24h_attempts: 20,
    last_24h_successes: 16,
    last_24h_failures: 4,
    success_rate: 80,
    average_validation_time: 1240,
    weekly_trend: [{ date: "2026-01-01", attempts: 20, successes: 16, failures: 4, rejections: 3, success_rate: 80 }],
    daily_validations: 20,
    critical_failures: 1,
  },
  status_distribution: [
    { status: "verified", count: 30 },
    { status: "rejected", count: 2 },
    { status: "unreachable", count: 1 },
  ],
  jit_health: {
    active_sessions: 7,
    sessions_with_validation_issues: 2,
    expiring_sessions_with_failures: 1,
    jit_validation_success_rate: 50,
    average_jit_validation_time: 90,
  },
  systems: [],
};

export const aSystem = (n: number) => ({
  system_type: `System ${n}`,
  total_accounts: 4,
  verified: 3,
  failed: 1,
  rejected: 1,
  success_rate: 75,
  last_validation: MOMENT,
});

export const anAttempt = (n: number, more: Partial<ValidationAttempt> = {}): ValidationAttempt => ({
  id: idOf(50 + n),
  ...secret(n),
  verification_method: "postgresql",
  status: "verified",
  error_message: null,
  error_category: null,
  started_at: MOMENT,
  duration_ms: 120,
  triggered_by: "scheduled",
  ...more,
});

export const aFailure = (n: number, more: Partial<ValidationFailure> = {}): ValidationFailure => ({
  id: idOf(n),
  ...secret(n),
  status: "rejected",
  error_category: "authentication",
  error_message: "The server said no",
  severity: "high",
  failure_count: 2,
  first_failed_at: MOMENT,
  last_failed_at: MOMENT,
  associated_jit_sessions: [],
  may_validate: true,
  ...more,
});

export const aSession = (accounts: number): JitSessionValidation => ({
  session_id: SESSION,
  session_name: "Nightly batch",
  requester: "Bo",
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  overall_health: "critical",
  accounts: Array.from({ length: accounts }, (_, n) => ({
    ...secret(n),
    verification_method: "postgresql",
    validation_status: n === 0 ? "rejected" : "verified",
    is_critical: n === 0,
    last_validated_at: MOMENT,
    response_time_ms: 90,
    error_message: n === 0 ? "The server said no" : null,
    may_validate: true,
  })),
});

export const anEvent = (
  id: string,
  type: ValidationEvent["type"],
  data: Partial<ValidationEvent["data"]> = {},
): ValidationEvent => ({
  id,
  type,
  timestamp: MOMENT,
  data: {
    account_id: idOf(1),
    is_account: true,
    account_name: "Account 1",
    system_type: "postgresql",
    status: null,
    error_message: null,
    error_category: null,
    severity: null,
    session_id: null,
    asked_by: null,
    statistics: null,
    ...data,
  },
});
