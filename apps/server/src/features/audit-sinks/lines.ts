// An entry as a line of the format that a sink wants.
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
import type { AuditEntry, Logged } from "@strongroom/auditlog";
import type { AuditSinkFormat } from "@strongroom/contract";
import type { PlacedEntry } from "#features/audit/index.ts";
import { systemEntry } from "#kernel/audit/entry.ts";

/** Who the lines say they come from. */
export interface Sender {
  hostname: string;
  version: string;
}

/** One line without its end. */
export function lineOf(logged: Logged, format: AuditSinkFormat, { hostname, version }: Sender): string {
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

/** Always an RFC 5424 message: the other formats stand in it as what is said. */
export function syslogOf(logged: Logged, format: AuditSinkFormat, sender: Sender): string {
  const { hostname } = sender;
  if (format === "rfc5424") return syslogLine(logged, { hostname });
  return syslogLine(logged, { hostname, message: (each) => lineOf(each, format, sender) });
}

/** As in an export, so that whoever holds the lines can check them. */
function jsonOf({ entry, index }: Logged): string {
  const canonical = encodeEntry(entry);
  if (index === null) return `{"entry":${canonical.toString("utf8")}}`;
  return entryLine({ index, canonical, leafHash: leafHash(canonical) });
}

/**
 * What is sent in the place of a leaf. INVARIANT: an entry that is gone, or is not the one that was recorded, is not passed
 * on as if nothing had happened: a message about it takes its place.
 */
export function loggedOf({ index, leafHash: recorded, canonical }: PlacedEntry, now: Date): Logged {
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
    return null; // The caller says so.
  }
}

export const testEntry = (name: string, now: Date): Logged => ({
  entry: systemEntry("audit-sink.tested", "audit", { result: "info", reason: `A test message for "${name}".` }, now),
  index: null,
});
