// The order of lists (decision 0032): `seq` is the order in which the database recorded entries, and equals tree order
// once an entry is in the tree.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

/** Both ends are included; null means unlimited. */
export interface SeqRange {
  first: number | null;
  last: number | null;
}

export const ANY_SEQ: SeqRange = { first: null, last: null };
const NO_SEQ: SeqRange = { first: Number.MAX_SAFE_INTEGER, last: null };

/**
 * The `seq` range of all entries recorded between two times (both included). After a clock was set back, the range
 * contains other entries too: it limits how much a list reads, and the list still compares the times.
 */
export async function seqRangeOf(db: Db, from: Date | null, to: Date | null): Promise<SeqRange> {
  if (from === null && to === null) return ANY_SEQ;
  const hours = [
    sql`true`,
    ...(from === null ? [] : [sql`hour >= date_trunc('hour', ${from}::timestamptz, 'UTC')`]),
    ...(to === null ? [] : [sql`hour <= ${to}`]),
  ];
  // Pending entries are not assigned to hours yet. They are few, and usually the newest.
  const { rows } = await sql<SeqRange>`
    select least(first_seq, waiting_first, quarantined_first) as first,
      greatest(last_seq, waiting_last, quarantined_last) as last
    from (select min(first_seq) as first_seq, max(last_seq) as last_seq
      from audit_hours where ${sql.join(hours, sql` and `)}) hours,
      (select min(seq) as waiting_first, max(seq) as waiting_last from audit_pending) waiting,
      (select min(seq) as quarantined_first, max(seq) as quarantined_last from audit_quarantine
        join audit_entries on audit_entries.id = audit_quarantine.entry_id) quarantined`.execute(db);
  const found = rows[0] ?? ANY_SEQ;
  if (found.first === null) return NO_SEQ;
  return { first: from === null ? null : found.first, last: to === null ? null : found.last };
}

/** Conditions on a row of `audit_entries` with the alias `entry`. */
export function recordedWithin(from: Date | null, to: Date | null, { first, last }: SeqRange): RawBuilder<unknown>[] {
  return [
    ...(first === null ? [] : [sql`entry.seq >= ${first}`]),
    ...(last === null ? [] : [sql`entry.seq <= ${last}`]),
    ...(from === null ? [] : [sql`entry.at >= ${from}`]),
    ...(to === null ? [] : [sql`entry.at <= ${to}`]),
  ];
}

/** The `seq` of the newest entry in the tree; 0 if the tree is empty. */
export async function newestSeq(db: Db): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select entry.seq from audit_leaves leaf join audit_entries entry on entry.id = leaf.entry_id
    order by leaf.leaf_index desc limit 1`.execute(db);
  return rows[0]?.seq ?? 0;
}

/** Records the hours of the entries that this transaction appends to the tree. */
export async function addToHours(tx: Tx, entryIds: readonly string[]): Promise<void> {
  await sql`
    insert into audit_hours as known (hour, first_seq, last_seq)
    select date_trunc('hour', entry.at, 'UTC'), min(entry.seq), max(entry.seq)
    from unnest(${entryIds}::uuid[]) placed (id)
    cross join lateral (select at, seq from audit_entries where id = placed.id offset 0) entry
    group by 1
    on conflict (hour) do update set first_seq = least(known.first_seq, excluded.first_seq),
      last_seq = greatest(known.last_seq, excluded.last_seq)`.execute(tx);
}

/**
 * Gives entries that committed late the next numbers, in this order: `seq` must increase with the position in the tree.
 */
export async function moveToEnd(tx: Tx, entryIds: readonly string[]): Promise<void> {
  if (entryIds.length === 0) return;
  await sql`
    update audit_entries set seq = moved.seq
    from (select id, nextval('audit_seq') as seq from unnest(${entryIds}::uuid[]) late (id)) moved
    where audit_entries.id = moved.id`.execute(tx);
}
