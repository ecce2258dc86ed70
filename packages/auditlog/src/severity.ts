// The severity of an entry: recorded, or derived from the event and its result.
import type { AuditEntry, AuditResult, AuditSeverity, RecordedSeverity } from "./entry.ts";

/** Severe whatever the result. */
const SEVERE: Readonly<Record<string, RecordedSeverity>> = {
  "audit.tampering-found": "critical",
  "audit-witness.fork-refused": "critical",
  "audit-sink.delivery-failing": "high",
  "access-request.broken-glass": "high",
  "seal.sealed": "high",
  "seal.rekeyed": "high",
};

/** The severity that an entry records; undefined for routine, which reads as `low`. */
export function severityToRecord(event: string, result: AuditResult): RecordedSeverity | undefined {
  return SEVERE[event] ?? (result === "failure" || result === "warning" ? "medium" : undefined);
}

export const severityOf = (entry: AuditEntry): AuditSeverity => entry.severity ?? "low";
