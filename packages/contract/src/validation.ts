// The Validation Dashboard: whether stored secrets still work, over the caller's own credentials and visible accounts.
import { z } from "zod";
import { ALERT_SEVERITIES } from "./dashboard.ts";
import { endpoint } from "./endpoint.ts";
import { AccessRequestId, Moment, pageQuery, sortBy } from "./fields.ts";
import { AttemptStatus, AttemptStatusFilter, FAILING_STATUSES, ValidationStatus } from "./verification-status.ts";
import { RunId } from "./verification.ts";

/** VAL-49: the last 1, 7 or 30 days. */
export const VALIDATION_RANGES = ["24h", "7d", "30d"] as const;
export const ValidationRange = z.enum(VALIDATION_RANGES);
export type ValidationRange = z.infer<typeof ValidationRange>;

/**
 * VAL-37. Severity of a failure: `critical` for an account with an active grant, a platform's reconcile account, a
 * changed host key, and a person's rejected production secret; `high` for any other rejected secret; `low` for one not
 * in use (the account or its safe is not active); `medium` for the rest, which could not be tried.
 */
export const Severity = z.enum(ALERT_SEVERITIES);
export type Severity = z.infer<typeof Severity>;

export const ERROR_CATEGORIES = [
  "authentication",
  "locked",
  "expired",
  "host_key",
  "network",
  "tls",
  "configuration",
  "internal",
] as const;
export const ErrorCategory = z.enum(ERROR_CATEGORIES);
export type ErrorCategory = z.infer<typeof ErrorCategory>;

/** VAL-17 and OPEN-123: system families; `Other` is the rest. */
export const SYSTEM_FAMILIES = ["Windows", "Linux", "Database", "Network", "Application", "Cloud", "Other"] as const;
export const SystemFamily = z.enum(SYSTEM_FAMILIES);
export type SystemFamily = z.infer<typeof SystemFamily>;

/** A stored secret: an account (`/accounts/:id`), or a user's own credential (`/vault/:id`). */
export const StoredSecret = z.object({
  account_id: z.uuid(),
  /** False for one of the caller's own credentials. */
  is_account: z.boolean(),
  account_name: z.string(),
  hostname: z.string().nullable(),
  username: z.string().nullable(),
  /** An account's system type, or a credential's type. */
  system_type: z.string(),
});
export type StoredSecret = z.infer<typeof StoredSecret>;

/** The success rate of one day's attempts; days are UTC. */
export const TrendPoint = z.object({
  date: z.iso.date(),
  attempts: z.number().int(),
  successes: z.number().int(),
  failures: z.number().int(),
  /** The failures in which the target refused the login. */
  rejections: z.number().int(),
  /** Percent with one decimal; null without attempts. */
  success_rate: z.number().nullable(),
});
export type TrendPoint = z.infer<typeof TrendPoint>;

/** DASH-13. */
const figures = {
  total_accounts: z.number().int(),
  verified: z.number().int(),
  pending: z.number().int(),
  /** Rejected, unreachable and misconfigured together. */
  failed: z.number().int(),
  rejected: z.number().int(),
  unreachable: z.number().int(),
  misconfigured: z.number().int(),
  never_validated: z.number().int(),
  last_24h_attempts: z.number().int(),
  last_24h_successes: z.number().int(),
  last_24h_failures: z.number().int(),
};

/** VAL-34, over the range: a rate and a time are null without attempts. */
export const ValidationStatistics = z.object({
  ...figures,
  /** Percent with one decimal, of the attempts in the range. */
  success_rate: z.number().nullable(),
  /** Milliseconds. */
  average_validation_time: z.number().nullable(),
  /** One point a day, oldest first: seven, or thirty for the range 30d. */
  weekly_trend: z.array(TrendPoint),
  /** Attempts per day, on average over the range. */
  daily_validations: z.number(),
  /** Current failures that are critical. */
  critical_failures: z.number().int(),
});
export type ValidationStatistics = z.infer<typeof ValidationStatistics>;

/** VAL-42. */
export const JitHealthMetrics = z.object({
  active_sessions: z.number().int(),
  /** Accounts that are not healthy. */
  sessions_with_validation_issues: z.number().int(),
  /** Grants that end within the hour and whose account fails verification. */
  expiring_sessions_with_failures: z.number().int(),
  /** Percent of the attempts in the range on accounts with an active grant; null without attempts. */
  jit_validation_success_rate: z.number().nullable(),
  /** Milliseconds; null without attempts. */
  average_jit_validation_time: z.number().nullable(),
});
export type JitHealthMetrics = z.infer<typeof JitHealthMetrics>;

