// The audit trail for readers: its entries, filters and exports.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AuditEntryId, DateRange, Moment, UserId, pageQuery } from "./fields.ts";
import { Severity } from "./validation.ts";

export const AUDIT_RESULTS = ["success", "failure", "warning", "info"] as const;
export const AuditResult = z.enum(AUDIT_RESULTS);
export type AuditResult = z.infer<typeof AuditResult>;

/** The export formats of an entry, one line each. */
export const AUDIT_FORMATS = ["json", "rfc5424", "cef", "ocsf"] as const;
export const AuditFormat = z.enum(AUDIT_FORMATS);
export type AuditFormat = z.infer<typeof AuditFormat>;

/** One entry in lists (SHELL-35). */
export const AuditLogEntry = z.object({
  id: AuditEntryId,
  /** In words, such as "Credential revealed". */
  action: z.string(),
  /** As recorded, such as `credential.revealed`. */
  event: z.string(),
  result: AuditResult,
  summary: z.string(),
  /** Reason, address, duration, target: everything recorded; never a secret. */
  metadata: z.record(z.string(), z.json()),
  user: z.object({ id: UserId.nullable(), name: z.string(), email: z.string().nullable() }),
  timestamp: Moment,
  target: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }).nullable(),
  /** The entry's index in the tree; null until the sequencer has added the entry (about a second). */
  leaf_index: z.number().int().nullable(),
});
export type AuditLogEntry = z.infer<typeof AuditLogEntry>;

/** A page of the audit entries about one object, newest first. */
export const HistoryPage = z.object({ history: z.array(AuditLogEntry), next_cursor: z.string().nullable() });

/** AUDIT-15. Pending entries neither succeeded nor failed: started actions, and those that need attention. */
export const AUDIT_STATUSES = ["success", "failure", "pending"] as const;
export const AuditStatus = z.enum(AUDIT_STATUSES);
export type AuditStatus = z.infer<typeof AuditStatus>;

/** AUDIT-14. The second and third are for verifications under a just-in-time grant. */
export const VERIFICATION_EVENT_TYPES = [
  "account_verification",
  "jit_account_verification",
  "jit_critical_verification_failure",
] as const;
export const VerificationEventType = z.enum(VERIFICATION_EVENT_TYPES);
export type VerificationEventType = z.infer<typeof VerificationEventType>;

/** One entry in the audit trail's own lists and JSON export (AUDIT-13, AUDIT-16). */
export const AuditLog = AuditLogEntry.extend({
  /** Null when the entry is not about the verification of a secret. */
  event_type: VerificationEventType.nullable(),
  status: AuditStatus,
  account_name: z.string().nullable(),
  /** The grant under which the event happened. */
  session_name: z.string().nullable(),
  user_email: z.string().nullable(),
  verification_method: z.string().nullable(),
  error_message: z.string().nullable(),
  details: z.object({
    hostname: z.string().nullable(),
    system_type: z.string().nullable(),
    duration_ms: z.number().nullable(),
    severity: Severity,
    triggered_by: z.string().nullable(),
  }),
  /** Only in lists with `attempts=grouped`: the entry that recorded the start of this verification. */
  started: AuditLogEntry.nullable().optional(),
});
export type AuditLog = z.infer<typeof AuditLog>;

/** Events that no call declares in `audit`: those of the product itself and of the command line. */
export const EVENTS_WITHOUT_CALL = [
  "access-request.ended",
  "account.dependent-mismatch",
  "account.dependent-updated",
  "account.dependents-bound",
  "account.password-taken-over",
  "account.rotated",
  "account.validation-asked",
  "audit-sink.delivery-failing",
  "audit-sink.delivery-resumed",
  "audit-witness.fork-refused",
  "audit.tampering-found",
  "backup.completed",
  "backup.drilled",
  "backup.restored",
  "discovery.range-scan-completed",
  "discovery.range-scan-failed",
  "discovery.range-scan-started",
  "discovery.account-onboarded",
  "discovery.onboarding-failed",
  "discovery.rule-applied",
  "discovery.scan-completed",
  "discovery.scan-failed",
  "discovery.scan-scheduled",
  "discovery.scan-started",
  "discovery.target-found",
  "report.failed",
  "report.generated",
  "restore.found",
  "restore.marked",
  "backup.started",
  "credential.rotated",
  "finding.auto-vaulted",
  "credential.version-mismatch",
  "credential.versions-bound",
  "identity-provider.person-bound",
  "platform.reconcile-not-ready",
  "privileged-session.ended",
  "privileged-session.files-used",
  "privileged-session.login-rejected",
  "privileged-session.refused",
  "privileged-session.risk-raised",
  "privileged-session.started",
  "privileged-session.watched",
  "recording.chunks-stored",
  "recording.closed",
  "recording.deleted",
  "rotation.secret-used",
  "sign-in.spraying-suspected",
  "rotation.stopped",
  "scan.completed",
  "scan.failed",
  "scan.schedule-stopped",
  "scan.scheduled",
  "scan.started",
  "seal.rekeyed",
  "session.second-step-required",
  "setup.link-issued",
  "token.refused",
  "vault.closed",
  "vault.opened",
  "verification.started",
] as const;

/** The tabs of AUDIT-02. */
export const AUDIT_VIEWS = ["all", "regular", "jit", "critical"] as const;
export const AuditView = z.enum(AUDIT_VIEWS);
export type AuditView = z.infer<typeof AuditView>;

