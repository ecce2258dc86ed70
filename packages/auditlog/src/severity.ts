// How grave an entry is: what the recording part said, or what follows from the event and how it ended.
import type { AuditEntry, AuditResult, AuditSeverity, RecordedSeverity } from "./entry.ts";

/** Whatever came of it, somebody should look. */
const GRAVE: Readonly<Record<string, RecordedSeverity>> = {
  "audit.tampering-found": "critical",
  "audit-witness.fork-refused": "critical",
  "audit-sink.delivery-failing": "high",
  "access-request.broken-glass": "high",
  "seal.sealed": "high",
  "seal.rekeyed": "high",
};

/** What an entry records of its own severity; undefined for routine, which reads as `low`. */
export function severityToRecord(event: string, result: AuditResult): RecordedSeverity | undefined {
  return GRAVE[event] ?? (result === "failure" || result === "warning" ? "medium" : undefined);
}

export const severityOf = (entry: AuditEntry): AuditSeverity => entry.severity ?? "low";
