// Stores enhanced scans, saved configurations, and the manifest of scanned files.
import type { ComplianceFramework, DiscoveryTargetType, ScanConfig, ScanStatus, ScanType } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Generated, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { orderTerms } from "#kernel/db/list-order.ts";
import type { ListOrder } from "#kernel/db/list-order.ts";
import { ofTargets, visibleTargets } from "#features/discovery/index.ts";
import type { MatchTotals } from "#features/findings/index.ts";
import { orderOf } from "./scan-order.ts";

type Fixed<T> = ColumnType<T, T, never>;
type Json<T> = ColumnType<T, string, string>;
type Later<T> = ColumnType<T | null, undefined, T | null>;

export interface EnhancedScansTable {
  id: Fixed<string>;
  target_id: Fixed<string>;
  scan_type: ScanType;
  status: ScanStatus;
  config: Json<ScanConfig>;
  frameworks: ComplianceFramework[];
  auto_vault: boolean;
  requester_id: string;
  /** The safes whose secrets are compared; null without a limit. */
  requester_safes: Fixed<string[] | null>;
  requested_by: string;
  created_at: Fixed<Date>;
  started_at: Later<Date>;
  completed_at: Later<Date>;
  logins: Generated<number>;
  files_found: Generated<number>;
  files_read: Generated<number>;
  files_unchanged: Generated<number>;
  /** `bigint`, which the driver returns as text. */
  bytes_read: ColumnType<string, undefined, number>;
  files_chosen: Later<number>;
  accounts_discovered: Generated<number>;
  findings_discovered: Generated<number>;
  secrets_found: Generated<number>;
  new_findings: Generated<number>;
  fixed_findings: Generated<number>;
  compliance_violations: Generated<number>;
  risk_score: Generated<number>;
  /** What users with the right to matched accounts see besides the totals. */
  matches: ColumnType<MatchTotals[], undefined, string>;
  unread: ColumnType<string[], undefined, string>;
  unread_count: Generated<number>;
  ended_by: Later<"time" | "files" | "bytes">;
  way: Later<"tar" | "sftp">;
  as_root: Generated<boolean>;
  error_code: Later<string>;
  error_message: Later<string>;
}

interface ScanConfigsTable {
  id: Fixed<string>;
  user_id: Fixed<string>;
  name: string;
  config: Json<ScanConfig>;
  frameworks: ComplianceFramework[];
  created_at: Fixed<Date>;
  updated_at: Date;
}

interface ScanFilesTable {
  target_id: string;
  path: string;
  stamp: string;
  engine: string;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    scans: EnhancedScansTable;
    scan_configs: ScanConfigsTable;
    scan_files: ScanFilesTable;
  }
}

export type EnhancedScanRow = Selectable<EnhancedScansTable>;
export type SavedConfigRow = Selectable<ScanConfigsTable>;

export interface ShownScan extends EnhancedScanRow {
  target_name: string;
  hostname: string;
  target_type: DiscoveryTargetType;
  can_manage: boolean;
}

const shown = (actor: Actor, condition: RawBuilder<unknown>, { order, limit, offset }: Page) => sql<ShownScan>`
  select scan.*, target.name as target_name, target.hostname, target.target_type, seen.can_manage
  from scans scan
  join ${visibleTargets(actor)} seen on seen.id = scan.target_id
  join discovery_targets target on target.id = scan.target_id
  where ${condition}
  order by ${orderTerms(order, sql`scan.id`)} limit ${limit} offset ${offset}`;

interface Page {
  order: ListOrder;
  limit: number;
  offset: number;
}

/** Scans of these targets; null for all that the user can see. */
type Targets = readonly string[] | null;

export const scansQuery = (actor: Actor, targets: Targets, page: Page): RawBuilder<ShownScan> =>
  shown(actor, ofTargets(targets), page);

export async function listScans(db: Db, actor: Actor, targets: Targets, page: Page): Promise<ShownScan[]> {
  return (await scansQuery(actor, targets, page).execute(db)).rows;
}