const auditFilter = {
  /** Part of the name of a person, object, host, ticket or event; or an id. Every name recorded for an object matches. */
  search: z.string().trim().max(200).optional(),
  /** API-88: the same as `search`. */
  search_term: z.string().trim().max(200).optional(),
  view: AuditView.default("all"),
  /** `verification`: only entries about the verification of secrets. */
  scope: z.enum(["everything", "verification"]).default("everything"),
  status: AuditStatus.optional(),
  severity: Severity.optional(),
  event: z.string().max(100).optional(),
  /** API-88: only entries about the verification of secrets, by kind. */
  event_type: VerificationEventType.optional(),
  /** Only entries about rights, emergency access, sign-in methods, policies and the vault itself. */
  notable: z.stringbool().optional(),
  result: AuditResult.optional(),
  actor_id: UserId.optional(),
  target_id: z.string().max(100).optional(),
  /** API-89: events under one just-in-time grant. */
  grant_id: z.uuid().optional(),
  /** API-89: the same as `grant_id`. */
  session_id: z.uuid().optional(),
  /** Both times are included. */
  from: Moment.optional(),
  to: Moment.optional(),
  /** API-88, API-89: restricts the list in addition to `from` and `to`. */
  date_range: DateRange.optional(),
};
export const AuditFilter = z.object(auditFilter);
export type AuditFilter = z.infer<typeof AuditFilter>;

const MOST_SEARCHED = 100;

/** AUDIT-05: the tabs on which entries can be filtered by severity. */
export const hasSeverities = (view: AuditView): boolean => view === "all" || view === "critical";

/**
 * The filter in the parts of a list's address, without its days, which depend on the time zone of the browser. Ignores
 * unknown parts and values.
 */
export function auditFilterIn(parts: Readonly<Record<string, string | undefined>>) {
  const view = AuditView.safeParse(parts["view"]).data ?? "all";
  const search = (parts["search"] ?? "").trim().slice(0, MOST_SEARCHED);
  return {
    view,
    search: search === "" ? undefined : search,
    status: AuditStatus.safeParse(parts["status"]).data,
    severity: hasSeverities(view) ? Severity.safeParse(parts["severity"]).data : undefined,
    event: parts["event"] === "" ? undefined : parts["event"]?.slice(0, MOST_SEARCHED),
    actor_id: UserId.safeParse(parts["actor"]).data,
    target_id: z.uuid().safeParse(parts["target"]).data,
  } satisfies Partial<AuditFilter>;
}

/** Above this number, entries are not counted exactly. */
export const MOST_AUDIT_COUNTED = 10_000;

/** `grouped`: folds the start of a verification into its result, unless the filter selects such entries. */
const Attempts = z.enum(["separate", "grouped"]).default("separate");

/**
 * API-88. Page with the cursor, which stays correct while entries are added. `offset` skips that many of the current
 * entries; it excludes a cursor, and the reply then includes the total. An offset reaches 10,000 entries; continue
 * from there with the cursor.
 */
export const listAuditEntries = endpoint({
  method: "GET",
  path: "/api/v1/audit",
  summary: "The audit trail, newest first",
  query: z
    .object({
      ...pageQuery(200, 25),
      offset: z.coerce.number().int().min(0).max(MOST_AUDIT_COUNTED).optional(),
      attempts: Attempts,
      ...auditFilter,
    })
    .refine(({ cursor, offset }) => cursor === undefined || offset === undefined, {
      path: ["offset"],
      message: "Use a cursor or an offset, not both",
    }),
  reply: z.object({
    logs: z.array(AuditLog),
    /** The total as in `countAuditEntries`; present only for requests with an offset. */
    total: z.number().int().optional(),
    is_exact: z.boolean().optional(),
    next_cursor: z.string().nullable(),
  }),
  needs: "audit.read",
  audit: "none",
});

/** AUDIT-07, OPEN-131: counts all entries that match the filter, not only those on the page. */
export const countAuditEntries = endpoint({
  method: "GET",
  path: "/api/v1/audit/counts",
  summary: "The number of matching audit entries, by result",
  query: AuditFilter.extend({ attempts: Attempts }),
  reply: z.object({
    total: z.number().int(),
    successful: z.number().int(),
    failed: z.number().int(),
    /** Entries under a just-in-time grant. */
    jit: z.number().int(),
    /** False when there are more and only the newest `MOST_AUDIT_COUNTED` were counted. */
    is_exact: z.boolean(),
  }),
  needs: "audit.read",
  audit: "none",
});

/** AUDIT-19. */
export const MOST_AUDIT_EXPORTED = 10_000;

/** AUDIT-20 with `format=json`; the other formats are one line per entry. Without proofs: `exportAudit` has them. */
export const exportAuditLogs = endpoint({
  method: "GET",
  path: "/api/v1/audit/logs",
  summary: "The newest entries that match, as JSON, CSV, or lines for a SIEM",
  query: z.object({
    ...auditFilter,
    format: z.enum([...AUDIT_FORMATS, "csv"]).default("json"),
    limit: z.coerce.number().int().min(1).max(MOST_AUDIT_EXPORTED).default(MOST_AUDIT_EXPORTED),
    /** API-91. Skips this many of the newest entries. */
    offset: z.coerce.number().int().min(0).max(MOST_AUDIT_COUNTED).default(0),
  }),
  reply: { stream: "application/octet-stream" },
  needs: "audit.export",
  audit: "audit.exported",
  stepUp: true,
});

/** The content of the JSON export (AUDIT-20). */
export const AuditExport = z.object({
  logs: z.array(AuditLog),
  filters: z.record(z.string(), z.string()),
  exported_at: Moment,
  /** The number of `logs`. */
  total_records: z.number().int(),
});
