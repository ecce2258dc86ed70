// Stores rotations and their journal lines. A worker writes only while it holds the lease.
import type { Rotation, RotationStep } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, JSONColumnType, Selectable } from "kysely";
import { rotationState } from "#features/secrets/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import type { Journal } from "./rotation.policy.ts";

type Later<T> = ColumnType<T | null, T | null | undefined, T | null>;

export interface RotationRequester {
  id: string;
  name: string;
}

export type RotationKind = "password" | "key" | "issued";

export interface RotationsTable {
  id: string;
  credential_id: string;
  /** Null for an account. */
  user_id: string | null;
  credential_name: string;
  because: Rotation["because"];
  asked_by: JSONColumnType<RotationRequester | null>;
  run_id: Later<string>;
  is_counted: ColumnType<boolean, undefined, boolean>;
  target: string | null;
  step: RotationStep;
  kind: Later<RotationKind>;
  journal: JSONColumnType<Journal>;
  outcome: Later<"rotated" | "cancelled" | "superseded">;
  needs_attention: ColumnType<boolean, undefined, boolean>;
  code: Later<string>;
  message: string;
  tries: ColumnType<number, undefined, number>;
  next_at: ColumnType<Date | null, unknown, unknown>;
  asked_again_at: ColumnType<Date[], undefined, never>;
  lease_token: Later<string>;
  lease_until: ColumnType<Date | null, unknown, unknown>;
  started_at: Date;
  ended_at: Later<Date>;
}

export interface RotationLinesTable {
  rotation_id: string;
  number: number;
  step: RotationStep;
  message: string;
  at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    rotations: RotationsTable;
    rotation_lines: RotationLinesTable;
  }
}

export type RotationRow = Selectable<RotationsTable>;
export type ShownRotation = RotationRow & { state: Rotation["state"] };
export type LineRow = Pick<RotationLinesTable, "step" | "message" | "at">;

const shown = (db: Db) => db.selectFrom("rotations").selectAll().select(rotationState.as("state"));

export async function readRotation(db: Db, id: string): Promise<ShownRotation | null> {
  return (await shown(db).where("id", "=", id).executeTakeFirst()) ?? null;
}

/** In no particular order. */
export function readRotations(db: Db, ids: readonly string[]): Promise<ShownRotation[]> {
  return shown(db)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

export async function readOpen(db: Db, credentialId: string): Promise<ShownRotation | null> {
  const query = shown(db).where("credential_id", "=", credentialId).where("step", "<>", "ended");
  return (await query.executeTakeFirst()) ?? null;
}

export async function listRotations(
  db: Db,
  credentialId: string,
  { limit, after }: { limit: number; after: TimePlace | null },
): Promise<ShownRotation[]> {
  let query = shown(db).where("credential_id", "=", credentialId);
  if (after !== null) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("started_at", "id"), "<", tuple(after.at, after.id)));
  }
  return query.orderBy("started_at", "desc").orderBy("id", "desc").limit(limit).execute();
}

export async function listLines(db: Db, rotationId: string): Promise<LineRow[]> {
  const query = db.selectFrom("rotation_lines").select(["step", "message", "at"]).where("rotation_id", "=", rotationId);
  return query.orderBy("number").execute();
}

export type NewRotation = Omit<Insertable<RotationsTable>, "next_at" | "journal" | "asked_by" | "step"> & {
  journal: Journal;
  asked_by: RotationRequester | null;
};

/**
 * The rows are due immediately. Skips credentials that have an open rotation. Returns the ids of the inserted rows.
 */
export async function insertRotations(tx: Tx, rows: readonly NewRotation[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const values = rows.map((row) => ({
    ...row,
    journal: JSON.stringify(row.journal),
    asked_by: row.asked_by === null ? (sql`null` as never) : JSON.stringify(row.asked_by),
    step: row.journal.step,
    next_at: sql`access_time()`,
  }));
  const inserted = await tx
    .insertInto("rotations")
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["id", "started_at"])
    .execute();
  const ids = inserted.map(({ id }) => id);
  await sql`
    insert into rotation_lines (rotation_id, number, step, message, at)
    select id, 1, step, message, started_at from rotations where id = any(${ids}::uuid[])`.execute(tx);
  return ids;
}

/** An arbitrary advisory lock key that only claims use. */
const CLAIM_LOCK = 7_305_808_872;

