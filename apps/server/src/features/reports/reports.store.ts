// Reads and writes reports, their files and their schedules.
import type {
  DiscoveryTargetId,
  ReportCadence,
  ReportFormat,
  ReportId,
  ReportScheduleId,
  RiskTimeframe,
  Role,
  ScanStatus,
  UserId,
} from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, Selectable, Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { visibleTargets } from "#features/discovery/index.ts";

interface Content {
  report_type: "risk_assessment";
  target_ids: DiscoveryTargetId[];
  timeframe: RiskTimeframe;
  include_remediation: boolean;
}

interface ReportsTable extends Content {
  id: ReportId;
  user_id: UserId;
  schedule_id: ReportScheduleId | null;
  status: ScanStatus;
  progress: ColumnType<number, number | undefined, number>;
  created_at: Date;
  completed_at: Date | null;
  expires_at: Date;
  error_message: string | null;
}

interface ReportFilesTable {
  report_id: ReportId;
  format: ReportFormat;
  content: Buffer;
  sha256: Buffer;
}

interface ReportSchedulesTable extends Content {
  id: ReportScheduleId;
  user_id: UserId;
  cadence: ReportCadence;
  next_at: Date;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    reports: ReportsTable;
    report_files: ReportFilesTable;
    report_schedules: ReportSchedulesTable;
  }
}

export type ReportRow = Selectable<ReportsTable>;
export type ScheduleRow = Selectable<ReportSchedulesTable>;

export interface FileFacts {
  format: ReportFormat;
  bytes: number;
  sha256: string;
}

export type ShownReport = ReportRow & { files: FileFacts[] };

const MOST_SHOWN = 100;

const shown = (db: Db, owner: UserId) =>
  db
    .selectFrom("reports")
    .selectAll()
    .select(
      sql<FileFacts[]>`coalesce((select jsonb_agg(jsonb_build_object('format', file.format,
        'bytes', length(file.content), 'sha256', encode(file.sha256, 'hex')) order by file.format)
        from report_files file where file.report_id = reports.id), '[]')`.as("files"),
    )
    .where("user_id", "=", owner);

export function findReports(db: Db, owner: UserId): Promise<ShownReport[]> {
  return shown(db, owner).orderBy("created_at", "desc").orderBy("id", "desc").limit(MOST_SHOWN).execute();
}

/** Undefined when the report does not exist or belongs to another user. */
export function findReport(db: Db, owner: UserId, id: ReportId): Promise<ShownReport | undefined> {
  return shown(db, owner).where("id", "=", id).executeTakeFirst();
}

export function lockReport(tx: Tx, id: string): Promise<ReportRow | undefined> {
  return tx
    .selectFrom("reports")
    .selectAll()
    .where("id", "=", id as ReportId)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertReport(tx: Tx, row: Insertable<ReportsTable>): Promise<void> {
  await tx.insertInto("reports").values(row).execute();
}

export async function updateReport(db: Db, id: ReportId, changes: Updateable<ReportsTable>): Promise<void> {
  await db.updateTable("reports").set(changes).where("id", "=", id).execute();
}

export async function removeReport(tx: Tx, id: ReportId): Promise<void> {
  await tx.deleteFrom("reports").where("id", "=", id).execute();
}

export async function removeExpired(tx: Tx, now: Date): Promise<void> {
  await tx.deleteFrom("reports").where("expires_at", "<", now).execute();
}

export async function insertFiles(tx: Tx, files: readonly ReportFilesTable[]): Promise<void> {
  await tx
    .insertInto("report_files")
    .values([...files])
    .execute();
}

export async function readFile(db: Db, id: ReportId, format: ReportFormat): Promise<Buffer | null> {
  const file = await db
    .selectFrom("report_files")
    .select("content")
    .where("report_id", "=", id)
    .where("format", "=", format)
    .executeTakeFirst();
  return file?.content ?? null;
}

/** Open reports whose background job no longer exists. */
export async function findAbandoned(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select reports.id from reports where status in ('pending', 'running') and not exists (
      select from job_runs run where run.id = reports.id and run.state in ('queued', 'running'))`.execute(db);
  return rows.map(({ id }) => id);
}

/** The names of those of the targets that this user can see. */
export async function namesOfTargets(db: Db, actor: Actor, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ name: string }>`
    select target.name from discovery_targets target join ${visibleTargets(actor)} seen on seen.id = target.id
    where target.id = any(${[...ids]}::uuid[]) order by lower(target.name)`.execute(db);
  return rows.map(({ name }) => name);
}

export interface OwnerRow {
  id: UserId;
  email: string;
  name: string;
  role: Role;
}

/** Undefined for a user who may not sign in. */
export async function findActiveOwner(db: Db, id: UserId): Promise<OwnerRow | undefined> {
  const { rows } = await sql<OwnerRow>`
    select id, email, name, role from users where id = ${id} and status = 'active' and kind = 'person'`.execute(db);
  return rows[0];
}

export function findSchedules(db: Db, owner: UserId): Promise<ScheduleRow[]> {
  return db.selectFrom("report_schedules").selectAll().where("user_id", "=", owner).orderBy("created_at").execute();
}

/** Concurrent calls of one user add their schedules one after the other. */
export async function lockScheduleOwner(tx: Tx, owner: UserId): Promise<void> {
  await tx.selectFrom("users").select("id").where("id", "=", owner).forNoKeyUpdate().execute();
}

export async function insertSchedule(tx: Tx, row: ScheduleRow): Promise<void> {
  await tx.insertInto("report_schedules").values(row).execute();
}

/** Whether the user had this schedule. */
export async function removeSchedule(tx: Tx, owner: UserId, id: ReportScheduleId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("report_schedules")
    .where("id", "=", id)
    .where("user_id", "=", owner)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Due schedules that no other process is working on. */
export function lockDueSchedules(tx: Tx, now: Date, limit: number): Promise<ScheduleRow[]> {
  return tx
    .selectFrom("report_schedules")
    .selectAll()
    .where("next_at", "<=", now)
    .orderBy("next_at")
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

export async function postpone(tx: Tx, id: ReportScheduleId, nextAt: Date): Promise<void> {
  await tx.updateTable("report_schedules").set({ next_at: nextAt }).where("id", "=", id).execute();
}
