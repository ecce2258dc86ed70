// Formats an entry as one line for other tools: JSON, RFC 5424, CEF or OCSF.
import type { AuditFormat } from "@strongroom/contract";
import { canonicalise, cefLine, decodeEntry, ocsfEvent, syslogLine } from "@strongroom/auditlog";
import type { AuditEntry } from "@strongroom/auditlog";
import { version } from "#kernel/version.ts";

/** An entry and its leaf index; null while it is pending. */
export interface PlacedEntry {
  index: number | null;
  canonical: Buffer;
}

/**
 * One line without its newline; the entry's content cannot start another line. Every format contains the entry's id and
 * index. An entry that was overwritten in the database gets its line too, so that a receiver that counts indexes misses
 * none.
 */
export function formatEntry(format: AuditFormat, { index, canonical }: PlacedEntry, host: string): string {
  const entry = readEntry(canonical);
  switch (format) {
    case "json":
      return canonicalise({ entry, index });
    case "rfc5424":
      return syslogLine({ entry, index }, { hostname: host });
    case "cef":
      return cefLine({ entry, index }, { version });
    case "ocsf":
      return canonicalise(ocsfEvent({ entry, index }, { version }));
    default:
      return format satisfies never;
  }
}

function readEntry(canonical: Buffer): AuditEntry {
  try {
    return decodeEntry(canonical);
  } catch {
    return unreadable(canonical);
  }
}

const unreadable = (canonical: Buffer): AuditEntry => ({
  v: 1,
  id: "00000000-0000-0000-0000-000000000000",
  at: "1970-01-01T00:00:00.000Z",
  actor: { system: "audit" },
  event: "audit.unreadable",
  result: "warning",
  severity: "critical",
  details: { bytes: canonical.toString("base64") },
});
