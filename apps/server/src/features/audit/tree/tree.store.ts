// Database queries for the tree: leaves, complete subtrees, checkpoints and pending entries.
import type { NodeAddress, ReadNodes, StoredLeaf, TreeNode } from "@strongroom/auditlog";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { AuditEntriesTable } from "../audit.store.ts";

declare module "#kernel/db/tables.ts" {
  interface Tables {
    audit_checkpoints: { size: number; note: string; signed_at: Date };
    audit_log: { origin: string; sealed_seed: Buffer; created_at: Date };
  }
}

export interface StoredCheckpoint {
  size: number;
  /** A C2SP signed note. */
  note: string;
  signed_at: Date;
}

/** Stored nodes are missing: proofs that need them are impossible. */
export class MissingNodes extends Error {
  override name = "MissingNodes";
}

/** True if this transaction may extend the tree; the lock is released when it ends. */
export async function tryLockTree(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ is_ours: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as is_ours`.execute(tx);
  return rows[0]?.is_ours === true;
}

/** An arbitrary number that no other advisory lock uses. */
const LOCK = 7_305_808_870;

/** The number of pending entries, and the time of the oldest. */
export async function readLag(db: Db): Promise<{ waiting: number; oldest: Date | null }> {
  const { rows } = await sql<{ waiting: number; oldest: Date | null }>`
    select count(*) as waiting, (
      select at from audit_entries where id = (select entry_id from audit_pending order by seq limit 1)
    ) as oldest from audit_pending`.execute(db);
  return rows[0] ?? { waiting: 0, oldest: null };
}

export async function readSize(db: Db): Promise<number> {
  const { rows } = await sql<{ size: number | null }>`select max(leaf_index) + 1 as size from audit_leaves`.execute(db);
  return rows[0]?.size ?? 0;
}

/** Reads the sizes of the tree and of its newest checkpoint: the numbers are equal unless rows were deleted. */
export async function readReach(db: Db): Promise<{ size: number; signed: number }> {
  const { rows } = await sql<{ size: number | null; signed: number | null }>`
    select (select max(leaf_index) + 1 from audit_leaves) as size,
           (select max(size) from audit_checkpoints) as signed`.execute(db);
  return { size: rows[0]?.size ?? 0, signed: rows[0]?.signed ?? 0 };
}

/**
 * The state that the sequencer checks before it extends the tree: read in one statement, so that all values are from
 * the same moment.
 */
export interface Head {
  /** The number of leaves. */
  size: number;
  /** The newest stored checkpoint; null before the first. */
  note: string | null;
  /** The size in the checkpoint's row; 0 before the first. */
  signed: number;
  /** The sealed signing key; null before the first start, or when the row was deleted. */
  seed: Buffer | null;
  /** Whether a contradiction that stops the sequencer is open. */
  isStopped: boolean;
}

export async function readHead(db: Db): Promise<Head> {
  const { rows } = await sql<Omit<Head, "size" | "signed"> & { size: number | null; signed: number | null }>`
    select (select max(leaf_index) + 1 from audit_leaves) as size, newest.note, newest.size as signed,
      (select sealed_seed from audit_log) as seed,
      exists (select from audit_contradictions where is_stopping and accepted_at is null) as "isStopped"
    from (select 1) one
    left join (select size, note from audit_checkpoints order by size desc limit 1) newest on true`.execute(db);
  const [head] = rows;
  return { size: 0, note: null, signed: 0, seed: null, isStopped: false, ...withoutNulls(head) };
}

const withoutNulls = (row: object = {}): Partial<Head> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

export async function insertLeaves(tx: Tx, from: number, entryIds: readonly string[], hashes: readonly Buffer[]) {
  await sql`
    insert into audit_leaves (leaf_index, entry_id, leaf_hash)
    select ${from}::bigint + place - 1, entry_id, leaf_hash
    from unnest(${entryIds}::uuid[], ${hashes}::bytea[]) with ordinality as leaf (entry_id, leaf_hash, place)`.execute(
    tx,
  );
}

export async function insertNodes(tx: Tx, nodes: readonly TreeNode[]): Promise<void> {
  if (nodes.length === 0) return;
  await sql`
    insert into audit_nodes (level, index, hash)
    select * from unnest(
      ${nodes.map(({ level }) => level)}::smallint[],
      ${nodes.map(({ index }) => index)}::bigint[],
      ${nodes.map(({ hash }) => hash)}::bytea[]
    )`.execute(tx);
}

/** The hashes of complete subtrees, in the order requested; null for each missing one. */
export async function readNodes(db: Db, addresses: readonly NodeAddress[]): Promise<(Buffer | null)[]> {
  if (addresses.length === 0) return [];
  const { rows } = await sql<{ hash: Buffer | null }>`
    select coalesce(node.hash, leaf.leaf_hash) as hash
    from unnest(
      ${addresses.map(({ level }) => level)}::smallint[],
      ${addresses.map(({ index }) => index)}::bigint[]
    ) with ordinality as asked (level, index, place)
    left join audit_nodes node on node.level = asked.level and node.index = asked.index
    left join audit_leaves leaf on asked.level = 0 and leaf.leaf_index = asked.index
    order by place`.execute(db);
  return rows.map(({ hash }) => hash);
}

/** Implements the storage port of `@strongroom/auditlog`. Rejects with MissingNodes. */
export const nodeReader =
  (db: Db): ReadNodes =>
  async (addresses) => {
    const hashes = await readNodes(db, addresses);
    return hashes.map((hash) => {
      if (hash === null) throw new MissingNodes("nodes of the audit tree are missing");
      return hash;
    });
  };

/** Whether stored nodes cover more leaves than exist. */
export async function hasNodesBeyond(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (
      select from generate_series(1, 53) as level (level)
      where (select max(index) from audit_nodes node where node.level = level.level)
        >= div(coalesce((select max(leaf_index) + 1 from audit_leaves), 0)::numeric, 2::numeric ^ level.level)
    ) as is`.execute(db);
  return rows[0]?.is === true;
}

