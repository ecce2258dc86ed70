// Recorded entries in people's words: what lists show of them.
import type { AuditLog, AuditLogEntry } from "@strongroom/contract";
import { decodeEntry, grantOf, severityOf } from "@strongroom/auditlog";
import type { AuditEntry } from "@strongroom/auditlog";
import type { FoundEntry } from "./audit.store.ts";
import { STATUS_OF, VERIFIED_EVENTS } from "./trail-filter.ts";

/** Where the requirements name an action, or the event's own words read badly. */
const ACTIONS: Record<string, string> = {
  "credential.verified": "Credential Verification",
  "access-request.broken-glass": "Emergency access opened",
  "access-request.reviewed": "Emergency access reviewed",
  "audit.exported": "Audit trail exported",
  "audit.verified": "Audit trail verified",
  "audit.contradiction-accepted": "Audit trail contradiction accepted",
  "audit.tampering-found": "Audit trail tampering found",
  "audit-sink.delivery-failing": "Delivery to an audit sink failing",
  "audit-witness.fork-refused": "Rewritten audit log refused",
  "policy.changed": "Sign-in policy changed",
  "policy.previewed": "Sign-in policy previewed",
  "session.started": "Signed in",
  "session.ended": "Signed out",
  "validation.exported": "Validation report exported",
  "user.registered": "Account registered",
  "restore.found": "Restored database found",
  "restore.marked": "Database marked as restored",
  "backup.drilled": "Backup tried by restoring it",
  "seal.rekey-started": "Replacing the root key begun",
  "seal.rekeyed": "Root key replaced",
  "seal.sealed": "Vault sealed",
  "seal.unsealed": "Vault unsealed",
};

/** An entry as lists show it. `emails` holds those of the people who still exist, by their ids. */
export function toLogEntry(found: FoundEntry, emails: ReadonlyMap<string, string>): AuditLogEntry {
  const entry = readEntry(found);
  if (entry === null) return unreadable(found);
  const { at, event, result, target, actor } = entry;
  return {
    id: found.id as AuditLogEntry["id"],
    action: actionOf(event),
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

/** An entry as the trail's own lists show it (AUDIT-13, AUDIT-16). */
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

/** AUDIT-14. Null: it is no verification of a secret. */
function eventTypeOf(entry: AuditEntry): AuditLog["event_type"] {
  if (!(VERIFIED_EVENTS as readonly string[]).includes(entry.event)) return null;
  if (grantOf(entry) === null) return "account_verification";
  const isCriticalFailure = entry.result === "failure" && severityOf(entry) === "critical";
  return isCriticalFailure ? "jit_critical_verification_failure" : "jit_account_verification";
}

/** The people who did what these entries record. */
export function actorIdsOf(entries: readonly FoundEntry[]): string[] {
  const actors = entries.flatMap((found) => readEntry(found)?.actor ?? []);
  return [...new Set(actors.flatMap((actor) => ("id" in actor ? [actor.id] : [])))];
}

function readEntry({ canonical }: FoundEntry): AuditEntry | null {
  try {
    return decodeEntry(canonical);
  } catch {
    return null; // Somebody wrote into the database; the list must go on showing the others.
  }
}

/** The last moment with a year of four digits. */
const LATEST = Date.UTC(9999, 11, 31);

/** What stands in the place of an entry that was overwritten with something else. Its id holds the time (RFC 9562). */
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

/** `credential.host-key-accepted` reads "Credential host key accepted". */
export function actionOf(event: string): string {
  const words = event.replaceAll(/[.-]/g, " ");
  return ACTIONS[event] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const nameOfPart = (part: string): string => (part === "visitor" ? "Visitor" : `Strongroom (${part})`);

/** What it was about and how it ended: "Billing database: refused (role.insufficient)". */
function summaryOf({ event, target, result, reason, details }: AuditEntry): string {
  const about = target?.name ?? (target === undefined ? actionOf(event) : `${target.type} ${target.id}`);
  const said = details?.["message"];
  if (typeof said === "string") return `${about}: ${said}`;
  if (result !== "failure") return about;
  return reason === undefined ? `${about}: failed` : `${about}: refused (${reason})`;
}

/** Everything else that was recorded. */
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
