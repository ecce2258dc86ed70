// The audit log: canonical entries, the tree over them, signed checkpoints, proofs, and a verifier that needs no server.
export { canonicalise } from "./canonical-json.ts";
export type { Json } from "./canonical-json.ts";
export { AUDIT_RESULTS, decodeEntry, encodeEntry } from "./entry.ts";
export type { AuditActor, AuditEntry, AuditResult } from "./entry.ts";
export { EMPTY_FRONTIER, appendLeaves, leafHash, nodeHash, rootHash } from "./tree.ts";
export type { Appended, NodeAddress, TreeFrontier, TreeNode } from "./tree.ts";
export { consistencyProof, frontierAt, inclusionProof, verifyConsistency, verifyInclusion } from "./proofs.ts";
export type { ReadNodes } from "./proofs.ts";
export { encodeVerifierKey, noteSigner, parseVerifierKey } from "./signed-note.ts";
export type { NoteSigner, NoteVerifier } from "./signed-note.ts";
export { parseCheckpoint, signCheckpoint, verifyCheckpoint } from "./checkpoint.ts";
export type { Checkpoint, VerifiedCheckpoint } from "./checkpoint.ts";
export { checkpointLine, entryLine, headerLine } from "./export-format.ts";
export { verifyExport } from "./verify-export.ts";
export { compareStored } from "./stored.ts";
export type { StoredLeaf, StoredLog } from "./stored.ts";
export type { Finding, FindingKind, VerifyReport } from "./findings.ts";
