// The audit trail for readers, and the proofs with which an auditor can verify it independently.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AuditEntryId, DateRange, Moment, UserId, manyLines, pageQuery } from "./fields.ts";
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
  "account.dependent-updated",
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
  "restore.found",
  "restore.marked",
  "backup.started",
  "credential.rotated",
  "credential.version-mismatch",
  "credential.versions-bound",
  "identity-provider.person-bound",
  "platform.reconcile-not-ready",
  "privileged-session.ended",
  "privileged-session.files-used",
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
  /** API-88, API-89: restricts the list further than `from` and `to`. */
  date_range: DateRange.optional(),
};
export const AuditFilter = z.object(auditFilter);
export type AuditFilter = z.infer<typeof AuditFilter>;

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
    /** As in `countAuditEntries`; only with an offset. */
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

/** C2SP tlog-checkpoint: origin, size, root hash, signature. */
export const readCheckpoint = endpoint({
  method: "GET",
  path: "/api/v1/audit/checkpoint",
  summary: "The newest signed checkpoint and the key that verifies it",
  reply: z.object({
    checkpoint: z.string().nullable(),
    size: z.number().int(),
    signed_at: Moment.nullable(),
    /** Entries that are durable but not yet in the tree. */
    pending: z.number().int(),
    verifier_key: z.string(),
  }),
  needs: "audit.read",
  audit: "none",
});

export const exportAudit = endpoint({
  method: "GET",
  path: "/api/v1/audit/export",
  summary: "The whole trail with its checkpoints as JSON Lines, for the offline verifier",
  reply: { stream: "application/jsonl" },
  needs: "audit.export",
  audit: "audit.exported",
  stepUp: true,
});

/** The index of an entry in the tree, and its proof (RFC 9162). Hashes in base64. */
export const readInclusionProof = endpoint({
  method: "GET",
  path: "/api/v1/audit/:id/proof",
  summary: "The inclusion proof of one entry",
  params: z.object({ id: AuditEntryId }),
  reply: z.object({
    leaf_index: z.number().int(),
    leaf_hash: z.string(),
    tree_size: z.number().int(),
    root_hash: z.string(),
    /** From the leaf to the root. */
    hashes: z.array(z.string()),
    /** Signs `tree_size` and `root_hash`. */
    checkpoint: z.string(),
    signed_at: Moment,
  }),
  needs: "audit.read",
  audit: "none",
  thing: "audit-entry",
});

/** The subjects of an evidence bundle. */
export const EVIDENCE_SUBJECTS = ["access-request", "account", "user"] as const;
export const EvidenceSubject = z.enum(EVIDENCE_SUBJECTS);
export type EvidenceSubject = z.infer<typeof EvidenceSubject>;

export const MOST_EVIDENCE = 10_000;

/**
 * An access request: its whole grant and everything that followed. An account or a person: all actions by and on them.
 */
export const exportEvidenceBundle = endpoint({
  method: "GET",
  path: "/api/v1/audit/bundle",
  summary: "All audit entries about a request, an account or a person, each with its proof, for the offline verifier",
  query: z.object({
    about: EvidenceSubject,
    id: z.uuid(),
    /** Both times are included. */
    from: Moment.optional(),
    to: Moment.optional(),
  }),
  reply: { stream: "application/jsonl" },
  needs: "audit.export",
  audit: "audit.exported",
  stepUp: true,
});

export const exportEvidence = endpoint({
  method: "GET",
  path: "/api/v1/audit/:id/evidence",
  summary: "One entry with its inclusion proof and the checkpoint, for the offline verifier",
  params: z.object({ id: AuditEntryId }),
  reply: { stream: "application/jsonl" },
  needs: "audit.export",
  audit: "audit.exported",
  thing: "audit-entry",
  stepUp: true,
});

export const verifyAudit = endpoint({
  method: "POST",
  path: "/api/v1/audit/verify",
  summary: "Check every stored entry against the tree and the signed checkpoints",
  reply: z.object({
    is_intact: z.boolean(),
    checked: z.number().int(),
    findings: z.array(z.object({ kind: z.string(), leaf_index: z.number().int().nullable(), message: z.string() })),
    checkpoint: z.string().nullable(),
  }),
  needs: "audit.verify",
  audit: "audit.verified",
  gives: "nothing",
});

/** A difference between the database and evidence of the audit trail outside it. */
export const Contradiction = z.object({
  id: z.uuid(),
  /** `checkpoint`, `tree`, `signing-key`, `witness`, `sink`, `sink-cursor` or `pending`. */
  source: z.string(),
  kind: z.string(),
  message: z.string(),
  leaf_index: z.number().int().nullable(),
  /** Whether the contradiction stops signing while it is open. */
  stops_signing: z.boolean(),
  /** The signed checkpoint that the database does not extend. */
  known_checkpoint: z.string().nullable(),
  /** The newest checkpoint in the database at that time. */
  stored_checkpoint: z.string().nullable(),
  found_at: Moment,
  accepted_at: Moment.nullable(),
  accepted_by: z.string().nullable(),
  reason: z.string().nullable(),
});
export type Contradiction = z.infer<typeof Contradiction>;

export const listContradictions = endpoint({
  method: "GET",
  path: "/api/v1/audit/contradictions",
  summary: "Contradictions of the audit trail, and the decisions of administrators about them",
  reply: z.object({
    /** Oldest first. */
    open: z.array(Contradiction),
    /** The newest 50. */
    accepted: z.array(Contradiction),
    /** The newest stored checkpoint, from which the log would continue. */
    checkpoint: z.string().nullable(),
    size: z.number().int(),
  }),
  needs: "audit.read",
  audit: "none",
});

/** Only users can call this: no scope of an API token allows it. */
export const acceptContradictions = endpoint({
  method: "POST",
  path: "/api/v1/audit/contradictions/accept",
  summary: "Accept the database as it is, after reading the contradictions",
  body: z.strictObject({
    /** All open contradictions. */
    ids: z.array(z.uuid()).min(1).max(10_000),
    /** As returned by `listContradictions`. */
    checkpoint: z
      .string()
      .max(64 * 1024)
      .nullable(),
    reason: manyLines().min(1).max(1000),
  }),
  reply: z.object({ accepted: z.number().int(), checkpoint: z.string().nullable() }),
  needs: "audit.decide",
  audit: "audit.contradiction-accepted",
  gives: "nothing",
  stepUp: true,
});
