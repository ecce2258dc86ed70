// Stores scans.
import type { DiscoveryTargetType, ScanCommand, ScanPhase, ScanStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Generated, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { isAfter, orderTerms } from "#kernel/db/list-order.ts";
import type { ListOrder, Place } from "#kernel/db/list-order.ts";
import { visibleTargets } from "../targets/targets.store.ts";
import { orderOf } from "./scan-order.ts";

export interface ScansTable {
  id: ColumnType<string, string, never>;
  target_id: ColumnType<string, string, never>;
  status: ScanStatus;
  include_system_accounts: boolean;
  timeout_ms: number;
  max_accounts: number;
  requested_by: string;
  is_scheduled: Generated<boolean>;
  regions: Generated<string[]>;
  commands: ColumnType<ScanCommand[], undefined, string>;
  incomplete_reason: ColumnType<string | null, undefined, string | null>;
  created_at: ColumnType<Date, Date, never>;
  started_at: ColumnType<Date | null, undefined, Date>;
  completed_at: ColumnType<Date | null, undefined, Date>;
  accounts_discovered: ColumnType<number | null, undefined, number>;
  accounts_stored: ColumnType<number | null, undefined, number>;
  is_complete: Generated<boolean>;
  logins: Generated<number>;
  phase: ColumnType<ScanPhase | null, undefined, ScanPhase | null>;
  accounts_so_far: ColumnType<number | null, undefined, number | null>;
  error_code: ColumnType<string | null, undefined, string | null>;
  error_message: ColumnType<string | null, undefined, string | null>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    discovery_scans: ScansTable;
  }
}

export type ScanRow = Selectable<ScansTable>;

export interface ShownScan extends ScanRow {
  target_name: string;
  hostname: string;
  target_type: DiscoveryTargetType;
  can_manage: boolean;
  /** The key of the list's order. */
  key: Place["key"];
}

interface Page {
  order: ListOrder;
  limit: number;
  offset: number;
}

const shown = (actor: Actor, condition: RawBuilder<unknown>, { order, limit, offset }: Page) => sql<ShownScan>`
  select scan.*, ${order.key} as key, target.name as target_name, target.hostname, target.target_type, seen.can_manage
  from discovery_scans scan
  join ${visibleTargets(actor)} seen on seen.id = scan.target_id
  join discovery_targets target on target.id = scan.target_id
  where ${condition}
  order by ${orderTerms(order, sql`scan.id`)} limit ${limit} offset ${offset}`;

export interface ScansQuery extends Page {
  /** Only scans of these targets; null for all that the user can see. */
  targets: readonly string[] | null;
  status: ScanStatus | null;
  after: Place | null;
}

export const ofTargets = (targets: readonly string[] | null): RawBuilder<unknown> =>
  targets === null ? sql`true` : sql`scan.target_id = any(${[...targets]}::uuid[])`;

export function scansQuery(actor: Actor, { targets, status, after, ...page }: ScansQuery): RawBuilder<ShownScan> {
  const conditions = [
    isAfter(page.order, after, sql`scan.id`),
    ofTargets(targets),
    ...(status === null ? [] : [sql`scan.status = ${status}`]),
  ];
  return shown(actor, sql.join(conditions, sql` and `), page);
}

export async function listScans(db: Db, actor: Actor, query: ScansQuery): Promise<ShownScan[]> {
  return (await scansQuery(actor, query).execute(db)).rows;
}

/** Null when the scan does not exist or this user cannot see its target. */
export async function readScan(db: Db, actor: Actor, id: string): Promise<ShownScan | null> {
  const page = { order: orderOf(), limit: 1, offset: 0 };
  return (await shown(actor, sql`scan.id = ${id}`, page).execute(db)).rows[0] ?? null;
}

export async function lockScan(tx: Tx, id: string): Promise<ScanRow | null> {
  const query = tx.selectFrom("discovery_scans").selectAll().where("id", "=", id);
  return (await query.forUpdate().executeTakeFirst()) ?? null;
}

export async function hasOpenScan(db: Db, targetId: string): Promise<boolean> {
  const query = db.selectFrom("discovery_scans").select("id").where("target_id", "=", targetId);
  return (await query.where("status", "in", ["pending", "running"]).executeTakeFirst()) !== undefined;
}

export async function insertScan(tx: Tx, row: Insertable<ScansTable>): Promise<void> {
  await tx.insertInto("discovery_scans").values(row).execute();
}

export async function updateScan(tx: Tx, id: string, change: Updateable<ScansTable>): Promise<void> {
  await tx.updateTable("discovery_scans").set(change).where("id", "=", id).execute();
}

/** True if the scan is still running. */
export async function saveProgress(
  tx: Tx,
  id: string,
  { phase, accounts }: { phase: ScanPhase; accounts: number | null },
): Promise<boolean> {
  const query = tx.updateTable("discovery_scans").set({ phase, accounts_so_far: accounts }).where("id", "=", id);
  const { numUpdatedRows } = await query.where("status", "=", "running").executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Scans whose job gave up without recording the end, because its process was killed too often. */
export async function findAbandonedScans(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select scan.id from discovery_scans scan
    where scan.status in ('pending', 'running') and not exists (
      select from job_runs run where run.id = scan.id and run.state in ('queued', 'running')
    ) order by scan.id limit 1000`.execute(db);
  return rows.map(({ id }) => id);
}

/** The running scans of other targets in a network. Concurrent processes wait for each other. */
export async function countRunningIn(tx: Tx, network: string, scanId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`discovery ${network}`}, 0))`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from discovery_scans scan join discovery_targets target on target.id = scan.target_id
    where scan.status = 'running' and target.network = ${network} and scan.id <> ${scanId}`.execute(tx);
  return rows[0]?.count ?? 0;
}