/** At most `most`. */
export async function countScans(db: Db, actor: Actor, targets: Targets, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from scans scan join ${visibleTargets(actor)} seen on seen.id = scan.target_id
      where ${ofTargets(targets)} limit ${most}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Null when the scan does not exist or this user cannot see its target. */
export async function readScan(db: Db, actor: Actor, id: string): Promise<ShownScan | null> {
  const page = { order: orderOf(), limit: 1, offset: 0 };
  return (await shown(actor, sql`scan.id = ${id}`, page).execute(db)).rows[0] ?? null;
}

export async function lockScan(tx: Tx, id: string): Promise<EnhancedScanRow | null> {
  return (await tx.selectFrom("scans").selectAll().where("id", "=", id).forUpdate().executeTakeFirst()) ?? null;
}

export async function hasOpenScan(db: Db, targetId: string): Promise<boolean> {
  const query = db.selectFrom("scans").select("id").where("target_id", "=", targetId);
  return (await query.where("status", "in", ["pending", "running"]).executeTakeFirst()) !== undefined;
}

export async function insertScan(tx: Tx, row: Insertable<EnhancedScansTable>): Promise<void> {
  await tx.insertInto("scans").values(row).execute();
}

export async function updateScan(tx: Tx, id: string, change: Updateable<EnhancedScansTable>): Promise<void> {
  await tx.updateTable("scans").set(change).where("id", "=", id).execute();
}

export async function addProgress(tx: Tx, id: string, { files, bytes }: { files: number; bytes: number }) {
  await sql`update scans set files_read = files_read + ${files}, bytes_read = bytes_read + ${bytes}
    where id = ${id}`.execute(tx);
}

/** Adds tables to those that the scan reads; the first call forgets what an interrupted attempt counted. */
export async function addFound(tx: Tx, id: string, { tables, isFirst }: { tables: number; isFirst: boolean }) {
  if (isFirst) {
    await updateScan(tx, id, { files_found: tables, files_chosen: tables, files_read: 0 });
    return;
  }
  await sql`update scans set files_found = files_found + ${tables}, files_chosen = files_chosen + ${tables}
    where id = ${id}`.execute(tx);
}

/** Scans whose job gave up without recording the end, because its process was killed too often. */
export async function findAbandonedScans(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select scan.id from scans scan
    where scan.status in ('pending', 'running') and not exists (
      select from job_runs run where run.id = scan.id and run.state in ('queued', 'running')
    ) order by scan.id limit 1000`.execute(db);
  return rows.map(({ id }) => id);
}

/** The stamps of the files that earlier scans of the target read with the same engine, by path. */
export async function readManifest(db: Db, targetId: string, engine: string): Promise<Map<string, string>> {
  const query = db.selectFrom("scan_files").select(["path", "stamp"]).where("target_id", "=", targetId);
  const rows = await query.where("engine", "=", engine).execute();
  return new Map(rows.map(({ path, stamp }) => [path, stamp]));
}

export async function saveManifest(
  tx: Tx,
  targetId: string,
  engine: string,
  files: readonly { path: string; stamp: string }[],
): Promise<void> {
  await sql`
    insert into scan_files (target_id, path, stamp, engine)
    select ${targetId}::uuid, file.path, file.stamp, ${engine}
    from jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as file (path text, stamp text)
    on conflict (target_id, path_key) do update set stamp = excluded.stamp, engine = excluded.engine`.execute(tx);
}

export async function forgetFiles(tx: Tx, targetId: string, paths: readonly string[]): Promise<void> {
  await sql`delete from scan_files where target_id = ${targetId} and path = any(${[...paths]}::text[])`.execute(tx);
}

export function listConfigs(db: Db, userId: string): Promise<SavedConfigRow[]> {
  const query = db.selectFrom("scan_configs").selectAll().where("user_id", "=", userId);
  return query
    .orderBy(sql`lower(name)`)
    .orderBy("id")
    .limit(500)
    .execute();
}

export async function readConfig(db: Db, userId: string, id: string): Promise<SavedConfigRow | null> {
  const query = db.selectFrom("scan_configs").selectAll().where("user_id", "=", userId).where("id", "=", id);
  return (await query.executeTakeFirst()) ?? null;
}

/** False when another configuration of the user has this name, in upper or lower case. */
export async function isNameFree(db: Db, userId: string, name: string, except: string | null): Promise<boolean> {
  const { rows } = await sql`
    select from scan_configs where user_id = ${userId} and lower(name) = lower(${name})
      and id is distinct from ${except}::uuid`.execute(db);
  return rows.length === 0;
}

export async function insertConfig(tx: Tx, row: Insertable<ScanConfigsTable>): Promise<void> {
  await tx.insertInto("scan_configs").values(row).execute();
}

export async function updateConfig(tx: Tx, id: string, change: Updateable<ScanConfigsTable>): Promise<void> {
  await tx.updateTable("scan_configs").set(change).where("id", "=", id).execute();
}

export async function deleteConfig(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("scan_configs").where("id", "=", id).execute();
}
