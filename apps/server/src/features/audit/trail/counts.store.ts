// Counts entries without reading them: counters per hour, day and century are updated when entries are sequenced, so
// that a list of ten million is not counted row by row.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { firstIdOf } from "../audit.store.ts";
import type { TrailFilter } from "./trail-filter.ts";
import { leftOut } from "./trail.store.ts";
import type { Counted } from "./trail.store.ts";

type Sql = RawBuilder<unknown>;

/** Counts the entries that this transaction appends to the tree. */
export async function addToCounts(tx: Tx, entryIds: readonly string[]): Promise<void> {
  await sql`
    insert into audit_counts as counted (span, since, event, result, severity, is_jit, entries)
    select span, date_trunc(span, entry.at, 'UTC'), entry.event, entry.result, coalesce(entry.severity, 'low'),
      entry.grant_id is not null, count(*)
    from unnest(${entryIds}::uuid[]) placed (id)
    cross join lateral (select * from audit_entries where id = placed.id offset 0) entry,
      unnest(array['hour', 'day', 'century']) span
    group by 1, 2, 3, 4, 5, 6
    on conflict (span, since, event, result, severity, is_jit)
      do update set entries = counted.entries + excluded.entries`.execute(tx);
}

/** The counters by key, and the number of entries in the tree at that moment. */
export async function readCounters(db: Db): Promise<{ size: number; counters: Map<string, number> }> {
  const kind = sql`concat_ws(' ', event, result, severity, is_jit)`;
  const { rows } = await sql<{ key: string; n: number }>`
    select 'size' as key, coalesce(max(leaf_index) + 1, 0)::float8 as n from audit_leaves
    union all select span || ' ' || ${kind}, sum(entries)::float8 from audit_counts group by 1
    union all select 'day of ' || to_char(since at time zone 'UTC', 'YYYY-MM-DD'), sum(entries)::float8
      from audit_counts where span = 'day' group by 1
    union all select 'hour of ' || to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24'), sum(entries)::float8
      from audit_counts where span = 'hour' group by 1
    union all select edge.key || to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24'), edge.seq::float8
      from audit_hours, lateral (values ('first of ', first_seq), ('last of ', last_seq)) edge (key, seq)`.execute(db);
  const counters = new Map(rows.map(({ key, n }) => [key, n]));
  const size = counters.get("size") ?? 0;
  counters.delete("size");
  return { size, counters };
}

