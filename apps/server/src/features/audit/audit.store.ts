// Finds recorded entries: one by id, the history of one target, and pending entries.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";

export interface AuditEntriesTable {
  /** A UUIDv7: it begins with the clock time of the process that recorded the entry. */
  id: string;
  /** The order of lists (decision 0032): it increases with the position in the tree. */
  seq: number;
  at: Date;
  event: string;
  actor_id: string | null;
  actor_name: string;
  target_type: string | null;
  target_id: string | null;
  result: string;
  /** Null for routine entries, which are shown as `low`. */
  severity: string | null;
  grant_id: string | null;
  canonical: Buffer;
}

export interface AuditLeavesTable {
  leaf_index: number;
  entry_id: string;
  leaf_hash: Buffer;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    audit_entries: AuditEntriesTable;
    audit_leaves: AuditLeavesTable;
  }
}

export interface FoundEntry {
  id: string;
  seq: number;
  canonical: Buffer;
  /** Both are null until the sequencer has appended the entry to the tree. */
  leaf_index: number | null;
  leaf_hash: Buffer | null;
}

/** The history of one target, newest first; `before` is the `seq` of the last entry of the previous page. */
export async function findHistory(
  db: Db,
  target: { type: string; id: string },
  page: { limit: number; before: number | null; without: readonly string[] },
): Promise<FoundEntry[]> {
  let query = db
    .selectFrom("audit_entries as entry")
    .leftJoin("audit_leaves as leaf", "leaf.entry_id", "entry.id")
    .select(["entry.id", "entry.seq", "entry.canonical", "leaf.leaf_index", "leaf.leaf_hash"])
    .where("entry.target_id", "=", target.id)
    .where("entry.target_type", "=", target.type)
    .orderBy("entry.seq", "desc")
    .limit(page.limit);
  if (page.before !== null) query = query.where("entry.seq", "<", page.before);
  if (page.without.length > 0) query = query.where("entry.event", "not in", page.without);
  return query.execute();
}

export async function findEntry(db: Db, id: string): Promise<FoundEntry | undefined> {
  return db
    .selectFrom("audit_entries as entry")
    .leftJoin("audit_leaves as leaf", "leaf.entry_id", "entry.id")
    .select(["entry.id", "entry.seq", "entry.canonical", "leaf.leaf_index", "leaf.leaf_hash"])
    .where("entry.id", "=", id)
    .executeTakeFirst();
}

/** How many entries before an attempt's result are searched for its start. */
const MOST_BETWEEN = 20;

/**
 * For each of these verification results, the "verification.started" entries about the same target shortly before it,
 * newest first.
 */
export async function findStarts(db: Db, results: readonly string[]): Promise<(FoundEntry & { result_id: string })[]> {
  if (results.length === 0) return [];
  const { rows } = await sql<FoundEntry & { result_id: string }>`
    select result.id as result_id, started.id, started.seq, started.canonical, leaf.leaf_index, leaf.leaf_hash
    from audit_entries result
    cross join lateral (
      select id, seq, event, canonical from audit_entries
      where target_id = result.target_id and seq < result.seq order by seq desc limit ${MOST_BETWEEN}
    ) started
    left join audit_leaves leaf on leaf.entry_id = started.id
    where result.id = any(${results}::uuid[]) and started.event = 'verification.started'
    order by result.id, started.seq desc`.execute(db);
  return rows;
}

/** The number of entries that are durable but not yet in the tree. */
export async function countPending(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from audit_pending`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The lowest id that an entry of this millisecond can have (RFC 9562 §5.7). */
export function firstIdOf(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
