// The audit trail as people read it, and what lets somebody check it who does not trust us.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AuditEntryId, Moment, UserId, manyLines, pageQuery } from "./fields.ts";
import { Severity } from "./validation.ts";

export const AUDIT_RESULTS = ["success", "failure", "warning", "info"] as const;
export const AuditResult = z.enum(AUDIT_RESULTS);
export type AuditResult = z.infer<typeof AuditResult>;

/** What one entry is written in for other tools: a line each. */
export const AUDIT_FORMATS = ["json", "rfc5424", "cef", "ocsf"] as const;
export const AuditFormat = z.enum(AUDIT_FORMATS);
export type AuditFormat = z.infer<typeof AuditFormat>;

/** One entry as lists show it (SHELL-35). */
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
  /** Its place in the tree; null until the sequencer has put it there (about a second). */
  leaf_index: z.number().int().nullable(),
});
export type AuditLogEntry = z.infer<typeof AuditLogEntry>;

/** AUDIT-15. Pending is what neither succeeded nor failed: what was begun, and what needs a look. */
export const AUDIT_STATUSES = ["success", "failure", "pending"] as const;
export const AuditStatus = z.enum(AUDIT_STATUSES);
export type AuditStatus = z.infer<typeof AuditStatus>;

/** AUDIT-14. The second and third: while the account was lent (just-in-time access). */
export const VERIFICATION_EVENT_TYPES = [
  "account_verification",
  "jit_account_verification",
  "jit_critical_verification_failure",
] as const;

/** One entry as the audit trail's own lists and its JSON export hold it (AUDIT-13, AUDIT-16). */
export const AuditLog = AuditLogEntry.extend({
  /** Null: it is about something else than the verification of a secret. */
  event_type: z.enum(VERIFICATION_EVENT_TYPES).nullable(),
  status: AuditStatus,
  account_name: z.string().nullable(),
  /** The grant under which it happened. */
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
});
export type AuditLog = z.infer<typeof AuditLog>;

/** What is recorded beside the events that calls name in `audit`: the product's own doing, and the command line's. */
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
  "identity-provider.person-bound",
  "platform.reconcile-not-ready",
  "rotation.secret-used",
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
  /** Part of what a person, a thing, its host or ticket, or an event is called; or an id. Each has been searched since it was recorded. */
  search: z.string().trim().max(200).optional(),
  /** API-88: the same as `search`. */
  search_term: z.string().trim().max(200).optional(),
  view: AuditView.default("all"),
  /** `verification`: only what the verification of secrets recorded. */
  scope: z.enum(["everything", "verification"]).default("everything"),
  status: AuditStatus.optional(),
  severity: Severity.optional(),
  event: z.string().max(100).optional(),
  result: AuditResult.optional(),
  actor_id: UserId.optional(),
  target_id: z.string().max(100).optional(),
  /** API-89: what happened under one grant of just-in-time access. */
  grant_id: z.uuid().optional(),
  /** API-89: the same as `grant_id`. */
  session_id: z.uuid().optional(),
  /** Both included. */
  from: Moment.optional(),
  to: Moment.optional(),
};
export const AuditFilter = z.object(auditFilter);
export type AuditFilter = z.infer<typeof AuditFilter>;

/** More than this is not counted one by one. */
export const MOST_AUDIT_COUNTED = 10_000;

/**
 * API-88. Whoever reads page after page passes the cursor, which stays right while entries are added. With `offset` that many
 * entries are left out at the beginning, as they stand now; it goes without a cursor, and the answer says how many there are.
 * An offset reaches 10,000 entries; the cursor goes on from there.
 */