export const newestCheckpoint = (db: Db): Promise<StoredCheckpoint | undefined> =>
  db.selectFrom("audit_checkpoints").selectAll().orderBy("size", "desc").limit(1).executeTakeFirst();

/** The earliest stored checkpoint that covers a leaf. */
export const checkpointAfter = (db: Db, leafIndex: number): Promise<StoredCheckpoint | undefined> =>
  db
    .selectFrom("audit_checkpoints")
    .selectAll()
    .where("size", ">", leafIndex)
    .orderBy("size")
    .limit(1)
    .executeTakeFirst();

/**
 * Stores a checkpoint and deletes the previous one, unless that is the last of its 64 entries or of its hour: this
 * keeps enough checkpoints to tell where and when a change happened, at a few bytes per entry.
 */
export async function insertCheckpoint(tx: Tx, checkpoint: StoredCheckpoint, previousSize: number): Promise<void> {
  const { size, signed_at } = checkpoint;
  await tx.insertInto("audit_checkpoints").values(checkpoint).execute();
  if (Math.floor(previousSize / 64) !== Math.floor(size / 64)) return;
  await tx
    .deleteFrom("audit_checkpoints")
    .where("size", "=", previousSize)
    .where("signed_at", ">", new Date(signed_at.getTime() - 3_600_000))
    .execute();
}

const PAGE = 1000;

export type LeafWithEntry = StoredLeaf & { readonly listed: Omit<AuditEntriesTable, "canonical"> | null };

/** The leaves below `size` in order, each with its entry. */
export async function* readLeaves(db: Db, size: number): AsyncGenerator<LeafWithEntry> {
  for (let last = -1; ;) {
    const rows = await db
      .selectFrom("audit_leaves as leaf")
      .leftJoin("audit_entries as entry", "entry.id", "leaf.entry_id")
      .select(["leaf.leaf_index", "leaf.entry_id", "leaf.leaf_hash"])
      .select(["id", "entry.seq", "at", "event", "actor_id", "actor_name", "target_type", "target_id", "result"])
      .select(["severity", "grant_id", "canonical"])
      .where("leaf.leaf_index", ">", last)
      .where("leaf.leaf_index", "<", size)
      .orderBy("leaf.leaf_index")
      .limit(PAGE)
      .execute();
    for (const { leaf_index, entry_id, leaf_hash, canonical, ...listed } of rows) {
      const { id, seq, at, event, actor_name, result, ...optional } = listed;
      const isThere =
        id !== null && seq !== null && at !== null && event !== null && actor_name !== null && result !== null;
      yield {
        index: leaf_index,
        entryId: entry_id,
        leafHash: leaf_hash,
        canonical,
        listed: isThere ? { id, seq, at, event, actor_name, result, ...optional } : null,
      };
    }
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.leaf_index ?? size;
  }
}

