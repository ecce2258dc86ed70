// Reads sessions as one user sees them: the filter by what they may see is part of each query.
import type { Role, SessionProtocol, SessionRisk, SessionStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import { everyWord } from "#kernel/db/containing.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { bitOf, bitsOf, effectivePermissionsOf, seesEverySafe } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import { retentionEnd } from "../retention/retention.store.ts";
import type { StorageKind } from "../recordings/recordings.store.ts";
import type { SessionRow } from "../sessions.store.ts";

export type Viewer = Pick<Actor, "id" | "token"> & { role: Role };

export interface ShownSession extends SessionRow {
  /** The viewer's permissions in the session's safe. */
  permissions: Permissions;
  /** When it started; before the ticket is redeemed, when it was requested. */
  began_at: Date;
  seconds: number;
  gateway_name: string | null;
  recording_id: string | null;
  recording_storage: StorageKind | null;
  recording_status: "open" | "closed" | "broken" | null;
  recording_bytes: number | null;
  recording_ms: number | null;
  unstored_bytes: number | null;
  retention_until: Date | null;
  recording_deleted_at: Date | null;
  /** The legal hold; null without one. */
  held_at: Date | null;
  held_by: string | null;
  held_why: string | null;
  text_status: "waiting" | "indexed" | "partial" | null;
}

const AUDITOR = sql.lit(bitOf("view_audit"));
/** Administrators also see sessions of deleted safes, in which no user has permissions. */
const EVERYWHERE = bitsOf(["view_audit", "manage_members"]);

const withStanding = (viewer: Viewer): RawBuilder<unknown> => sql`
  with standing as materialized (
    select safe_id, permissions from ${effectivePermissionsOf(viewer)} mine where permissions & ${AUDITOR} <> 0)`;

const permissionsOf = (viewer: Viewer): RawBuilder<unknown> =>
  sql`coalesce(standing.permissions, ${sql.lit(seesEverySafe(viewer) ? EVERYWHERE : 0)})`;

/** INVARIANT: users see their own sessions, and those in safes whose audit trail they may view. */
const isSeenBy = (viewer: Viewer): RawBuilder<unknown> =>
  seesEverySafe(viewer)
    ? sql`true`
    : sql`(session.user_id = ${viewer.id} or session.safe_id in (select safe_id from standing))`;

const shown = (viewer: Viewer, condition: RawBuilder<unknown>, rest: RawBuilder<unknown>) => sql<ShownSession>`
  ${withStanding(viewer)}
  select session.*, ${permissionsOf(viewer)} as permissions,
    coalesce(session.started_at, session.requested_at) as began_at,
    extract(epoch from coalesce(session.ended_at, access_time())
      - coalesce(session.started_at, session.requested_at))::float8 as seconds,
    gateways.name as gateway_name, recordings.id as recording_id,
    recordings.storage as recording_storage, recordings.status as recording_status,
    recordings.bytes as recording_bytes, recordings.duration_ms as recording_ms, recordings.unstored_bytes,
    ${retentionEnd} as retention_until, recordings.deletion_began_at as recording_deleted_at, recordings.text_status,
    recordings.held_at, recordings.held_by, recordings.held_why
  from sessions session
  left join standing on standing.safe_id = session.safe_id
  left join gateways on gateways.id = session.gateway_id
  left join recordings on recordings.session_id = session.id
  left join platforms on platforms.id = session.platform_id
  where ${isSeenBy(viewer)} and ${condition} ${rest}`;

/** Null when it does not exist or the viewer may not see it. */
export async function readShownSession(db: Db, viewer: Viewer, id: string): Promise<ShownSession | null> {
  return (await shown(viewer, sql`session.id = ${id}`, sql``).execute(db)).rows[0] ?? null;
}

/** Leaves out the sessions that the viewer may not see. */
export async function readShownSessions(db: Db, viewer: Viewer, ids: readonly string[]): Promise<ShownSession[]> {
  const condition = sql`session.id = any(${[...ids]}::uuid[]) and session.started_at is not null`;
  return (await shown(viewer, condition, sql``).execute(db)).rows;
}

/** The global search covers this many of the latest sessions that the viewer may see, up to one year back. */
const RECENT = sql.lit(2000);

/** Newest first. */
export async function searchShown(db: Db, viewer: Viewer, text: string, limit: number): Promise<ShownSession[]> {
  const recent = sql`
    select session.id from sessions session
    where session.started_at > access_time() - interval '1 year' and ${isSeenBy(viewer)}
    order by session.started_at desc limit ${RECENT}`;
  const condition = sql`session.id in (${recent}) and ${matching(text)}`;
  return (await shown(viewer, condition, sql`order by session.started_at desc limit ${limit}`).execute(db)).rows;
}

/** The id of the session, or words of its user, account or target, such as "ben on web-01". */
const matching = (text: string): RawBuilder<unknown> => sql`(
  session.id::text = lower(${text.trim()}) or ${everyWord(
    text,
    (pattern) => sql`
    session.user_name || ' on ' || session.account_name || ' ' || session.target ilike ${pattern}`,
  )})`;

export interface SessionFilter {
  status?: SessionStatus | undefined;
  protocol?: SessionProtocol | undefined;
  risk?: SessionRisk | undefined;
  user_id?: string | undefined;
  account_id?: string | undefined;
  safe_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  search?: string | undefined;
  held?: boolean | undefined;
}

interface PagePlace {
  limit: number;
  after: TimePlace | null;
}

/** Returns up to `limit` + 1 sessions after this place, newest first. */
export async function listShown(
  db: Db,
  viewer: Viewer,
  filter: SessionFilter,
  { limit, after }: PagePlace,
): Promise<ShownSession[]> {
  return (await shown(viewer, conditionOf(filter, after), newestFirst(limit + 1)).execute(db)).rows;
}

export interface RecordedSession extends Pick<SessionRow, "id" | "safe_id"> {
  began_at: Date;
  recording_id: string;
  text_status: NonNullable<ShownSession["text_status"]>;
  /** The number of parts of its stored text. */
  text_parts: number;
}

/** Returns up to `limit` sessions with a recording that is not deleted, newest first. */
export async function listRecorded(
  db: Db,
  viewer: Viewer,
  filter: SessionFilter,
  { limit, after }: PagePlace,
): Promise<RecordedSession[]> {
  const { rows } = await sql<RecordedSession>`
    ${withStanding(viewer)}
    select session.id, session.safe_id, session.started_at as began_at, recordings.id as recording_id,
      recordings.text_status,
      (select count(*)::integer from recording_text where recording_id = recordings.id and kind = 'lines') as text_parts
    from sessions session join recordings on recordings.session_id = session.id
    where recordings.deletion_began_at is null and ${isSeenBy(viewer)} and ${conditionOf(filter, after)}
    ${newestFirst(limit)}`.execute(db);
  return rows;
}

const newestFirst = (limit: number): RawBuilder<unknown> =>
  sql`order by date_trunc('milliseconds', session.started_at) desc, session.id desc limit ${limit}`;

function conditionOf(filter: SessionFilter, after: TimePlace | null): RawBuilder<unknown> {
  const conditions = [sql`session.started_at is not null`];
  const equals = { ...filter, risk_level: filter.risk };
  for (const column of ["status", "protocol", "risk_level", "user_id", "account_id", "safe_id"] as const) {
    const value = equals[column];
    if (value !== undefined) conditions.push(sql`${sql.ref(`session.${column}`)} = ${value}`);
  }
  if (filter.held !== undefined) conditions.push(sql`(recordings.held_at is not null) = ${filter.held}`);
  if (filter.from !== undefined) conditions.push(sql`session.started_at >= ${filter.from}::timestamptz`);
  if (filter.to !== undefined) conditions.push(sql`session.started_at <= ${filter.to}::timestamptz`);
  if (filter.search !== undefined && filter.search !== "") {
    conditions.push(matching(filter.search));
  }
  if (after !== null) {
    conditions.push(
      sql`(date_trunc('milliseconds', session.started_at), session.id) < (${after.at}::timestamptz, ${after.id}::uuid)`,
    );
  }
  return sql.join(conditions, sql` and `);
}

interface Choice {
  of: "user" | "account" | "safe";
  id: string;
  name: string;
}

const MOST_CHOICES = sql.lit(500);

/** The users, accounts and safes of recent sessions, each by its latest name. */
export async function listChoices(db: Db, viewer: Viewer): Promise<Choice[]> {
  const choicesOf = (of: Choice["of"]) => {
    const [id, name] = [sql.ref(`${of}_id`), sql.ref(`${of}_name`)];
    return sql`(
      select ${sql.lit(of)} as of, id, name from (
        select distinct on (${id}) ${id} as id, ${name} as name from recent order by ${id}, started_at desc
      ) latest order by lower(name), id limit ${MOST_CHOICES})`;
  };
  const { rows } = await sql<Choice>`
    ${withStanding(viewer)}, recent as materialized (
      select user_id, user_name, account_id, account_name, safe_id, safe_name, started_at from sessions session
      where started_at > access_time() - interval '1 year' and ${isSeenBy(viewer)})
    ${choicesOf("user")} union all ${choicesOf("account")} union all ${choicesOf("safe")}`.execute(db);
  return rows;
}

export interface Figures {
  active: number;
  recorded_today: number;
  high_risk: number;
  average_seconds: number | null;
}

/** SES-02, over what the viewer may see. */
export async function countFigures(db: Db, viewer: Viewer): Promise<Figures> {
  const { rows } = await sql<Figures>`
    ${withStanding(viewer)}
    select count(*) filter (where status = 'active')::integer as active,
      count(*) filter (where is_recorded and started_at >= date_trunc('day', access_time(), 'UTC'))::integer
        as recorded_today,
      count(*) filter (where status = 'active' and risk_level = 'high')::integer as high_risk,
      round(avg(extract(epoch from ended_at - started_at)) filter (where ended_at > access_time() - interval '30 days'))::integer
        as average_seconds
    from sessions session
    where started_at is not null and (status = 'active' or started_at > access_time() - interval '31 days')
      and ${isSeenBy(viewer)}`.execute(db);
  return rows[0]!;
}

/** The number of live sessions that the viewer may see. */
export async function countLiveSessions(db: Db, viewer: Viewer): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    ${withStanding(viewer)}
    select count(*)::integer as count from sessions session
    where session.status = 'active' and ${isSeenBy(viewer)}`.execute(db);
  return rows[0]!.count;
}

export interface Happening extends SessionRow {
  at: Date;
  kind: "started" | "ended";
}

/** The latest starts and ends, newest first. */
export async function listHappenings(db: Db, viewer: Viewer, limit: number): Promise<Happening[]> {
  const latest = (kind: "started" | "ended", column: "started_at" | "ended_at") => sql`(
    select session.*, ${sql.ref(`session.${column}`)} as at, ${sql.lit(kind)} as kind from sessions session
    where session.started_at is not null and ${sql.ref(`session.${column}`)} is not null and ${isSeenBy(viewer)}
    order by ${sql.ref(`session.${column}`)} desc limit ${limit})`;
  const { rows } = await sql<Happening>`
    ${withStanding(viewer)}
    ${latest("started", "started_at")} union all ${latest("ended", "ended_at")}
    order by at desc, kind limit ${limit}`.execute(db);
  return rows;
}