export interface ClaimRules {
  leaseSeconds: number;
  /** The limit of concurrent rotations on one target, across all processes. */
  mostPerTarget: number;
  most: number;
  /** Requesters that have reached their limit in this process; "" means the schedule. */
  busyAskers: readonly string[];
}

export async function hasDue(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from rotations where next_at <= access_time() and (lease_until is null or lease_until < clock_timestamp())
    limit 1`.execute(db);
  return rows.length > 0;
}

/** The limit for one requester in one claim, so that a large request leaves room for others. */
const MOST_PER_ASKER = 4;
const asker = sql<string>`coalesce(asked_by ->> 'id', '')`;

/** How many due rows one claim examines. The next claim examines the rest. */
const LOOKED_AT = 200;

/** Leases due rotations. Claims are serialized, so that the count per target is exact. */
export async function claim(tx: Tx, token: string, rules: ClaimRules): Promise<RotationRow[]> {
  await sql`select pg_advisory_xact_lock(${sql.lit(CLAIM_LOCK)})`.execute(tx);
  const query = sql<RotationRow>`
    with busy as materialized (
      select target, count(*) as count from rotations
      where lease_until > clock_timestamp() and target is not null group by target
    ), due as materialized (
      select id, target, next_at, ${asker} as asker from rotations
      where ${asker} <> all(${[...rules.busyAskers]}::text[])
        and next_at <= access_time() and (lease_until is null or lease_until < clock_timestamp())
        and (target is null or target <> all(array(select target from busy where count >= ${rules.mostPerTarget})))
      order by next_at limit ${sql.lit(LOOKED_AT)}
    ), turns as (
      select id, next_at, due.target is null or coalesce(busy.count, 0)
        + row_number() over (partition by due.target order by next_at, id) <= ${rules.mostPerTarget} as is_free,
        row_number() over (partition by due.asker order by next_at, id) as turn_of_asker
      from due left join busy on busy.target = due.target
    ), chosen as (
      select rotations.id from turns join rotations on rotations.id = turns.id where is_free and turn_of_asker <= ${sql.lit(MOST_PER_ASKER)}
      order by turns.next_at limit ${rules.most} for update of rotations skip locked
    )
    update rotations set lease_token = ${token}, lease_until = clock_timestamp() + make_interval(secs => ${rules.leaseSeconds})
    from chosen where rotations.id = chosen.id returning rotations.*`;
  return (await query.execute(tx)).rows;
}

export interface JournalWrite {
  id: string;
  token: string;
  journal: Journal;
  kind: RotationKind | null;
  lines: readonly LineRow[];
  message: string;
  code: string | null;
  outcome: RotationRow["outcome"];
  /** Null: keep the lease. */
  release: { afterMs: number | null } | null;
  leaseSeconds: number;
  at: Date;
}

/** Returns false, and writes nothing, when another worker holds the lease or the rotation has ended. */
export async function writeJournal(tx: Tx, it: JournalWrite): Promise<boolean> {
  const { journal, lines, release } = it;
  const isKept = release === null;
  const query = sql<{ id: string }>`
    with mine as (
      update rotations set step = ${journal.step}, journal = ${JSON.stringify(journal)}::jsonb, kind = ${it.kind},
        tries = ${journal.tries}, message = ${it.message}, code = ${it.code}, outcome = ${it.outcome},
        needs_attention = ${journal.attention !== null},
        ended_at = ${journal.step === "ended" ? it.at : null}::timestamptz,
        next_at = case when ${isKept} then next_at
          else access_time() + make_interval(secs => ${release?.afterMs == null ? null : release.afterMs / 1000}::float8) end,
        lease_token = case when ${isKept} then lease_token end,
        lease_until = case when ${isKept} then clock_timestamp() + make_interval(secs => ${it.leaseSeconds}) end
      where id = ${it.id} and lease_token = ${it.token} and step <> 'ended'
      returning id
    ), added as (
      insert into rotation_lines (rotation_id, number, step, message, at)
      select mine.id, latest.number + line.place, line.step, line.message, line.at
      from mine
      cross join lateral (
        select coalesce(max(number), 0) as number from rotation_lines where rotation_id = mine.id
      ) latest
      cross join unnest(${lines.map((each) => each.step)}::text[], ${lines.map((each) => each.message)}::text[],
        ${lines.map((each) => each.at)}::timestamptz[]) with ordinality as line (step, message, at, place)
    )
    select id from mine`.compile(tx);
  return (await tx.executeQuery(named("rotations.write", query))).rows.length > 0;
}

/** Makes an open rotation that no worker has leased due now. */
export async function wakeRotation(
  tx: Tx,
  id: string,
  { journal, message, asked_by, at }: { journal: Journal; message: string; asked_by: RotationRequester; at: Date },
): Promise<void> {
  await sql`
    with woken as (
      update rotations set journal = ${JSON.stringify(journal)}::jsonb, step = ${journal.step}, needs_attention = false,
        code = null, message = ${message}, asked_by = ${JSON.stringify(asked_by)}::jsonb, tries = ${journal.tries},
        next_at = access_time(), lease_token = null, lease_until = null,
        asked_again_at = array_append(asked_again_at, ${at}::timestamptz)
      where id = ${id} returning id
    )
    insert into rotation_lines (rotation_id, number, step, message, at)
    select id, coalesce((select max(number) from rotation_lines where rotation_id = id), 0) + 1, ${journal.step},
      ${message}, ${at} from woken`.execute(tx);
}

export interface Promotion {
  id: string;
  version: number;
  reason: "rotated" | "reconciled";
  isNew: boolean;
  at: Date;
}

/**
 * Makes a version the active one and keeps its predecessor as history. If `isNew` is false, the version was stored
 * earlier and the rotation schedule does not change. A version that was already revealed as a one-time password must
 * be rotated again. The caller holds the lock of the `credentials` row.
 */
export async function promoteVersion(tx: Tx, { id, version, reason, isNew, at }: Promotion): Promise<void> {
  const query = sql`
    with retired as (
      update secret_versions set retired_at = ${at}
      where credential_id = ${id} and retired_at is null and not is_candidate and version <> ${version}
    ), promoted as (
      update secret_versions set is_candidate = false, retired_at = null,
        reason = case when is_candidate then ${reason} else reason end
      where credential_id = ${id} and version = ${version}
    ), dependents as (
      update account_dependents set state = 'pending', tries = 0, next_at = access_time() where account_id = ${id}
    )
    update accounts set rotated_at = case when ${isNew} then ${at} else rotated_at end,
      rotation_wanted_at = case when after.stays then rotation_wanted_at when after.is_taken then ${at}::timestamptz end,
      rotation_wanted_because = case when after.stays then rotation_wanted_because when after.is_taken then 'one-time' end,
      rotation_block_lifted = rotation_block_lifted and after.stays, rotation_hindrance = null
    from (
      select account.id, not ${isNew} and account.rotation_wanted_at is not null as stays, platform.one_time_password and exists (
        select from account_one_time_takes taken where taken.account_id = account.id and taken.version = ${version}
      ) as is_taken
      from accounts account join platforms platform on platform.id = account.platform_id where account.id = ${id}
    ) after
    where accounts.id = after.id`;
  await tx.executeQuery(named("rotations.promote", query.compile(tx)));
}

/**
 * Ends rotations that have sent nothing to the target and that no worker has leased; returns their ids. A requested
 * change is no longer wanted afterwards; a change after a use still is.
 */
export async function endCancelled(tx: Tx, ids: readonly string[], message: string, at: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ended as (
      update rotations set step = 'ended', outcome = 'cancelled', ended_at = ${at}, needs_attention = false, next_at = null,
        lease_token = null, lease_until = null, message = ${message}
      where id = any(${[...ids]}::uuid[]) and step in ('planned', 'stored') and not (journal ->> 'inDoubt')::boolean
        and (lease_until is null or lease_until < clock_timestamp())
      returning id, credential_id
    ), unwanted as (
      update accounts set rotation_wanted_at = null, rotation_wanted_because = null
      from ended where accounts.id = ended.credential_id and accounts.rotation_wanted_because = 'asked'
    )
    insert into rotation_lines (rotation_id, number, step, message, at)
    select id, coalesce((select max(number) from rotation_lines where rotation_id = id), 0) + 1, 'ended', ${message}, ${at}
    from ended returning rotation_id as id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Returns the ids of the run's open rotations. */
export async function openOfRun(db: Db, runId: string): Promise<string[]> {
  const query = db.selectFrom("rotations").select("id").where("run_id", "=", runId).where("step", "<>", "ended");
  return (await query.execute()).map(({ id }) => id);
}

/** Records that the active secret was stored just now. */
export async function recordRotated(tx: Tx, accountId: string, at: Date): Promise<void> {
  await sql`
    update accounts set rotated_at = ${at}, rotation_wanted_at = null, rotation_wanted_because = null,
      rotation_block_lifted = false, rotation_hindrance = null
    where id = ${accountId}`.execute(tx);
}
