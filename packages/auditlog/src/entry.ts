// One entry of the audit trail, and the exact bytes that are hashed, stored and exported for it.
import { canonicalise } from "./canonical-json.ts";
import type { Json } from "./canonical-json.ts";

/**
 * The actor: a person or a machine identity, in a session or by an API token, or a system component such as
 * `rotation`.
 */
export type AuditActor =
  | {
      readonly id: string;
      readonly name: string;
      readonly role: string;
      readonly session?: string;
      /** The id and the name of the API token that acted. */
      readonly token?: string;
      readonly token_name?: string;
    }
  | { readonly system: string };

export const AUDIT_RESULTS = ["success", "failure", "warning", "info"] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

export const AUDIT_SEVERITIES = ["critical", "high", "medium", "low"] as const;
export type AuditSeverity = (typeof AUDIT_SEVERITIES)[number];
export type RecordedSeverity = Exclude<AuditSeverity, "low">;

/** INVARIANT: an entry never holds a secret. */
export interface AuditEntry {
  readonly v: 1;
  /** A UUID, lower case. */
  readonly id: string;
  /** ISO 8601 in UTC with milliseconds: `2026-11-21T09:08:07.006Z`. */
  readonly at: string;
  readonly actor: AuditActor;
  /** `<feature>.<past participle>`, such as `credential.revealed`. */
  readonly event: string;
  readonly target?: { readonly type: string; readonly id: string; readonly name?: string };
  readonly result: AuditResult;
  /** Omitted for routine entries, which are `low`. */
  readonly severity?: RecordedSeverity;
  readonly reason?: string;
  readonly request?: { readonly id: string; readonly ip: string; readonly agent?: string };
  readonly details?: { readonly [name: string]: Json };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const EVENT = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/;

/**
 * The canonical bytes (RFC 8785, UTF-8) of an entry: the leaf that the tree hashes. Undefined members are omitted, and
 * so is anything that {@link AuditEntry} does not name. Throws a TypeError for an entry of an invalid shape, which must
 * not be stored.
 */
export function encodeEntry(entry: AuditEntry): Buffer {
  const { v, id, at, actor, event, target, result, severity, reason, request, details } = entry;
  if (v !== 1) throw new TypeError("an audit entry must have version 1");
  if (!UUID.test(id)) throw new TypeError("an audit entry's id must be a lower-case UUID");
  if (!MOMENT.test(at)) throw new TypeError("an audit entry's time must be UTC with milliseconds");
  if (!EVENT.test(event)) throw new TypeError(`invalid audit event name: ${event}`);
  if (!AUDIT_RESULTS.includes(result)) throw new TypeError(`invalid audit entry result: ${result as string}`);

  if (severity !== undefined && !["critical", "high", "medium"].includes(severity)) {
    throw new TypeError(`invalid audit entry severity: ${severity as string}`);
  }

  const texts = [reason, ...Object.values(actor), ...Object.values(target ?? {}), ...Object.values(request ?? {})];
  if (!texts.every((text) => text === undefined || typeof text === "string")) {
    throw new TypeError("an audit entry's actor, target, reason and request must be text");
  }

  const who = "system" in actor ? { system: actor.system } : only(pick(actor));
  const what = target && only({ type: target.type, id: target.id, name: target.name });
  const from = request && only({ id: request.id, ip: request.ip, agent: request.agent });
  const whole = only({ v, id, at, actor: who, event, target: what, result, severity, reason, request: from, details });
  return Buffer.from(canonicalise(whole), "utf8");
}

/** Reads back the output of {@link encodeEntry}. Throws a TypeError for anything else, whatever its hash. */
export function decodeEntry(bytes: Buffer): AuditEntry {
  try {
    const entry = JSON.parse(bytes.toString("utf8")) as AuditEntry;
    if (encodeEntry(entry).equals(bytes)) return entry;
  } catch (cause) {
    throw new TypeError("not an audit entry", { cause });
  }
  throw new TypeError("not a canonical audit entry");
}

/** The just-in-time grant under which the event happened, as named in its details. */
export function grantOf({ details }: AuditEntry): string | null {
  const request = details?.["request"];
  return typeof request === "string" && UUID.test(request) ? request : null;
}

function pick({ id, name, role, session, token, token_name }: Exclude<AuditActor, { system: string }>) {
  return { id, name, role, session, token, token_name };
}

/** The same record without undefined members. */
function only(members: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name];
  return kept;
}
