// Database queries for the entries of an evidence bundle and their positions in the tree.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { recordedWithin, seqRangeOf } from "../order.store.ts";

/** An entry that is in the tree. */
export interface PlacedLeaf {
  index: number;
  canonical: Buffer;
  leafHash: Buffer;
}

/** Entries match if any of these conditions matches and the time is in range. */
export interface Wanted {
  /** Targets of entries. */
  targets: readonly string[];
  /** Privileged sessions. The digest at the end of a recording proves its earlier chunks, so their digests are left out. */
  sessions: readonly string[];
  actorId: string | null;
  /** Grants under which the recorded actions happened. */
  grants: readonly string[];
  /** An account, and the period (both ends included) in which all entries about the account belong to the bundle. */
  during: { target: string; from: Date; to: Date } | null;
  from: Date | null;
  to: Date | null;
}

/** In tree order, below `size`; at most `most + 1`. */
export async function findPlaced(db: Db, wanted: Wanted, size: number, most: number): Promise<PlacedLeaf[]> {
  const { targets, sessions, actorId, grants, during, from, to } = wanted;
  const within = [sql`true`, ...recordedWithin(from, to, await seqRangeOf(db, from, to))];
  const newest = (place: RawBuilder<unknown>) =>
    sql`(select id from audit_entries entry where ${sql.join([place, ...within], sql` and `)} order by seq desc limit ${most + 1})`;
  const parts = [
    ...(targets.length === 0 ? [] : [newest(sql`target_id = any(${targets}::text[])`)]),
    ...(sessions.length === 0
      ? []
      : [newest(sql`target_id = any(${sessions}::text[]) and event <> 'recording.chunks-stored'`)]),
    ...(grants.length === 0 ? [] : [newest(sql`grant_id = any(${grants}::uuid[])`)]),
    ...(actorId === null ? [] : [newest(sql`actor_id = ${actorId}`)]),
    ...(during === null
      ? []
      : [
          newest(
            sql.join(
              [
                sql`target_id = ${during.target}`,
                ...recordedWithin(during.from, during.to, await seqRangeOf(db, during.from, during.to)),
              ],
              sql` and `,
            ),
          ),
        ]),
  ];
  if (parts.length === 0) return [];
  const { rows } = await sql<PlacedLeaf>`
    select leaf.leaf_index as index, entry.canonical, leaf.leaf_hash as "leafHash"
    from (${sql.join(parts, sql` union `)}) found
    join audit_entries entry on entry.id = found.id
    join audit_leaves leaf on leaf.entry_id = found.id
    where leaf.leaf_index < ${size}
    order by leaf.leaf_index limit ${most + 1}`.execute(db);
  return rows;
}
