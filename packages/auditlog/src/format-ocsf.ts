// An entry as an event of the Open Cybersecurity Schema Framework, 1.3.0.
import type { Json } from "./canonical-json.ts";
import type { AuditEntry, AuditSeverity } from "./entry.ts";
import { severityOf } from "./severity.ts";
import { PRODUCT, VENDOR, actorName, sentenceOf } from "./logged.ts";
import type { LoggedEntry, Producer } from "./logged.ts";

const SCHEMA = "1.3.0";
/** Every class used here belongs to Identity & Access Management, except API Activity. */
const CLASSES = {
  account: { uid: 3001, name: "Account Change", category: 3 },
  authentication: { uid: 3002, name: "Authentication", category: 3 },
  entity: { uid: 3004, name: "Entity Management", category: 3 },
  api: { uid: 6003, name: "API Activity", category: 6 },
} as const;
type Class = keyof typeof CLASSES;

const SEVERITIES: Record<AuditSeverity, { id: number; name: string }> = {
  low: { id: 1, name: "Informational" },
  medium: { id: 3, name: "Medium" },
  high: { id: 4, name: "High" },
  critical: { id: 5, name: "Critical" },
};

/** Events with a specific activity. */
const KNOWN: Readonly<Record<string, readonly [Class, number]>> = {
  "session.started": ["authentication", 1],
  "session.ended": ["authentication", 2],
  "user.registered": ["account", 1],
  "user.created": ["account", 1],
  "user.password-changed": ["account", 3],
  "password-reset.completed": ["account", 4],
  "user.deleted": ["account", 6],
};

/** The last word of an event, and its effect on the entry's target: create, read, update, delete. */
const VERBS: readonly [RegExp, number][] = [
  [/^(created|imported|member-added|dependent-added|started|run-started|uploaded)$/, 1],
  [/^(revealed|retrieved|version-retrieved|read|exported|verified|validated|viewed)$/, 2],
  [/^(deleted|removed|member-removed|dependent-removed)$/, 4],
];
const UPDATE = 3;
const OTHER = 99;

/** The event as JSON. Values without a field in the schema are under `unmapped`. */
export function ocsfEvent(logged: LoggedEntry, { version }: Producer): { [name: string]: Json } {
  const { entry, index } = logged;
  const [kind, activity] = activityOf(entry);
  const { uid, name, category } = CLASSES[kind];
  const severity = SEVERITIES[severityOf(entry)];
  const { id, at, event, result, reason, request, details } = entry;
  return only({
    activity_id: activity,
    category_uid: category,
    class_uid: uid,
    class_name: name,
    type_uid: uid * 100 + activity,
    severity_id: severity.id,
    severity: severity.name,
    time: Date.parse(at),
    message: sentenceOf(entry),
    ...statusOf(result),
    status_detail: reason,
    metadata: only({
      version: SCHEMA,
      product: { name: PRODUCT, vendor_name: VENDOR, version },
      uid: id,
      event_code: event,
      correlation_uid: request?.id,
      sequence: index ?? undefined,
    }),
    actor: actorOf(entry),
    src_endpoint: request === undefined ? { name: VENDOR.toLowerCase() } : { ip: request.ip },
    http_request: request?.agent === undefined ? undefined : { user_agent: request.agent },
    ...aboutOf(entry, kind),
    unmapped: details === undefined ? undefined : { details },
  });
}

function activityOf({ event, target }: AuditEntry): readonly [Class, number] {
  const known = KNOWN[event];
  if (known !== undefined) return known;
  const verb = event.slice(event.indexOf(".") + 1);
  const does = VERBS.find(([words]) => words.test(verb))?.[1];
  if (target === undefined) return ["api", does ?? OTHER];
  return ["entity", does ?? UPDATE];
}

function statusOf(result: AuditEntry["result"]): { status_id: number; status: string } {
  if (result === "success" || result === "failure") {
    return result === "success" ? { status_id: 1, status: "Success" } : { status_id: 2, status: "Failure" };
  }
  return { status_id: OTHER, status: result };
}

function actorOf({ actor }: AuditEntry): Json {
  if (!("id" in actor)) return { app_name: `${PRODUCT} ${actor.system}` };
  const user = { uid: actor.id, name: actor.name, groups: [{ name: actor.role }] };
  return actor.session === undefined ? { user } : { user, session: { uid: actor.session } };
}

/** The members that each class requires. */
function aboutOf(entry: AuditEntry, kind: Class): { [name: string]: Json | undefined } {
  const { target, actor, event } = entry;
  const thing = target && only({ uid: target.id, type: target.type, name: target.name });
  if (kind === "entity") return { entity: thing };
  if (kind === "api") return { api: { operation: event } };
  if (target?.type === "user") return { user: only({ uid: target.id, name: target.name }) };
  return { user: only({ uid: "id" in actor ? actor.id : undefined, name: actorName(entry) }) };
}

/** The same object without undefined members. */
function only(members: { [name: string]: Json | undefined }): { [name: string]: Json } {
  const given = Object.entries(members).filter((pair): pair is [string, Json] => pair[1] !== undefined);
  return Object.fromEntries(given);
}
