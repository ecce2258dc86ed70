// Builds audit entries: actor, event, target, result, origin.
import { severityToRecord } from "@strongroom/auditlog";
import type { AuditEntry, AuditSeverity } from "@strongroom/auditlog";
import type { Actor } from "../authz/actor.ts";
import { newId } from "../id.ts";

/** The origin of a call. */
export interface RequestFacts {
  id: string;
  ip: string;
  agent: string | null;
}

/** Fields that a handler adds to the entry of its call. INVARIANT: never a secret. */
export interface AuditNote {
  /**
   * Replaces the call's event if the call did less than the event says, such as a sign-in that waits for its second
   * step.
   */
  event?: string;
  target?: { type: string; id: string; name?: string };
  result?: AuditEntry["result"];
  /** The severity. By default, it follows from the event and the result. */
  severity?: AuditSeverity;
  reason?: string;
  details?: NonNullable<AuditEntry["details"]>;
  /** For calls before sign-in (sign-in, registration): the user that the entry is about. */
  actor?: { id: string; name: string; role: string };
}

/** The entry of a call. If neither the call nor the note has an actor, the actor is the system part `visitor`. */
export function callEntry(
  event: string,
  actor: Actor | null,
  request: RequestFacts,
  note: AuditNote,
  at: Date,
): AuditEntry {
  const { id, ip, agent } = request;
  const from = { id, ip, ...(agent === null ? {} : { agent }) };
  return { ...entryOf(note.event ?? event, actorOf(actor, note), note, at), request: from };
}

/** The entry of an automatic action, such as a scheduled verification. */
export function systemEntry(event: string, part: string, note: AuditNote, at: Date): AuditEntry {
  return entryOf(event, { system: part }, note, at);
}

function entryOf(event: string, actor: AuditEntry["actor"], note: AuditNote, at: Date): AuditEntry {
  const result = note.result ?? "success";
  const severity = note.severity ?? severityToRecord(event, result);
  return {
    v: 1,
    id: newId(at.getTime()),
    at: at.toISOString(),
    actor,
    event,
    ...(note.target === undefined ? {} : { target: note.target }),
    result,
    ...(severity === undefined || severity === "low" ? {} : { severity }),
    ...(note.reason === undefined ? {} : { reason: note.reason }),
    ...(note.details === undefined ? {} : { details: note.details }),
  };
}

/** The session or the token that made the call. */
function meansOf({ sessionId, token }: Actor): { session?: string; token?: string; token_name?: string } {
  if (token !== null) return { token: token.id, token_name: token.name };
  return sessionId === null ? {} : { session: sessionId };
}

function actorOf(actor: Actor | null, note: AuditNote): AuditEntry["actor"] {
  if (actor !== null) return { id: actor.id, name: actor.name, role: actor.role, ...meansOf(actor) };
  if (note.actor !== undefined) return note.actor;
  return { system: "visitor" };
}
