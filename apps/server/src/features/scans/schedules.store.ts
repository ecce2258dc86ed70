// Stores the schedules of enhanced scans.
import type { ComplianceFramework, DiscoveryTargetType, ScanConfig, ScanSchedule } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, RawBuilder, Selectable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { visibleTargets } from "#features/discovery/index.ts";

interface ScanSchedulesTable {
  id: string;
  target_id: string;
  owner_id: string;
  schedule: ColumnType<ScanSchedule, string, string>;
  config: ColumnType<ScanConfig, string, string>;
  frameworks: ComplianceFramework[];
  next_at: Date | null;
  problem: ColumnType<string | null, undefined, string | null>;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    scan_schedules: ScanSchedulesTable;
  }
}

export type ScheduleRow = Selectable<ScanSchedulesTable>;

export interface ShownSchedule extends ScheduleRow {
  target_name: string;
  hostname: string;
  target_type: DiscoveryTargetType;
  owner: string;
  can_manage: boolean;
}

const shown = (actor: Actor, condition: RawBuilder<unknown>, limit: number, offset: number) => sql<ShownSchedule>`
  select planned.*, target.name as target_name, target.hostname, target.target_type, users.name as owner, seen.can_manage
  from scan_schedules planned
  join ${visibleTargets(actor)} seen on seen.id = planned.target_id
  join discovery_targets target on target.id = planned.target_id
  join users on users.id = planned.owner_id
  where ${condition}
  order by lower(target.name), planned.target_id, planned.created_at, planned.id limit ${limit} offset ${offset}`;

export async function listSchedules(db: Db, actor: Actor, limit: number, offset: number): Promise<ShownSchedule[]> {
  return (await shown(actor, sql`true`, limit, offset).execute(db)).rows;
}

/** At most `most`. */
export async function countSchedules(db: Db, actor: Actor, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from scan_schedules planned join ${visibleTargets(actor)} seen on seen.id = planned.target_id
      limit ${most}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Null when the schedule does not exist or this user cannot see its target. */
export async function readSchedule(db: Db, actor: Actor, id: string): Promise<ShownSchedule | null> {
  return (await shown(actor, sql`planned.id = ${id}`, 1, 0).execute(db)).rows[0] ?? null;
}

export async function countOfTarget(db: Db, targetId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from scan_schedules where target_id = ${targetId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function insertSchedule(tx: Tx, row: Insertable<ScanSchedulesTable>): Promise<void> {
  await tx.insertInto("scan_schedules").values(row).execute();
}

export async function deleteSchedule(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("scan_schedules").where("id", "=", id).execute();
}

export function lockDueSchedules(tx: Tx, now: Date, limit: number): Promise<ScheduleRow[]> {
  const query = tx.selectFrom("scan_schedules").selectAll().where("next_at", "<=", now);
  return query.orderBy("next_at").orderBy("id").limit(limit).forUpdate().skipLocked().execute();
}

export async function updateSchedule(
  tx: Tx,
  id: string,
  change: { next_at: Date | null; problem: string | null },
): Promise<void> {
  await tx.updateTable("scan_schedules").set(change).where("id", "=", id).execute();
}

/** Whether this user may scan the target now. */
export async function mayScan(db: Db, user: Pick<Actor, "id" | "role">, targetId: string): Promise<boolean> {
  const { rows } = await sql`
    select from ${visibleTargets(user)} seen where seen.id = ${targetId} and seen.can_manage`.execute(db);
  return rows.length > 0;
}
