// The Validation Dashboard: whether stored secrets still work, over everything that the caller may see: own and accounts.
import { z } from "zod";
import { ALERT_SEVERITIES } from "./dashboard.ts";
import { endpoint } from "./endpoint.ts";
import { AccessRequestId, Moment, pageQuery } from "./fields.ts";
import { RunId } from "./verification.ts";

/** VAL-49: the last 1, 7 or 30 days. */
export const VALIDATION_RANGES = ["24h", "7d", "30d"] as const;
export const ValidationRange = z.enum(VALIDATION_RANGES);
export type ValidationRange = z.infer<typeof ValidationRange>;

/** VAL-52. `pending`: was tried and nothing is known; `never_validated`: nothing has tried it yet. */
export const VALIDATION_STATUSES = ["verified", "pending", "failed", "never_validated"] as const;
export const ValidationStatus = z.enum(VALIDATION_STATUSES);
export type ValidationStatus = z.infer<typeof ValidationStatus>;

/**
 * VAL-37. Of what fails: `critical` is what is lent out now, a platform's reconcile account, a changed host key, and a
 * person's production secret that was refused; `high` any other secret that was refused; `low` what is not in use (the
 * account or its safe is not active); `medium` the rest: it could not be tried.
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

/** VAL-17 and OPEN-123: the systems in families; `Other` is what belongs to none. */
export const SYSTEM_FAMILIES = ["Windows", "Linux", "Database", "Network", "Application", "Cloud", "Other"] as const;
export const SystemFamily = z.enum(SYSTEM_FAMILIES);
export type SystemFamily = z.infer<typeof SystemFamily>;

/** A stored secret: an account (`/accounts/:id`), or a person's own credential (`/vault/:id`). */
export const StoredSecret = z.object({
  account_id: z.uuid(),
  /** False: one of the caller's own credentials. */
  is_account: z.boolean(),
  account_name: z.string(),
  hostname: z.string().nullable(),
  username: z.string().nullable(),
  /** An account's system type; of a credential its type. */
  system_type: z.string(),
});
export type StoredSecret = z.infer<typeof StoredSecret>;

/** What of a day's tries succeeded; days are UTC. */
export const TrendPoint = z.object({
  date: z.iso.date(),
  attempts: z.number().int(),
  successes: z.number().int(),
  failures: z.number().int(),
  /** Percent with one decimal; null: nothing was tried. */
  success_rate: z.number().nullable(),
});
export type TrendPoint = z.infer<typeof TrendPoint>;

/** DASH-13. */
const figures = {
  total_accounts: z.number().int(),
  verified: z.number().int(),
  pending: z.number().int(),
  failed: z.number().int(),
  never_validated: z.number().int(),
  last_24h_attempts: z.number().int(),
  last_24h_successes: z.number().int(),
  last_24h_failures: z.number().int(),
};

/** VAL-34, over the range: a rate and a time are null where nothing was tried. */
export const ValidationStatistics = z.object({
  ...figures,
  /** Percent with one decimal, of what was tried in the range. */
  success_rate: z.number().nullable(),
  /** Milliseconds. */
  average_validation_time: z.number().nullable(),
  /** One point a day, oldest first: seven, or thirty for the range 30d. */
  weekly_trend: z.array(TrendPoint),
  /** What was tried a day, on average over the range. */
  daily_validations: z.number(),
  /** What fails now and is critical. */
  critical_failures: z.number().int(),
});
export type ValidationStatistics = z.infer<typeof ValidationStatistics>;

/** VAL-42. */
export const JitHealthMetrics = z.object({
  active_sessions: z.number().int(),
  /** Those that are not healthy. */
  sessions_with_validation_issues: z.number().int(),
  /** Those that end within the hour and whose account fails. */
  expiring_sessions_with_failures: z.number().int(),
  /** Percent of what was tried in the range on accounts while they were lent; null: nothing was. */
  jit_validation_success_rate: z.number().nullable(),
  /** Milliseconds; null: nothing was tried. */
  average_jit_validation_time: z.number().nullable(),
});
export type JitHealthMetrics = z.infer<typeof JitHealthMetrics>;

