// Finds and counts the entries that match a filter: reads indexes backwards from the newest entry and merges several of
// them.
import type { Severity } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import type { FoundEntry } from "../audit.store.ts";
import { recordedWithin } from "../order.store.ts";
import { VERIFIED_EVENTS, readsOf, restOf } from "./trail-filter.ts";
import type { IndexRead, TrailFilter } from "./trail-filter.ts";

type Sql = RawBuilder<unknown>;

/** Newest first; `before` is the `seq` of the last entry of the previous page. */
export async function findTrail(
  db: Db,
  filter: TrailFilter,
  page: { limit: number; before: number | null },
): Promise<FoundEntry[]> {
  const { rows } = await sql<FoundEntry>`
    with found as (${newest(filter, page.limit, page.before)})
    select found.id, found.seq, entry.canonical, leaf.leaf_index, leaf.leaf_hash
    from found
    join audit_entries entry on entry.id = found.id
    left join audit_leaves leaf on leaf.entry_id = found.id
    order by found.seq desc`.execute(db);
  return rows;
}

/** The `seq` of the nth-newest entry (1 is the newest), or null if there are fewer entries. */
export async function findPlace(db: Db, filter: TrailFilter, place: number): Promise<number | null> {
  const { rows } = await sql<{ seq: number; count: number }>`
    select seq, (count(*) over ())::int as count from (${newest(filter, place, null)}) found
    order by seq limit 1`.execute(db);
  const [last] = rows;
  return last?.count === place ? last.seq : null;
}

export interface Counted {
  total: number;
  successful: number;
  failed: number;
  jit: number;
}

/** Counts the matching entries, up to `most`. */
export async function countTrail(db: Db, filter: TrailFilter, most: number): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select count(*)::int as total, count(*) filter (where result = 'success')::int as successful,
      count(*) filter (where result = 'failure')::int as failed, count(*) filter (where is_jit)::int as jit
    from (${newest(filter, most, null)}) found`.execute(db);
  return rows[0]!;
}

/** The newest `limit` matching entries, each once. */
function newest(filter: TrailFilter, limit: number, before: number | null): Sql {
  const reads = readsOf(filter)
    .filter((read) => !isEmpty(read))
    .map((read) => readBackwards(read, conditionsOf(restOf(filter, read), before), limit));
  if (reads.length === 0)
    return sql`select id, seq, result, grant_id is not null as is_jit from audit_entries where false`;
  const merged = sql.join(reads, sql` union `);
  return sql`select id, seq, result, is_jit from (${merged}) merged order by seq desc limit ${limit}`;
}

const isEmpty = (read: IndexRead): boolean =>
  ("ids" in read && read.ids.length === 0) || ("events" in read && read.events.length === 0);

/** Reads one index backwards at each of its values. */
function readBackwards(read: IndexRead, conditions: readonly Sql[], limit: number): Sql {
  const at = (values: Sql, place: Sql): Sql => sql`
    (select found.id, found.seq, found.result, found.is_jit from ${values} cross join lateral (
      select id, seq, result, grant_id is not null as is_jit from audit_entries entry
      where ${sql.join([place, ...conditions], sql` and `)} order by seq desc limit ${limit}
    ) found)`;
  const alone = (place: Sql): Sql => sql`
    (select id, seq, result, grant_id is not null as is_jit from audit_entries entry
     where ${sql.join([place, ...conditions], sql` and `)} order by seq desc limit ${limit})`;
  switch (read.by) {
    case "entry":
      return alone(sql`entry.id = any(${read.ids}::uuid[])`);
    case "actor":
      return at(
        sql`unnest(${read.ids}::uuid[]) actor, unnest(${read.results}::text[]) ended`,
        sql`entry.actor_id = actor and entry.result = ended`,
      );
    case "target":
      return at(sql`unnest(${read.ids}::text[]) target`, sql`entry.target_id = target`);
    case "event":
      return at(
        sql`unnest(${read.events}::text[]) happened, unnest(${read.results}::text[]) ended`,
        sql`entry.event = happened and entry.result = ended`,
      );
    case "result":
      // The partial index's condition, repeated for the planner.
      return at(sql`unnest(${read.results}::text[]) ended`, sql`entry.result = ended and entry.result <> 'success'`);
    case "severity":
      return at(sql`unnest(${read.severities}::text[]) grave`, sql`entry.severity = grave`);
    case "grant":
      return alone(read.id === null ? sql`entry.grant_id is not null` : sql`entry.grant_id = ${read.id}`);
    case "time":
      return alone(sql`true`);
    default:
      return read satisfies never;
  }
}

/**
 * Routine entries have no severity. Without a condition for them, the column's own statistics tell the planner how rare
 * the other severities are.
 */
const isOfSeverity = (severities: readonly Severity[]): Sql =>
  severities.includes("low")
    ? sql`coalesce(entry.severity, 'low') = any(${severities}::text[])`
    : sql`entry.severity = any(${severities}::text[])`;

/** Exclusions that apply to entries as well as to their counters: `entry` has both columns. */
export function leftOut({ withoutEvents, withoutCritical }: TrailFilter): Sql[] {
  return [
    ...(withoutEvents.length === 0 ? [] : [sql`entry.event <> all(${withoutEvents}::text[])`]),
    ...(withoutCritical
      ? [
          sql`not (entry.event = any(${VERIFIED_EVENTS}::text[]) and entry.result = 'failure'
            and entry.severity is not distinct from 'critical')`,
        ]
      : []),
  ];
}

function conditionsOf(filter: TrailFilter, before: number | null): Sql[] {
  const { events, results, severities, isJit, actorId, targetId, grantId, subjects, entryId, from, to, range } = filter;
  return [
    ...(before === null ? [] : [sql`entry.seq < ${before}`]),
    ...recordedWithin(from, to, range),
    ...leftOut(filter),
    ...(events === null ? [] : [sql`entry.event = any(${events}::text[])`]),
    ...(results === null ? [] : [sql`entry.result = any(${results}::text[])`]),
    ...(severities === null ? [] : [isOfSeverity(severities)]),
    ...(isJit === null ? [] : [isJit ? sql`entry.grant_id is not null` : sql`entry.grant_id is null`]),
    ...(actorId === null ? [] : [sql`entry.actor_id = ${actorId}`]),
    ...(targetId === null ? [] : [sql`entry.target_id = ${targetId}`]),
    ...(grantId === null ? [] : [sql`entry.grant_id = ${grantId}`]),
    ...(subjects === null
      ? []
      : [
          sql`(entry.id = any(${entryId === null ? [] : [entryId]}::uuid[])
            or entry.actor_id = any(${subjects.actors}::uuid[]) or entry.target_id = any(${subjects.targets}::text[])
            or entry.event = any(${subjects.events}::text[]))`,
        ]),
  ];
}
