// Formats an entry as a line in the format of the sink.
import {
  canonicalise,
  cefLine,
  decodeEntry,
  encodeEntry,
  entryLine,
  leafHash,
  ocsfEvent,
  syslogLine,
} from "@strongroom/auditlog";
import type { AuditEntry, LoggedEntry } from "@strongroom/auditlog";
import type { AuditSinkFormat } from "@strongroom/contract";
import type { PlacedEntry } from "#features/audit/index.ts";
import { systemEntry } from "#kernel/audit/entry.ts";

/** The host name and version that the lines report as their sender. */
export interface Sender {
  hostname: string;
  version: string;
}

/** One line without its newline. */
export function lineOf(logged: LoggedEntry, format: AuditSinkFormat, { hostname, version }: Sender): string {
  switch (format) {
    case "json":
      return jsonOf(logged);
    case "rfc5424":
      return syslogLine(logged, { hostname });
    case "cef":
      return cefLine(logged, { version });
    case "ocsf":
      return canonicalise(ocsfEvent(logged, { version }));
  }
}

/** Always an RFC 5424 message; the other formats become its message text. */
export function syslogOf(logged: LoggedEntry, format: AuditSinkFormat, sender: Sender): string {
  const { hostname } = sender;
  if (format === "rfc5424") return syslogLine(logged, { hostname });
  return syslogLine(logged, { hostname, message: (each) => lineOf(each, format, sender) });
}

/** The same JSON as in an export, so that a receiver can verify the lines. */
function jsonOf({ entry, index }: LoggedEntry): string {
  const canonical = encodeEntry(entry);
  if (index === null) return `{"entry":${canonical.toString("utf8")}}`;
  return entryLine({ index, canonical, leafHash: leafHash(canonical) });
}

/**
 * Decodes the entry of a leaf. INVARIANT: an entry that is missing, or differs from the recorded one, is never skipped
 * or passed on as genuine: a message about it takes its place.
 */
export function loggedOf({ index, leafHash: recorded, canonical }: PlacedEntry, now: Date): LoggedEntry {
  const entry = canonical !== null && leafHash(canonical).equals(recorded) ? decoded(canonical) : null;
  if (entry !== null) return { entry, index };
  const what = canonical === null ? "is missing from" : "was changed in";
  const reason = `Entry ${index} ${what} the database.`;
  return { entry: systemEntry("audit.tampering-found", "audit", { result: "failure", reason }, now), index };
}

function decoded(canonical: Buffer): AuditEntry | null {
  try {
    return decodeEntry(canonical);
  } catch {
    return null; // The caller reports the invalid entry.
  }
}

export const testEntry = (name: string, now: Date): LoggedEntry => ({
  entry: systemEntry("audit-sink.tested", "audit", { result: "info", reason: `A test message for "${name}".` }, now),
  index: null,
});