/** The stored checkpoints up to `size`, smallest first. */
export async function* readCheckpoints(db: Db, size: number): AsyncGenerator<StoredCheckpoint> {
  for (let last = -1; ;) {
    const rows = await db
      .selectFrom("audit_checkpoints")
      .selectAll()
      .where("size", ">", last)
      .where("size", "<=", size)
      .orderBy("size")
      .limit(PAGE)
      .execute();
    yield* rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.size ?? size;
  }
}

const WIDE_PAGE = 20_000;

/** Ids of entries that are neither in the tree nor pending. */
export async function* readUnplaced(db: Db): AsyncGenerator<string> {
  for (let from = "00000000-0000-0000-0000-000000000000"; ;) {
    const { rows: bounds } = await sql<{ id: string }>`
      select id from audit_entries where id > ${from} order by id offset ${WIDE_PAGE - 1} limit 1`.execute(db);
    const to = bounds[0]?.id ?? "ffffffff-ffff-ffff-ffff-ffffffffffff";
    const { rows } = await sql<{ id: string }>`
      select entry.id from audit_entries entry
      left join audit_leaves leaf on leaf.entry_id = entry.id
      left join audit_pending pending on pending.entry_id = entry.id
      where entry.id > ${from} and entry.id <= ${to} and leaf.entry_id is null and pending.entry_id is null
      order by entry.id`.execute(db);
    for (const { id } of rows) yield id;
    if (bounds.length === 0) return;
    from = to;
  }
}

export const readLog = (db: Db) => db.selectFrom("audit_log").select(["origin", "sealed_seed"]).executeTakeFirst();

/** Skips the insert if another process has already inserted the row. */
export async function insertLog(tx: Tx, log: { origin: string; sealed_seed: Buffer; created_at: Date }): Promise<void> {
  await tx
    .insertInto("audit_log")
    .values(log)
    .onConflict((conflict) => conflict.column("is_only" as never).doNothing())
    .execute();
}

/** The newest rows of the trail and the rows around a leaf, as evidence: names and contents, never a secret. */
export async function rowsAround(db: Db, index: number | null): Promise<unknown> {
  const { rows: leaves } = await sql`
    select leaf.leaf_index, leaf.entry_id, encode(leaf.leaf_hash, 'hex') as leaf_hash, encode(entry.canonical, 'base64') as entry
    from audit_leaves leaf left join audit_entries entry on entry.id = leaf.entry_id
    where leaf.leaf_index > (select coalesce(max(leaf_index), 0) - 10 from audit_leaves)
      or (leaf.leaf_index between ${(index ?? -100) - 5} and ${(index ?? -100) + 5})
    order by leaf.leaf_index`.execute(db);
  const { rows: checkpoints } = await sql`
    select size, note, signed_at from audit_checkpoints order by size desc limit 10`.execute(db);
  return { leaves, checkpoints };
}

/** Like `tryLockTree`, but waits until no other process extends the tree. */
export async function lockTree(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx);
}

/** Replaces all checkpoints of this size or larger with `checkpoint`. */
export async function replaceCheckpoints(tx: Tx, checkpoint: StoredCheckpoint | null, from: number): Promise<void> {
  await tx.deleteFrom("audit_checkpoints").where("size", ">=", from).execute();
  if (checkpoint !== null) await tx.insertInto("audit_checkpoints").values(checkpoint).execute();
}

/** Stores the signing key again as this process opened it. */
export async function restoreSeed(
  tx: Tx,
  { origin, sealedSeed }: { origin: string; sealedSeed: Buffer },
): Promise<void> {
  await sql`
    insert into audit_log (origin, sealed_seed, created_at) values (${origin}, ${sealedSeed}, now())
    on conflict (is_only) do update set origin = excluded.origin, sealed_seed = excluded.sealed_seed
    where audit_log.sealed_seed <> excluded.sealed_seed or audit_log.origin <> excluded.origin`.execute(tx);
}
