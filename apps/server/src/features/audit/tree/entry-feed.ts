// Reads the log in leaf order, for the audit sinks: a reader that has reached a leaf has missed no entry before that
// leaf.
import { consistencyProof } from "@strongroom/auditlog";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import type { NewContradiction } from "./tree.ts";
import { checkpointAfter, newestCheckpoint, nodeReader, readReach } from "./tree.store.ts";
import type { StoredCheckpoint } from "./tree.store.ts";

/** An entry and its leaf index. */
export interface PlacedEntry {
  index: number;
  leafHash: Buffer;
  /** Null if the entry was deleted. */
  canonical: Buffer | null;
}

export interface EntryFeed {
  /** The number of entries in the tree, and the number that the newest checkpoint signed. */
  reach(db: Db): Promise<{ size: number; signed: number }>;
  /** The next entries, starting at a leaf, limited in number and bytes; at least one, except at the end of the log. */
  read(db: Db, from: number, most: { entries: number; bytes: number }): Promise<PlacedEntry[]>;
  /** When the entry at a leaf was recorded; null if the leaf does not exist. */
  recordedAt(db: Db, index: number): Promise<Date | null>;
  newestCheckpoint(db: Db): Promise<StoredCheckpoint | undefined>;
  /** The earliest stored checkpoint of more than `size` entries. */
  checkpointAfter(db: Db, size: number): Promise<StoredCheckpoint | undefined>;
  /** RFC 9162 §2.1.4. Rejects when the stored tree has lost nodes. */
  consistency(db: Db, earlier: number, size: number): Promise<Buffer[]>;
  /** Reports a contradiction found outside the log: signing stops until an administrator has decided. */
  report: (found: NewContradiction) => Promise<void>;
}

export const createEntryFeed = (report: EntryFeed["report"]): EntryFeed => ({
  reach: readReach,
  read: readFrom,
  recordedAt,
  newestCheckpoint,
  checkpointAfter,
  consistency: (db, earlier, size) => consistencyProof(nodeReader(db), earlier, size),
  report,
});

async function readFrom(db: Db, from: number, most: { entries: number; bytes: number }): Promise<PlacedEntry[]> {
  // One lookup per entry instead of a join: on a small trail the planner would read all of it.
  const { rows } = await sql<{ leaf_index: number; leaf_hash: Buffer; canonical: Buffer | null }>`
    with page as (
      select leaf_index, leaf_hash, (select canonical from audit_entries where id = leaf.entry_id) as canonical
      from audit_leaves leaf
      where leaf_index >= ${from} and leaf_index < ${from + most.entries}
    ), measured as (
      select *, sum(coalesce(length(canonical), 0)) over (order by leaf_index) as bytes,
        row_number() over (order by leaf_index) as place
      from page
    )
    select leaf_index, leaf_hash, canonical from measured
    where bytes <= ${most.bytes} or place = 1 order by leaf_index`.execute(db);
  return rows.map(({ leaf_index: index, leaf_hash: leafHash, canonical }) => ({ index, leafHash, canonical }));
}

async function recordedAt(db: Db, index: number): Promise<Date | null> {
  const { rows } = await sql<{ at: Date }>`
    select at from audit_entries where id = (select entry_id from audit_leaves where leaf_index = ${index})`.execute(
    db,
  );
  return rows[0]?.at ?? null;
}
