// Lists, reads and counts sessions for the Session Monitoring page.
import type {
  AccountId,
  PrivilegedSession,
  PrivilegedSessionId,
  SafeId,
  SessionDetails,
  SessionEndReason,
  UserId,
  listPrivilegedSessions,
  listSessionActivity,
  listSessionChoices,
  readPrivilegedSession,
} from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { moment } from "#kernel/moment.ts";
import { actionsOn } from "../sessions.policy.ts";
import { notFound } from "../session-context.ts";
import type { SessionRow } from "../sessions.store.ts";
import { countFigures, listChoices, listHappenings, listShown, readShownSession } from "./shown-sessions.store.ts";
import type { Happening, ShownSession, Viewer } from "./shown-sessions.store.ts";

export async function findSessions(call: Call<typeof listPrivilegedSessions>, db: Db) {
  const { limit, cursor, ...filter } = call.query;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const rows = await listShown(db, call.actor, filter, { limit, after });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    sessions: page.map((row) => toSession(row, call.actor)),
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.began_at, id: last.id }),
    figures: await countFigures(db, call.actor),
  };
}

export async function findChoices(call: Call<typeof listSessionChoices>, db: Db) {
  const choices = await listChoices(db, call.actor);
  const of = (wanted: (typeof choices)[number]["of"]) => choices.filter((each) => each.of === wanted);
  return {
    users: of("user").map(({ id, name }) => ({ id: id as UserId, name })),
    accounts: of("account").map(({ id, name }) => ({ id: id as AccountId, name })),
    safes: of("safe").map(({ id, name }) => ({ id: id as SafeId, name })),
  };
}

/** Throws 404 when it does not exist or the viewer may not see it. */
export async function requireShown(db: Db, viewer: Viewer, id: string): Promise<ShownSession> {
  const row = await readShownSession(db, viewer, id);
  if (row === null) throw notFound();
  return row;
}

export async function readOne(call: Call<typeof readPrivilegedSession>, db: Db): Promise<SessionDetails> {
  const row = await requireShown(db, call.actor, call.params.id);
  return {
    ...toSession(row, call.actor),
    ends_at: row.ends_at.toISOString(),
    source_address: row.source_address,
    reason: row.reason,
    ticket: row.ticket,
    gateway: row.gateway_name,
    input_bytes: row.input_bytes,
    output_bytes: row.output_bytes,
    recording: recordingOf(row),
  };
}

function recordingOf(row: ShownSession): SessionDetails["recording"] {
  if (row.recording_status === null) return null;
  return {
    status: row.recording_status,
    bytes: row.recording_bytes ?? 0,
    duration_seconds: (row.recording_ms ?? 0) / 1000,
    unstored_bytes: row.unstored_bytes ?? 0,
    retention_until: moment(row.retention_until),
    hold: holdOf(row),
  };
}

function holdOf({ held_at, held_by, held_why }: ShownSession) {
  if (held_at === null) return null;
  return { since: held_at.toISOString(), by: held_by ?? "", reason: held_why ?? "" };
}

export const actionsFor = (row: ShownSession, viewer: Viewer) =>
  actionsOn({
    isOwn: row.user_id === viewer.id,
    permissions: row.permissions,
    isLive: row.status === "active",
    hasRecording: row.recording_id !== null && row.recording_deleted_at === null,
    isHeld: row.held_at !== null,
  });

export function toSession(row: ShownSession, viewer: Viewer): PrivilegedSession {
  const seconds = Math.max(0, row.seconds);
  return {
    id: row.id as PrivilegedSessionId,
    user: row.user_name,
    user_id: row.user_id as UserId,
    resource: row.account_name,
    account_id: row.account_id as AccountId,
    safe_id: row.safe_id as SafeId,
    safe_name: row.safe_name,
    platform_name: row.platform_name,
    protocol: row.protocol,
    client: row.client,
    target: row.target,
    remote_user: row.remote_user,
    startTime: row.began_at.toISOString(),
    endTime: moment(row.ended_at),
    duration: (seconds / 3600).toFixed(2),
    duration_seconds: Math.round(seconds),
    status: row.status === "completed" ? "completed" : "active",
    riskLevel: row.risk_level,
    riskReasons: row.risk_reasons,
    actions: actionsFor(row, viewer),
    lastActivity: moment(row.last_activity_at),
    end_reason: row.end_reason,
    ended_because: endedBecause(row),
    is_recorded: row.is_recorded,
    recording_deleted_at: moment(row.recording_deleted_at),
    recording_deletes_at:
      row.held_at === null && row.recording_deleted_at === null ? moment(row.retention_until) : null,
    is_recording_held: row.held_at !== null,
    is_input_paused: row.input_paused_by !== null,
  };
}

const BECAUSE: Record<SessionEndReason, string> = {
  logout: "The user logged out",
  expired: "The access expired",
  revoked: "The access was revoked",
  "checked-in": "The account was checked in",
  "user-disabled": "The user was disabled",
  "membership-removed": "The user is no longer a member of the safe",
  "account-deleted": "The account was deleted",
  terminated: "Terminated",
  "target-closed": "The target closed the connection",
  "recorder-failed": "The session could not be recorded",
  "database-lost": "The gateway lost its database",
  "gateway-lost": "The gateway stopped",
  idle: "Ended after inactivity",
  failed: "The session could not be opened",
};

const endedBecause = ({ end_reason, end_detail }: Pick<SessionRow, "end_reason" | "end_detail">): string | null =>
  end_reason === null ? null : (end_detail ?? BECAUSE[end_reason]);

/** SES-06, SES-07: the texts carry no time; each entry has its own. */
export async function findActivity(call: Call<typeof listSessionActivity>, db: Db) {
  const rows = await listHappenings(db, call.actor, call.query.limit);
  const entries = rows.map((row) => ({
    session_id: row.id as PrivilegedSessionId,
    at: row.at.toISOString(),
    text: textOf(row),
  }));
  return { activities: entries.map(({ text }) => text), entries };
}

function textOf(row: Happening): string {
  const about = `${row.user_name} on ${row.account_name} (${row.target})`;
  if (row.kind === "started") return `Session started: ${about}`;
  return `Session ended: ${about}. ${endedBecause(row) ?? ""}`.trimEnd();
}