/** Computes the same counters from entries in tree order, to compare them. */
export function createTally() {
  const counters = new Map<string, number>();
  return {
    counters,
    add(entry: {
      seq: number;
      at: string;
      event: string;
      result: string;
      severity: string | null;
      grant_id: string | null;
    }): void {
      const isJit = entry.grant_id === null ? "f" : "t";
      const kind = `${entry.event} ${entry.result} ${entry.severity ?? "low"} ${isJit}`;
      const keys = [
        `hour ${kind}`,
        `day ${kind}`,
        `century ${kind}`,
        `day of ${entry.at.slice(0, 10)}`,
        `hour of ${entry.at.slice(0, 13)}`,
      ];
      for (const key of keys) counters.set(key, (counters.get(key) ?? 0) + 1);
      const [first, last] = [`first of ${entry.at.slice(0, 13)}`, `last of ${entry.at.slice(0, 13)}`];
      counters.set(first, Math.min(counters.get(first) ?? entry.seq, entry.seq));
      counters.set(last, Math.max(counters.get(last) ?? entry.seq, entry.seq));
    },
  };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Range {
  span: "hour" | "day" | "century";
  /** The end is excluded; null means unlimited. */
  from: number | null;
  to: number | null;
}

/** Splits a period into whole days and hours, which are counted already, and the remaining minutes at both ends. */
export function spansOf(from: number | null, to: number | null): { kept: Range[]; counted: [number, number][] } {
  if (from === null && to === null) return { kept: [{ span: "century", from, to }], counted: [] };
  const firstHour = from === null ? null : Math.ceil(from / HOUR) * HOUR;
  const lastHour = to === null ? null : Math.floor(to / HOUR) * HOUR;
  if (from !== null && to !== null && firstHour! >= lastHour!)
    return { kept: [], counted: from < to ? [[from, to]] : [] };
  const counted: [number, number][] = [];
  if (from !== null && from < firstHour!) counted.push([from, firstHour!]);
  if (to !== null && lastHour! < to) counted.push([lastHour!, to]);

  const firstDay = firstHour === null ? null : Math.ceil(firstHour / DAY) * DAY;
  const lastDay = lastHour === null ? null : Math.floor(lastHour / DAY) * DAY;
  if (firstDay !== null && lastDay !== null && firstDay >= lastDay) {
    return { kept: [{ span: "hour", from: firstHour, to: lastHour }], counted };
  }
  const kept: Range[] = [{ span: "day", from: firstDay, to: lastDay }];
  if (firstHour !== firstDay) kept.push({ span: "hour", from: firstHour, to: firstDay });
  if (lastHour !== lastDay) kept.push({ span: "hour", from: lastDay, to: lastHour });
  return { kept, counted };
}

/**
 * An exact count, for a filter without a search, user or target. Uses one statement, so that no entry is counted twice.
 */
export async function countKept(db: Db, filter: TrailFilter): Promise<Counted> {
  const { kept, counted } = spansOf(
    filter.from?.getTime() ?? null,
    filter.to === null ? null : filter.to.getTime() + 1,
  );
  const parts = [
    ...kept.map(
      ({ span, from, to }) => sql`
        select result, is_jit, sum(entries) as n from audit_counts entry
        where span = ${span} and ${within(sql`since`, from, to)} and ${ofCounts(filter)} group by 1, 2`,
    ),
    // The counters do not include pending entries.
    ...kept.map(
      ({ from, to }) => sql`
        select result, grant_id is not null as is_jit, count(*) as n from audit_pending
        join audit_entries entry on entry.id = audit_pending.entry_id
        where ${within(sql`entry.at`, from, to)} and ${ofEntries(filter)} group by 1, 2`,
    ),
    ...counted.map(
      ([from, to]) => sql`
        select result, grant_id is not null as is_jit, count(*) as n from audit_entries entry
        where entry.id >= ${firstIdOf(from)} and entry.id < ${firstIdOf(to)} and ${ofEntries(filter)} group by 1, 2`,
    ),
  ];
  if (parts.length === 0) return { total: 0, successful: 0, failed: 0, jit: 0 };
  const { rows } = await sql<Counted>`
    select coalesce(sum(n), 0)::float8 as total, coalesce(sum(n) filter (where result = 'success'), 0)::float8 as successful,
      coalesce(sum(n) filter (where result = 'failure'), 0)::float8 as failed,
      coalesce(sum(n) filter (where is_jit), 0)::float8 as jit
    from (${sql.join(parts, sql` union all `)}) counted`.execute(db);
  return rows[0]!;
}

function within(time: Sql, from: number | null, to: number | null): Sql {
  const conditions = [
    ...(from === null ? [] : [sql`${time} >= ${new Date(from)}`]),
    ...(to === null ? [] : [sql`${time} < ${new Date(to)}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

const ofCounts = (filter: TrailFilter): Sql => narrowed(filter, sql`entry.severity`, sql`entry.is_jit`);
const ofEntries = (filter: TrailFilter): Sql =>
  narrowed(filter, sql`coalesce(entry.severity, 'low')`, sql`(entry.grant_id is not null)`);

function narrowed(filter: TrailFilter, itsSeverity: Sql, itIsJit: Sql): Sql {
  const { events, results, severities, isJit } = filter;
  const conditions = [
    ...leftOut(filter),
    ...(events === null ? [] : [sql`entry.event = any(${events}::text[])`]),
    ...(results === null ? [] : [sql`entry.result = any(${results}::text[])`]),
    ...(severities === null ? [] : [sql`${itsSeverity} = any(${severities}::text[])`]),
    ...(isJit === null ? [] : [sql`${itIsJit} = ${isJit}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
