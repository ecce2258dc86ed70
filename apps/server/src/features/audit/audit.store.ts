// Finds recorded entries: one by its id, what happened to one thing, and what waits for its place.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";

export interface AuditEntriesTable {
  /** A UUID of version 7: its order is the order of time. */
  id: string;
  at: Date;
  event: string;
  actor_id: string | null;
  actor_name: string;
  target_type: string | null;
  target_id: string | null;
  result: string;
  /** Null: routine, which reads as `low`. */
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
  canonical: Buffer;
  /** Both null until the sequencer has given it its place in the tree. */
  leaf_index: number | null;
  leaf_hash: Buffer | null;
}

/** What happened to one thing, newest first; `before` is the id of the last entry of the page before. */
export async function findHistory(
  db: Db,
  target: { type: string; id: string },
  page: { limit: number; before: string | null; without: readonly string[] },
): Promise<FoundEntry[]> {
  let query = db
    .selectFrom("audit_entries as entry")
    .leftJoin("audit_leaves as leaf", "leaf.entry_id", "entry.id")
    .select(["entry.id", "entry.canonical", "leaf.leaf_index", "leaf.leaf_hash"])
    .where("entry.target_id", "=", target.id)
    .where("entry.target_type", "=", target.type)
    .orderBy("entry.id", "desc")
    .limit(page.limit);
  if (page.before !== null) query = query.where("entry.id", "<", page.before);
  if (page.without.length > 0) query = query.where("entry.event", "not in", page.without);
  return query.execute();
}

export async function findEntry(db: Db, id: string): Promise<FoundEntry | undefined> {
  return db
    .selectFrom("audit_entries as entry")
    .leftJoin("audit_leaves as leaf", "leaf.entry_id", "entry.id")
    .select(["entry.id", "entry.canonical", "leaf.leaf_index", "leaf.leaf_hash"])
    .where("entry.id", "=", id)
    .executeTakeFirst();
}

/** How many entries are durable and wait for their place in the tree. */
export async function countPending(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from audit_pending`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The lowest id that an entry of this millisecond can have (RFC 9562 §5.7). */
export function firstIdOf(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
