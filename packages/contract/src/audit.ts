// The audit trail as people read it, and what lets somebody check it who does not trust us.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AuditEntryId, Moment, UserId, pageQuery } from "./fields.ts";

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

export const listAuditEntries = endpoint({
  method: "GET",
  path: "/api/v1/audit",
  summary: "The audit trail, newest first",
  query: z.object({
    ...pageQuery(200, 25),
    event: z.string().max(100).optional(),
    result: AuditResult.optional(),
    actor_id: UserId.optional(),
    target_id: z.string().max(100).optional(),
    from: Moment.optional(),
    to: Moment.optional(),
  }),
  reply: z.object({ logs: z.array(AuditLogEntry), next_cursor: z.string().nullable() }),
  needs: "audit.read",
  audit: "none",
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
});
