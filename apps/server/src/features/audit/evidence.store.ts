// The entries that belong into a bundle of evidence, and where they stand in the tree.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { firstIdOf } from "./audit.store.ts";

/** An entry that has its place. */
export interface PlacedLeaf {
  index: number;
  canonical: Buffer;
  leafHash: Buffer;
}

/** Entries match when any of these says so, and the time fits. */
export interface Wanted {
  /** Things that entries are about. */
  targets: readonly string[];
  actorId: string | null;
  /** Grants under which they happened. */
  grants: readonly string[];
  /** An account, and from when to when everything that happened to it belongs to the story; both included. */
  during: { target: string; from: Date; to: Date } | null;
  from: Date | null;
  to: Date | null;
}

/** In the order of the tree, below `size`; at most `most + 1`. */
export async function findPlaced(db: Db, wanted: Wanted, size: number, most: number): Promise<PlacedLeaf[]> {
  const { targets, actorId, grants, during, from, to } = wanted;
  const within = [
    sql`true`,
    ...(from === null ? [] : [sql`id >= ${firstIdOf(from.getTime())}`]),
    ...(to === null ? [] : [sql`id < ${firstIdOf(to.getTime() + 1)}`]),
  ];
  const newest = (place: RawBuilder<unknown>) =>
    sql`(select id from audit_entries where ${sql.join([place, ...within], sql` and `)} order by id desc limit ${most + 1})`;
  const parts = [
    ...(targets.length === 0 ? [] : [newest(sql`target_id = any(${targets}::text[])`)]),
    ...(grants.length === 0 ? [] : [newest(sql`grant_id = any(${grants}::uuid[])`)]),
    ...(actorId === null ? [] : [newest(sql`actor_id = ${actorId}`)]),
    ...(during === null
      ? []
      : [
          newest(sql`target_id = ${during.target} and id >= ${firstIdOf(during.from.getTime())}
            and id < ${firstIdOf(during.to.getTime() + 1)}`),
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