/** VAL-43. Counts are current, the rate covers the attempts in the range. */
export const SystemHealthRow = z.object({
  system_type: z.string(),
  total_accounts: z.number().int(),
  verified: z.number().int(),
  /** Rejected, unreachable and misconfigured together. */
  failed: z.number().int(),
  rejected: z.number().int(),
  success_rate: z.number().nullable(),
  last_validation: Moment.nullable(),
});
export type SystemHealthRow = z.infer<typeof SystemHealthRow>;

const rangeQuery = z.object({ range: ValidationRange.default("24h") });

export const readValidationDashboard = endpoint({
  method: "GET",
  path: "/api/v1/validation/dashboard",
  summary: "The Validation Dashboard's figures for the secrets that the caller can see",
  query: rangeQuery,
  reply: z.object({
    range: ValidationRange,
    generated_at: Moment,
    validation_statistics: ValidationStatistics,
    status_distribution: z.array(z.object({ status: ValidationStatus, count: z.number().int() })),
    jit_health: JitHealthMetrics,
    systems: z.array(SystemHealthRow),
  }),
  needs: "verification.read",
  audit: "none",
});

/** VAL-11: the matrix has its own range. */
export const readSystemHealth = endpoint({
  method: "GET",
  path: "/api/v1/validation/system-health",
  summary: "The status of each kind of system, most accounts first",
  query: rangeQuery,
  reply: z.object({ systems: z.array(SystemHealthRow) }),
  needs: "verification.read",
  audit: "none",
});

/**
 * DASH-13. Counts over what the caller can see; `success_rate` is a percentage of the attempts of the last 24 hours.
 */
export const validationStatistics = endpoint({
  method: "GET",
  path: "/api/v1/validation/statistics",
  summary: "The number of stored secrets that are verified, pending, failed and untested",
  reply: z.object({
    ...figures,
    success_rate: z.number(),
    /** Milliseconds. */
    average_validation_time: z.number(),
  }),
  needs: "verification.read",
  audit: "none",
});

/** VAL-35. Names are those at the time of the attempt. */
export const ValidationAttempt = z.object({
  id: z.uuid(),
  ...StoredSecret.shape,
  verification_method: z.string(),
  /** `never_validated` when no connector serves the type. */
  status: AttemptStatus,
  error_message: z.string().nullable(),
  /** Null while it runs and when it ended without an error. */
  error_category: ErrorCategory.nullable(),
  started_at: Moment,
  /** Milliseconds. */
  duration_ms: z.number().int().nullable(),
  triggered_by: z.string(),
});
export type ValidationAttempt = z.infer<typeof ValidationAttempt>;

const narrowing = {
  /** Matches the name, user name or host. */
  search: z.string().trim().max(100).optional(),
  system: SystemFamily.optional(),
};

/** OPEN-131: over the whole filtered set. */
export const MOST_COUNTED = 10_000;
export const CountedTotal = z.number().int().max(MOST_COUNTED);

/** `result` is the outcome, `duration` how long the attempt took. */
export const ATTEMPT_SORT_FIELDS = ["name", "result", "started", "duration"] as const;
export type AttemptSortField = (typeof ATTEMPT_SORT_FIELDS)[number];

export const AttemptSort = sortBy(ATTEMPT_SORT_FIELDS);
export type AttemptSort = z.infer<typeof AttemptSort>;

export const listValidationAttempts = endpoint({
  method: "GET",
  path: "/api/v1/validation/attempts",
  summary: "Verification attempts on secrets that the caller can see, newest first unless sorted otherwise",
  query: z.object({
    ...pageQuery(200, 50),
    ...narrowing,
    /** The result of the attempt, not the current status of the account. */
    status: AttemptStatusFilter.optional(),
    range: ValidationRange.default("24h"),
    sort: AttemptSort.optional(),
  }),
  reply: z.object({
    attempts: z.array(ValidationAttempt),
    /** The number of matches; 10,000 means that many or more. */
    total: CountedTotal,
    next_cursor: z.string().nullable(),
  }),
  needs: "verification.read",
  audit: "none",
});

/** VAL-72. */
export const validationHistory = endpoint({
  method: "GET",
  path: "/api/v1/validation/history",
  summary: "Recent verification attempts, newest first",
  query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
  reply: z.object({ data: z.array(ValidationAttempt) }),
  needs: "verification.read",
  audit: "none",
});

const SessionName = z.object({ session_id: AccessRequestId, session_name: z.string() });

