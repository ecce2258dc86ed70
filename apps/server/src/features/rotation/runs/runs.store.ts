// Stores runs of rotations and their progress.
import { sql } from "kysely";
import type { ColumnType, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface RotationRunsTable {
  id: string;
  user_id: string;
  status: ColumnType<"running" | "completed" | "cancelled", undefined, "running" | "completed" | "cancelled">;
  total: number;
  done: ColumnType<number, undefined, number>;
  rotated: ColumnType<number, undefined, number>;
  failed: ColumnType<number, undefined, number>;
  started_at: Date;
  /** When the enqueuer last reported; null: queueing has ended. */
  queueing_at: ColumnType<Date | null, Date, Date | null>;
  completed_at: ColumnType<Date | null, undefined, Date | null>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    rotation_runs: RotationRunsTable;
  }
}

/** More runs than one user can follow at once. */
const MOST_LISTED = 20;

export type RunRow = Selectable<RotationRunsTable>;

export async function insertRun(tx: Tx, run: Pick<RunRow, "id" | "user_id" | "total" | "started_at">): Promise<void> {
  await tx
    .insertInto("rotation_runs")
    .values({ ...run, queueing_at: run.started_at })
    .execute();
}

export async function recordQueueing(tx: Tx, id: string, at: Date): Promise<void> {
  const running = tx.updateTable("rotation_runs").where("id", "=", id).where("status", "=", "running");
  await running.set({ queueing_at: at }).execute();
}

/** Sets the total once it is known how many rotations were queued. Some or all of them may have ended already. */
export async function setTotal(tx: Tx, id: string, total: number, at: Date): Promise<RunRow> {
  const { rows } = await sql<RunRow>`
    update rotation_runs set total = ${total}, queueing_at = null,
      status = case when status = 'running' and done >= ${total} then 'completed' else status end,
      completed_at = case when status = 'running' and done >= ${total} then ${at} else completed_at end
    where id = ${id} returning *`.execute(tx);
  return rows[0]!;
}

/**
 * Returns whether the run is running, and prevents a change of its status until the transaction ends. Lock order: the
 * secret, the run's row, then the rotation. Cancelling the run does not lock a rotation before this row.
 */
export async function lockRunning(tx: Tx, id: string): Promise<boolean> {
  const query = tx.selectFrom("rotation_runs").select("id").where("id", "=", id).where("status", "=", "running");
  return (await query.forShare().executeTakeFirst()) !== undefined;
}

/**
 * Ends runs whose enqueuer has not reported since `lastSeenBefore` and that have no uncounted rotations: no process is
 * left to correct their totals.
 */
export async function endAbandoned(tx: Tx, lastSeenBefore: Date, at: Date): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    update rotation_runs run set total = done, status = 'completed', completed_at = ${at}
    where status = 'running' and queueing_at < ${lastSeenBefore}
      and not exists (select from rotations where run_id = run.id and not is_counted)
    returning *`.execute(tx);
  return rows;
}

export async function deleteRun(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("rotation_runs").where("id", "=", id).execute();
}

export async function readRun(db: Db, userId: string, id: string): Promise<RunRow | null> {
  const query = db.selectFrom("rotation_runs").selectAll().where("id", "=", id).where("user_id", "=", userId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns null when the rotation was already counted. The last rotation ends the run. */
export async function countOne(tx: Tx, rotationId: string, isRotated: boolean, at: Date): Promise<RunRow | null> {
  const { rows } = await sql<RunRow>`
    with counted as (
      update rotations set is_counted = true where id = ${rotationId} and not is_counted and run_id is not null
      returning run_id
    )
    update rotation_runs set done = done + 1, rotated = rotated + ${isRotated ? 1 : 0}, failed = failed + ${isRotated ? 0 : 1},
      status = case when status = 'running' and done + 1 >= total then 'completed' else status end,
      completed_at = case when status = 'running' and done + 1 >= total then ${at} else completed_at end
    from counted where rotation_runs.id = counted.run_id returning rotation_runs.*`.execute(tx);
  return rows[0] ?? null;
}

/** Counts rotations of a cancelled run. Only the counters change. */
export async function countCancelled(tx: Tx, id: string, rotationIds: readonly string[]): Promise<RunRow> {
  const { rows } = await sql<RunRow>`
    with counted as (
      update rotations set is_counted = true where id = any(${[...rotationIds]}::uuid[]) and not is_counted returning id
    )
    update rotation_runs set done = done + ended.count, failed = failed + ended.count
    from (select count(*)::integer as count from counted) ended where rotation_runs.id = ${id}
    returning rotation_runs.*`.execute(tx);
  return rows[0]!;
}

/** Lists this user's running runs, latest first. */
export function listRunning(db: Db, userId: string): Promise<RunRow[]> {
  const query = db
    .selectFrom("rotation_runs")
    .selectAll()
    .where("user_id", "=", userId)
    .where("status", "=", "running");
  return query.orderBy("started_at", "desc").orderBy("id", "desc").limit(MOST_LISTED).execute();
}

/** Returns null when this user has no running run with this id. */
export async function cancelRun(tx: Tx, userId: string, id: string, at: Date): Promise<RunRow | null> {
  const query = tx
    .updateTable("rotation_runs")
    .set({ status: "cancelled", completed_at: at })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("status", "=", "running");
  return (await query.returningAll().executeTakeFirst()) ?? null;
}