export const listAuditEntries = endpoint({
  method: "GET",
  path: "/api/v1/audit",
  summary: "The audit trail, newest first",
  query: z
    .object({
      ...pageQuery(200, 25),
      offset: z.coerce.number().int().min(0).max(MOST_AUDIT_COUNTED).optional(),
      ...auditFilter,
    })
    .refine(({ cursor, offset }) => cursor === undefined || offset === undefined, {
      path: ["offset"],
      message: "A page begins at a cursor or at an offset, not at both",
    }),
  reply: z.object({
    logs: z.array(AuditLog),
    /** As `countAuditEntries` says it; only where an offset was asked for. */
    total: z.number().int().optional(),
    is_exact: z.boolean().optional(),
    next_cursor: z.string().nullable(),
  }),
  needs: "audit.read",
  audit: "none",
});

/** AUDIT-07, OPEN-131: over all that the filter lets through, not the page. */
export const countAuditEntries = endpoint({
  method: "GET",
  path: "/api/v1/audit/counts",
  summary: "How many entries of the audit trail match, and how they ended",
  query: AuditFilter,
  reply: z.object({
    total: z.number().int(),
    successful: z.number().int(),
    failed: z.number().int(),
    /** Under a grant of just-in-time access. */
    jit: z.number().int(),
    /** False: there are more, and only the newest `MOST_AUDIT_COUNTED` were counted. */
    is_exact: z.boolean(),
  }),
  needs: "audit.read",
  audit: "none",
});

/** AUDIT-19. */
export const MOST_AUDIT_EXPORTED = 10_000;

/** AUDIT-20 with `format=json`; the others are one line for each entry. Without proofs: `exportAudit` has them. */
export const exportAuditLogs = endpoint({
  method: "GET",
  path: "/api/v1/audit/logs",
  summary: "The newest entries that match, as JSON, CSV, or lines for a SIEM",
  query: z.object({
    ...auditFilter,
    format: z.enum([...AUDIT_FORMATS, "csv"]).default("json"),
    limit: z.coerce.number().int().min(1).max(MOST_AUDIT_EXPORTED).default(MOST_AUDIT_EXPORTED),
  }),
  reply: { stream: "application/octet-stream" },
  needs: "audit.export",
  audit: "audit.exported",
  stepUp: true,
});

/** What the JSON export holds (AUDIT-20). */
export const AuditExport = z.object({
  logs: z.array(AuditLog),
  filters: z.record(z.string(), z.string()),
  exported_at: Moment,
  /** Of `logs`. */
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
    /** Entries that are durable and wait for their place in the tree. */
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

/** Where an entry stands in the tree, and what proves it (RFC 9162). Hashes in base64. */
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

/** What a bundle of evidence can be about. */
export const EVIDENCE_SUBJECTS = ["access-request", "account", "user"] as const;
export const EvidenceSubject = z.enum(EVIDENCE_SUBJECTS);
export type EvidenceSubject = z.infer<typeof EvidenceSubject>;

export const MOST_EVIDENCE = 10_000;

/** An access request: all of its grant and what followed from it. An account or a person: all that they did or had done to them. */
export const exportEvidenceBundle = endpoint({
  method: "GET",
  path: "/api/v1/audit/bundle",
  summary: "Everything on record about a request, an account or a person, each entry proven, for the offline verifier",
  query: z.object({
    about: EvidenceSubject,
    id: z.uuid(),
    /** Both included. */
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

/** A difference between the database and what is known of the audit trail outside of it. */
export const Contradiction = z.object({
  id: z.uuid(),
  /** `checkpoint`, `tree`, `signing-key`, `witness`, `sink`, `sink-cursor` or `pending`. */
  source: z.string(),
  kind: z.string(),
  message: z.string(),
  leaf_index: z.number().int().nullable(),
  /** Whether it stops signing while it is open. */
  stops_signing: z.boolean(),
  /** The signed checkpoint that the database does not continue. */
  known_checkpoint: z.string().nullable(),
  /** The newest checkpoint in the database when it was found. */
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

/** For people only: no scope of an API token opens it. */
export const acceptContradictions = endpoint({
  method: "POST",
  path: "/api/v1/audit/contradictions/accept",
  summary: "Accept the database as it is, after reading the contradictions",
  body: z.strictObject({
    /** All that are open. */
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
