// Turns recorded entries into the readable rows of the audit lists.
import { labelOfAuditEvent, labelOfFailedEvent } from "@strongroom/contract";
import type { AuditLog, AuditLogEntry } from "@strongroom/contract";
import { decodeEntry, grantOf, severityOf } from "@strongroom/auditlog";
import type { AuditEntry } from "@strongroom/auditlog";
import type { FoundEntry } from "./audit.store.ts";
import { STATUS_OF, VERIFICATION_EVENTS, VERIFIED_EVENTS } from "./trail/trail-filter.ts";

/** Maps an entry to a list row. `emails` maps the ids of existing users to their addresses. */
export function toLogEntry(found: FoundEntry, emails: ReadonlyMap<string, string>): AuditLogEntry {
  const entry = readEntry(found);
  if (entry === null) return unreadable(found);
  const { at, event, result, target, actor } = entry;
  return {
    id: found.id as AuditLogEntry["id"],
    action: result === "failure" ? labelOfFailedEvent(event) : labelOfAuditEvent(event),
    event,
    result,
    summary: summaryOf(entry),
    metadata: metadataOf(entry),
    user: {
      id: "id" in actor ? (actor.id as AuditLogEntry["user"]["id"]) : null,
      name: "id" in actor ? actor.name : nameOfPart(actor.system),
      email: "id" in actor ? (emails.get(actor.id) ?? null) : null,
    },
    timestamp: at,
    target: target === undefined ? null : { type: target.type, id: target.id, name: target.name ?? null },
    leaf_index: found.leaf_index,
  };
}

/** Maps an entry to a row of the audit log lists (AUDIT-13, AUDIT-16). */
export function toAuditLog(found: FoundEntry, emails: ReadonlyMap<string, string>): AuditLog {
  const shown = toLogEntry(found, emails);
  const entry = readEntry(found);
  const said = entry?.details ?? {};
  const text = (name: string): string | null => (typeof said[name] === "string" ? said[name] : null);
  const duration = said["duration_ms"] ?? said["duration"];
  const isFailed = shown.result === "failure" || shown.result === "warning";
  return {
    ...shown,
    event_type: entry === null ? null : eventTypeOf(entry),
    status: STATUS_OF[shown.result],
    account_name: isOfSecret(shown.target?.type) ? (shown.target?.name ?? null) : text("account"),
    session_name: text("session_name"),
    user_email: shown.user.email,
    verification_method: text("verification_type"),
    error_message: isFailed ? (text("message") ?? entry?.reason ?? null) : null,
    details: {
      hostname: text("host") ?? text("hostname"),
      system_type: text("system_type"),
      duration_ms: typeof duration === "number" ? duration : null,
      severity: entry === null ? "critical" : severityOf(entry),
      triggered_by: text("triggered_by") ?? shown.user.name,
    },
  };
}

const isOfSecret = (type: string | undefined): boolean => type === "account" || type === "credential";

/** AUDIT-14. Null if the entry is not about the verification of a secret. */
function eventTypeOf(entry: AuditEntry): AuditLog["event_type"] {
  if (!(VERIFICATION_EVENTS as readonly string[]).includes(entry.event)) return null;
  if (grantOf(entry) === null) return "account_verification";
  const isResult = (VERIFIED_EVENTS as readonly string[]).includes(entry.event);
  const isCriticalFailure = isResult && entry.result === "failure" && entry.severity === "critical";
  return isCriticalFailure ? "jit_critical_verification_failure" : "jit_account_verification";
}

/** The ids of the users who performed the recorded actions. */
export function actorIdsOf(entries: readonly FoundEntry[]): string[] {
  const actors = entries.flatMap((found) => readEntry(found)?.actor ?? []);
  return [...new Set(actors.flatMap((actor) => ("id" in actor ? [actor.id] : [])))];
}

/** The id of the verification attempt that an entry belongs to; null for other entries. */
export function attemptOf(found: FoundEntry): string | null {
  const attempt = readEntry(found)?.details?.["attempt"];
  return typeof attempt === "string" ? attempt : null;
}

function readEntry({ canonical }: FoundEntry): AuditEntry | null {
  try {
    return decodeEntry(canonical);
  } catch {
    return null; // Someone tampered with the row; the list must still show the others.
  }
}

/** The last moment with a four-digit year. */
const LATEST = Date.UTC(9999, 11, 31);

/** The list row for an entry that cannot be decoded because it was overwritten. Its id contains the time (RFC 9562). */
function unreadable({ id, leaf_index }: FoundEntry): AuditLogEntry {
  const milliseconds = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  const recordedAt = new Date(Math.min(milliseconds, LATEST));
  return {
    id: id as AuditLogEntry["id"],
    action: "Unreadable entry",
    event: "audit.unreadable",
    result: "warning",
    summary: "This entry was overwritten in the database. Verify the audit trail.",
    metadata: {},
    user: { id: null, name: "Unknown", email: null },
    timestamp: recordedAt.toISOString(),
    target: null,
    leaf_index,
  };
}

const nameOfPart = (part: string): string => (part === "visitor" ? "Visitor" : `Strongroom (${part})`);

/** The target and the result: "Billing database: refused (role.insufficient)". */
function summaryOf({ event, target, result, reason, details }: AuditEntry): string {
  const about = target?.name ?? (target === undefined ? labelOfAuditEvent(event) : `${target.type} ${target.id}`);
  const said = details?.["message"];
  if (typeof said === "string") return `${about}: ${said}`;
  if (result !== "failure") return about;
  return reason === undefined ? `${about}: failed` : `${about}: refused (${reason})`;
}

/** All other recorded fields. */
function metadataOf({ reason, request, actor, details }: AuditEntry): AuditLogEntry["metadata"] {
  const known = {
    reason,
    ip: request?.ip,
    agent: request?.agent,
    request_id: request?.id,
    role: "id" in actor ? actor.role : undefined,
    session_id: "id" in actor ? actor.session : undefined,
    token_id: "id" in actor ? actor.token : undefined,
    token: "id" in actor ? actor.token_name : undefined,
  };
  const given = Object.entries(known).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { ...details, ...Object.fromEntries(given) } as AuditLogEntry["metadata"];
}