/** VAL-43. Counts are of now, the rate is of what was tried in the range. */
export const SystemHealthRow = z.object({
  system_type: z.string(),
  total_accounts: z.number().int(),
  verified: z.number().int(),
  failed: z.number().int(),
  success_rate: z.number().nullable(),
  last_validation: Moment.nullable(),
});
export type SystemHealthRow = z.infer<typeof SystemHealthRow>;

const rangeQuery = z.object({ range: ValidationRange.default("24h") });

export const readValidationDashboard = endpoint({
  method: "GET",
  path: "/api/v1/validation/dashboard",
  summary: "The Validation Dashboard's figures, over what the caller may see",
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

/** VAL-11: the matrix has a range of its own. */
export const readSystemHealth = endpoint({
  method: "GET",
  path: "/api/v1/validation/system-health",
  summary: "How each kind of system stands, most accounts first",
  query: rangeQuery,
  reply: z.object({ systems: z.array(SystemHealthRow) }),
  needs: "verification.read",
  audit: "none",
});

/** DASH-13. Counts over what the caller may see; `success_rate` is a percentage of the attempts of the last 24 hours. */
export const validationStatistics = endpoint({
  method: "GET",
  path: "/api/v1/validation/statistics",
  summary: "How many stored secrets are verified, pending, failed and never tried",
  reply: z.object({
    ...figures,
    success_rate: z.number(),
    /** Milliseconds. */
    average_validation_time: z.number(),
  }),
  needs: "verification.read",
  audit: "none",
});

/** VAL-35. Names are as they were when it was tried. */
export const ValidationAttempt = z.object({
  id: z.uuid(),
  ...StoredSecret.shape,
  verification_method: z.string(),
  status: ValidationStatus,
  error_message: z.string().nullable(),
  /** Null: it did not fail, or is under way. */
  error_category: ErrorCategory.nullable(),
  started_at: Moment,
  /** Milliseconds. */
  duration_ms: z.number().int().nullable(),
  triggered_by: z.string(),
});
export type ValidationAttempt = z.infer<typeof ValidationAttempt>;

const narrowing = {
  /** In name, user name or host. */
  search: z.string().trim().max(100).optional(),
  system: SystemFamily.optional(),
};

/** OPEN-131: over the whole filtered set. */
export const MOST_COUNTED = 10_000;
export const CountedTotal = z.number().int().max(MOST_COUNTED);

export const listValidationAttempts = endpoint({
  method: "GET",
  path: "/api/v1/validation/attempts",
  summary: "Verification attempts on what the caller may see, newest first",
  query: z.object({
    ...pageQuery(200, 50),
    ...narrowing,
    /** How the attempt went, not how the account stands now. */
    status: ValidationStatus.optional(),
    range: ValidationRange.default("24h"),
  }),
  reply: z.object({
    attempts: z.array(ValidationAttempt),
    /** All that match; 10,000 stands for that many or more. */
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

/** VAL-36: a stored secret whose last verification failed, and how long that has been so. */
export const ValidationFailure = z.object({
  /** The same as `account_id`. */
  id: z.uuid(),
  ...StoredSecret.shape,
  error_category: ErrorCategory,
  error_message: z.string(),
  severity: Severity,
  /** In a row, since it was last verified. */
  failure_count: z.number().int(),
  first_failed_at: Moment.nullable(),
  last_failed_at: Moment.nullable(),
  /** The grants in force on it that the caller may see. */
  associated_jit_sessions: z.array(SessionName),
  /** The caller may have it validated. */
  may_validate: z.boolean(),
});
export type ValidationFailure = z.infer<typeof ValidationFailure>;

export const listValidationFailures = endpoint({
  method: "GET",
  path: "/api/v1/validation/failures",
  summary: "What fails now, latest failure first",
  query: z.object({
    ...pageQuery(200, 50),
    ...narrowing,
    severity: Severity.optional(),
    /** API-90: only what failed then or later. */
    since: Moment.optional(),
  }),
  reply: z.object({
    failures: z.array(ValidationFailure),
    /** All that match. */
    total: z.number().int(),
    /** Of all that match but for the severity that was asked for. */
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
  /** VAL-41. `unknown`: nothing has tried it yet. */
  validation_status: z.enum(["verified", "pending", "failed", "unknown"]),
  /** It fails while it is lent. */
  is_critical: z.boolean(),
  last_validated_at: Moment.nullable(),
  /** Milliseconds. */
  response_time_ms: z.number().int().nullable(),
  error_message: z.string().nullable(),
  may_validate: z.boolean(),
});
export type JitAccount = z.infer<typeof JitAccount>;

/** VAL-38, VAL-39. `healthy`: verified; `critical`: it fails; `degraded`: whether it works is not known. */
export const JitSessionValidation = z.object({
  ...SessionName.shape,
  requester: z.string(),
  expires_at: Moment,
  overall_health: z.enum(["healthy", "degraded", "critical"]),
  accounts: z.array(JitAccount),
});
export type JitSessionValidation = z.infer<typeof JitSessionValidation>;

/** One's own grants in force, and those that one oversees. */
export const listJitSessions = endpoint({
  method: "GET",
  path: "/api/v1/validation/jit-sessions",
  summary: "The grants in force and whether what is lent works, soonest end first",
  query: z.object({
    ...pageQuery(200, 50),
    /** API-87: there are no others. */
    status: z.literal("active").optional(),
    has_validation_issues: z.stringbool().optional(),
  }),
  reply: z.object({
    sessions: z.array(JitSessionValidation),
    total: z.number().int(),
    /** VAL-26: over all of them. */
    with_issues: z.number().int(),
    next_cursor: z.string().nullable(),
  }),
  needs: "verification.read",
  audit: "none",
});

/** API-86: one of `listJitSessions`; 404 for a grant that is over or that the caller may not see. */
export const readJitSession = endpoint({
  method: "GET",
  path: "/api/v1/validation/jit-sessions/:id",
  summary: "Whether what one grant lends works",
  params: z.object({ id: AccessRequestId }),
  reply: JitSessionValidation,
  needs: "verification.read",
  audit: "none",
});

/**
 * OPEN-125 to OPEN-128. Each is decided on its own: what the caller may not have validated is named, the rest is tried in
 * the background. Without `force`, what its target has refused already is left alone, so that nothing gets locked.
 */
export const triggerValidation = endpoint({
  method: "POST",
  path: "/api/v1/validation/trigger",
  summary: "Validate accounts and own credentials in the background",
  body: z.strictObject({ accountIds: z.array(z.uuid()).min(1).max(1000), force: z.boolean().default(false) }),
  reply: z.object({
    /** Null: nothing was left to try. */
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

/** VAL-71. */
export const REPORT_FIELDS = [
  "account_name",
  "hostname",
  "validation_status",
  "last_validation_date",
  "system_type",
] as const;

const report = {
  date_range: z
    .strictObject({ start: Moment, end: Moment })
    .refine(({ start, end }) => start < end, { path: ["end"], message: "The end must be after the start" }),
  include_fields: z
    .array(z.enum(REPORT_FIELDS))
    .min(1)
    .max(REPORT_FIELDS.length)
    .default([...REPORT_FIELDS]),
};

/** VAL-70. What the caller may see, each with how it stands; `date_range` bounds the figures on the second sheet. */
export const exportValidationReport = endpoint({
  method: "POST",
  path: "/api/v1/validation/report",
  summary: "The validation report as a spreadsheet",
  body: z.strictObject({ format: z.literal("xlsx").default("xlsx"), ...report }),
  reply: { stream: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
  needs: "verification.read",
  audit: "validation.exported",
  gives: "nothing",
  stepUp: true,
});

/** The same as JSON: `accounts`, `filters`, `statistics`, `exported_at`, `total_records`. */
export const exportValidationJson = endpoint({
  method: "POST",
  path: "/api/v1/validation/report.json",
  summary: "The validation report as JSON",
  body: z.strictObject(report),
  reply: { stream: "application/json" },
  needs: "verification.read",
  audit: "validation.exported",
  gives: "nothing",
  stepUp: true,
});