/** VAL-36: a stored secret whose last verification failed, and since when. */
export const ValidationFailure = z.object({
  /** The same as `account_id`. */
  id: z.uuid(),
  ...StoredSecret.shape,
  status: z.enum(FAILING_STATUSES),
  error_category: ErrorCategory,
  error_message: z.string(),
  severity: Severity,
  /** Consecutive failures since the last success. */
  failure_count: z.number().int(),
  first_failed_at: Moment.nullable(),
  last_failed_at: Moment.nullable(),
  /** The secret's active grants that the caller can see. */
  associated_jit_sessions: z.array(SessionName),
  /** Whether the caller can start a validation of the secret. */
  may_validate: z.boolean(),
});
export type ValidationFailure = z.infer<typeof ValidationFailure>;

export const listValidationFailures = endpoint({
  method: "GET",
  path: "/api/v1/validation/failures",
  summary: "Current failures, latest first",
  query: z.object({
    ...pageQuery(200, 50),
    ...narrowing,
    severity: Severity.optional(),
    status: z.enum(FAILING_STATUSES).optional(),
    /** API-90: only failures at or after this time. */
    since: Moment.optional(),
  }),
  reply: z.object({
    failures: z.array(ValidationFailure),
    /** The number of matches. */
    total: z.number().int(),
    /** The number of matches of the other filters, by severity. */
    by_severity: z.object({
      critical: z.number().int(),
      high: z.number().int(),
      medium: z.number().int(),
      low: z.number().int(),
    }),
    next_cursor: z.string().nullable(),
  }),
  needs: "verification.read",
  audit: "none",
});

/** VAL-40. */
export const JitAccount = z.object({
  ...StoredSecret.shape,
  verification_method: z.string(),
  /** VAL-41. `unknown`: untested. */
  validation_status: z.enum(["verified", "pending", ...FAILING_STATUSES, "unknown"]),
  /** The account fails verification while it has an active grant. */
  is_critical: z.boolean(),
  last_validated_at: Moment.nullable(),
  /** Milliseconds. */
  response_time_ms: z.number().int().nullable(),
  error_message: z.string().nullable(),
  may_validate: z.boolean(),
});
export type JitAccount = z.infer<typeof JitAccount>;

/** VAL-38, VAL-39. `healthy`: verified; `critical`: fails; `degraded`: unknown. */
export const JitSessionValidation = z.object({
  ...SessionName.shape,
  requester: z.string(),
  expires_at: Moment,
  overall_health: z.enum(["healthy", "degraded", "critical"]),
  accounts: z.array(JitAccount),
});
export type JitSessionValidation = z.infer<typeof JitSessionValidation>;

/** The caller's active grants, and those that the caller oversees. */
export const listJitSessions = endpoint({
  method: "GET",
  path: "/api/v1/validation/jit-sessions",
  summary: "Active grants and whether their accounts work, soonest end first",
  query: z.object({
    ...pageQuery(200, 50),
    /** API-87: the only value. */
    status: z.literal("active").optional(),
    has_validation_issues: z.stringbool().optional(),
  }),
  reply: z.object({
    sessions: z.array(JitSessionValidation),
    total: z.number().int(),
    /** VAL-26: over all these grants. */
    with_issues: z.number().int(),
    next_cursor: z.string().nullable(),
  }),
  needs: "verification.read",
  audit: "none",
});

/** API-86: one of `listJitSessions`; 404 for a grant that has ended or that the caller cannot see. */
export const readJitSession = endpoint({
  method: "GET",
  path: "/api/v1/validation/jit-sessions/:id",
  summary: "Whether the account of one grant works",
  params: z.object({ id: AccessRequestId }),
  reply: JitSessionValidation,
  needs: "verification.read",
  audit: "none",
});

/**
 * OPEN-125 to OPEN-128. Checks each secret separately: lists those that the caller cannot validate and verifies the
 * rest in the background. Without `force`, secrets that their target has rejected are skipped, to avoid lockouts.
 */
export const triggerValidation = endpoint({
  method: "POST",
  path: "/api/v1/validation/trigger",
  summary: "Validate accounts and the caller's own credentials in the background",
  body: z.strictObject({ accountIds: z.array(z.uuid()).min(1).max(1000), force: z.boolean().default(false) }),
  reply: z.object({
    /** Null when none was left to verify. */
    run_id: RunId.nullable(),
    queued: z.number().int(),
    failed: z.array(z.object({ id: z.uuid(), code: z.string(), message: z.string() })),
    message: z.string(),
  }),
  status: 202,
  needs: "credential.verify",
  audit: "verification.run-started",
  gives: "nothing",
});
