// The outbox: events as rows, in an order that is safe to read from while others still write.
//
// Ids alone are not safe: one transaction may take id 7, another takes id 8 and commits first, and a reader at 8 never sees
// 7. So an event's position is (transaction id, id), and only events of transactions below the snapshot's xmin are read: all
// of those have ended, and every later one gets a higher transaction id. No event can appear behind a reader, and writers
// need no lock and no election. The price: an event waits for the oldest writing transaction of the whole server, so
// transactions are kept short.
import { sql } from "kysely";
import type { Database, Db, Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import type { Audience } from "./audience.ts";

export const CHANNEL = "strongroom_events";

export interface NewEvent {
  /** In the form `<feature>.<past participle>`. */
  type: string;
  audience: Audience;
  /** INVARIANT: never contains a secret, because it reaches every browser of the audience. */
  data: Record<string, unknown>;
}

export interface StoredEvent extends NewEvent {
  /** The event's position as text. A client resumes after it. */
  id: string;
  at: Date;
}

export interface Position {
  transaction: bigint;
  id: bigint;
}

export function writePosition({ transaction, id }: Position): string {
  return `${transaction}-${id}`;
}

const LAST_TRANSACTION = 2n ** 64n - 1n;
const LAST_ID = 2n ** 63n - 1n;

/** Null for text that is not one of our positions. */
export function readPosition(text: string): Position | null {
  const [, transaction, id] = /^(\d{1,20})-(\d{1,19})$/.exec(text) ?? [];
  if (transaction === undefined || id === undefined) return null;
  const position = { transaction: BigInt(transaction), id: BigInt(id) };
  // A value beyond PostgreSQL's range is not one of our positions either.
  return position.transaction > LAST_TRANSACTION || position.id > LAST_ID ? null : position;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.transaction < b.transaction || (a.transaction === b.transaction && a.id < b.id);
}

export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const statement = sql`
    with written as (
      insert into events (type, audience, data)
      select type, audience, data
      from unnest(
        (select ${events.map(({ type }) => type)}::text[]),
        (select ${events.map(({ audience }) => JSON.stringify(audience))}::jsonb[]),
        (select ${events.map(({ data }) => JSON.stringify(data))}::jsonb[])
      ) with ordinality as event (type, audience, data, place)
      order by place
      returning id
    )
    select pg_notify(${CHANNEL}::text, '') from written limit 1`;
  await tx.executeQuery(named("events.insert", statement.compile(tx)));
}

export interface Page {
  events: StoredEvent[];
  /** The position after reading `events`. */
  end: Position;
  /** Whether more events are readable now. */
  isFull: boolean;
  /** Whether more events exist that are not readable yet, because an older transaction is still running. */
  isBlocked: boolean;
}

const PAGE = 500;

interface Row {
  position: string;
  type: string;
  audience: Audience;
  data: Record<string, unknown>;
  occurred_at: Date;
}

/**
 * The events after `from` in order, at most 500, read in one snapshot. Only the last event is checked for being blocked: a search
 * for any blocked event would read all stored events, because the planner estimates that a third of them match.
 */
export async function readEvents(db: Db, from: Position): Promise<Page> {
  const after = sql`(transaction_id, id) > (${String(from.transaction)}::xid8, ${String(from.id)}::bigint)`;
  const { rows } = await sql<{ events: null; horizon: string; blocked: boolean } & Row>`
    select horizon.horizon, horizon.blocked, page.*
    from (
      select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
             coalesce((select transaction_id >= pg_snapshot_xmin(pg_current_snapshot())
                       from events order by transaction_id desc, id desc limit 1), false) as blocked
    ) horizon
    left join (
      select transaction_id || '-' || id as position, type, audience, data, occurred_at
      from events
      where ${after} and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
      order by transaction_id, id
      limit ${PAGE}
    ) page on true`.execute(db);
  const [first] = rows;
  if (first === undefined) throw new Error("the outbox query returned no row");
  const events = rows
    .filter((row) => row.position !== null)
    .map((row) => ({ id: row.position, type: row.type, audience: row.audience, data: row.data, at: row.occurred_at }));
  const isFull = events.length === PAGE;
  const last = isFull ? readPosition(events.at(-1)!.id)! : { transaction: BigInt(first.horizon), id: 0n };
  return { events, end: isBefore(last, from) ? from : last, isFull, isBlocked: first.blocked };
}

/** The position after all readable events. */
export async function readHorizon(db: Db): Promise<Position> {
  const { rows } = await sql<{ horizon: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`.execute(db);
  return { transaction: BigInt(rows[0]!.horizon), id: 0n };
}

const PRUNED = "events.pruned-through";

/** The position up to which events were deleted; null before the first deletion. */
export async function readPruned(db: Db): Promise<Position | null> {
  const row = await db.selectFrom("settings").select("value").where("name", "=", PRUNED).executeTakeFirst();
  return row === undefined ? null : readPosition(String(row.value));
}

/** Deletes events older than the given time and stores the position, so that no reader resumes across the gap. */
export async function pruneEvents(database: Database, olderThanHours: number): Promise<void> {
  await database.transaction(async (tx) => {
    const { rows } = await sql<{ position: string }>`
      delete from events
      where (transaction_id, id) <= (
        select transaction_id, id from events
        where occurred_at < now() - make_interval(hours => ${olderThanHours})
          and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
        order by transaction_id desc, id desc limit 1)
      returning transaction_id || '-' || id as position`.execute(tx);
    const positions = rows.map((row) => readPosition(row.position)!);
    const [first, ...rest] = positions;
    if (first === undefined) return;
    const through = rest.reduce((last, each) => (isBefore(last, each) ? each : last), first);
    await tx
      .insertInto("settings")
      .values({ name: PRUNED, value: JSON.stringify(writePosition(through)) })
      .onConflict((conflict) =>
        conflict.column("name").doUpdateSet({ value: JSON.stringify(writePosition(through)), changed_at: sql`now()` }),
      )
      .execute();
  });
}
