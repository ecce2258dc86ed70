// The proofs of the audit trail: checkpoints, exports for the offline verifier, evidence bundles and contradictions.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AuditEntryId, Moment, manyLines } from "./fields.ts";

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
