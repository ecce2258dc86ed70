// Reads and writes the rows of server processes and restore drills, and reads facts about the database.
import type { DrillFinding } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { DefaultedTime, JsonColumn } from "#kernel/db/tables.ts";
import type { UserId } from "@strongroom/contract";

export interface ProcessRow {
  id: string;
  host: string;
  pid: number;
  version: string;
  node: string;
  is_sealed: boolean;
  started_at: Date;
  seen_at: Date;
}

export interface DrillsTable {
  id: string;
  backup: string;
  made_at: Date | null;
  started_at: DefaultedTime;
  ended_at: Date | null;
  findings: JsonColumn<DrillFinding[]>;
  is_good: boolean | null;
  started_by: UserId | null;
}

export interface DrillRow extends Omit<DrillsTable, "started_at" | "findings"> {
  started_at: Date;
  findings: DrillFinding[];
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    admin_processes: ProcessRow;
    admin_drills: DrillsTable;
  }
}

/** Writes a process's heartbeat and deletes processes without one since `silentSince`. */
export async function recordHeartbeat(db: Db, row: ProcessRow, silentSince: Date): Promise<void> {
  const { id: _id, started_at: _startedAt, ...change } = row;
  await db
    .insertInto("admin_processes")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(change))
    .execute();
  await db.deleteFrom("admin_processes").where("seen_at", "<", silentSince).execute();
}

export async function deleteProcess(db: Db, id: string): Promise<void> {
  await db.deleteFrom("admin_processes").where("id", "=", id).execute();
}

export const findProcesses = (db: Db, since: Date): Promise<ProcessRow[]> =>
  db.selectFrom("admin_processes").selectAll().where("seen_at", ">=", since).orderBy("started_at").execute();

export interface DatabaseFacts {
  version: string;
  size_bytes: number;
  connections: number;
  max_connections: number;
}

export async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes,
           (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
           current_setting('max_connections')::bigint as max_connections`.execute(db);
  return rows[0]!;
}

export interface KeyRow {
  root_key_id: string;
  changed_at: Date;
  keys: number;
}

export async function readKeyRow(db: Db): Promise<KeyRow> {
  const { rows } = await sql<KeyRow>`
    select root_key_id, changed_at, (select count(*) from keks) as keys from seal`.execute(db);
  return rows[0]!;
}

export async function insertDrill(
  tx: Tx,
  row: Pick<DrillRow, "id" | "backup" | "started_at" | "started_by">,
): Promise<void> {
  await tx
    .insertInto("admin_drills")
    .values({ ...row, made_at: null, ended_at: null, is_good: null, findings: "[]" })
    .execute();
}

export async function updateDrill(
  db: Db,
  id: string,
  change: Partial<Pick<DrillRow, "made_at" | "ended_at" | "is_good">> & { findings?: readonly DrillFinding[] },
): Promise<void> {
  const { findings, ...rest } = change;
  await db
    .updateTable("admin_drills")
    .set({ ...rest, ...(findings === undefined ? {} : { findings: JSON.stringify(findings) }) })
    .where("id", "=", id)
    .execute();
}

/** Returns drills, newest first. */
export const findDrills = (db: Db, limit: number): Promise<DrillRow[]> =>
  db.selectFrom("admin_drills").selectAll().orderBy("started_at", "desc").limit(limit).execute();

export const findDrill = (db: Db, id: string): Promise<DrillRow | undefined> =>
  db.selectFrom("admin_drills").selectAll().where("id", "=", id).executeTakeFirst();

export interface WorkRow {
  id: string;
  name: string;
  state: "queued" | "running" | "completed" | "failed" | "cancelled";
  done: number;
  total: number | null;
  ended_at: Date | null;
}

/** The latest run of each of these jobs. */
export async function findLatestRuns(db: Db, names: readonly string[]): Promise<WorkRow[]> {
  const { rows } = await sql<WorkRow>`
    select distinct on (name) id, name, state, done, total, ended_at from job_runs
    where name = any(${[...names]}::text[]) order by name, created_at desc`.execute(db);
  return rows;
}

/** Ends the drills that a stopped server left unfinished, except the given one. */
export async function endLostDrills(db: Db, except: string | null, now: Date): Promise<void> {
  const lost = db.updateTable("admin_drills").set({ ended_at: now }).where("ended_at", "is", null);
  await (except === null ? lost : lost.where("id", "<>", except)).execute();
}
