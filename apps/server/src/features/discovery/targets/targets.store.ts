// Stores discovery targets.
import type { ConnectorCriteria } from "@strongroom/connectors";
import type {
  DiscoveryMethod,
  DiscoveryTargetType,
  LastScan,
  ScanSchedule,
  ScanStatus,
  TargetSort,
} from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, GeneratedAlways, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { everyWord } from "#kernel/db/containing.ts";
import { isAfter, orderTerms } from "#kernel/db/list-order.ts";
import type { ListOrder, Place } from "#kernel/db/list-order.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import type { PrincipalRef } from "#features/safes/index.ts";
import type { HostKey } from "#features/secrets/index.ts";
import { ofLastScan, orderOf } from "./target-order.ts";

export interface TargetsTable {
  id: ColumnType<string, string, never>;
  safe_id: ColumnType<string, string, never>;
  name: string;
  description: string | null;
  target_type: DiscoveryTargetType;
  connection_method: DiscoveryMethod;
  hostname: string;
  port: number;
  timeout_ms: number;
  credential_id: string;
  credential_safe_id: string;
  rejected_revision: number | null;
  host_key: ColumnType<HostKey | null, string | null, string | null>;
  offered_host_key: ColumnType<HostKey | null, string | null | undefined, string | null>;
  schedule: ColumnType<ScanSchedule | null, string | null | undefined, string | null>;
  next_scan_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  network: GeneratedAlways<string>;
  is_active: boolean;
  created_by: string | null;
  created_at: ColumnType<Date, Date, never>;
  updated_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    discovery_targets: TargetsTable;
  }
}

export type TargetRow = Selectable<TargetsTable>;

export interface ShownTarget extends TargetRow {
  /** The key of the list's order. */
  key: Place["key"];
  safe_name: string;
  can_manage: boolean;
  /** The credential's fields that select its connector; null if the credential was deleted. */
  login: Pick<ConnectorCriteria, "type" | "connectionString" | "additionalParams"> | null;
  last_scan: { id: string; status: ScanStatus; completed_at: string | null; accounts_discovered: number | null } | null;
  last_enhanced_scan: { status: ScanStatus; completed_at: string | null } | null;
}

const MANAGE = sql.lit(bitOf("add"));
const SEE = sql.lit(bitOf("add") | bitOf("view_audit"));

/**
 * The targets that this user can see, as a table: `id`, `can_manage`. INVARIANT: seeing a target and its results needs
 * `add` or `view_audit` in its safe; everything else needs `add`.
 */
export const visibleTargets = (actor: PrincipalRef): RawBuilder<unknown> => sql`(
  select target.id, (mine.permissions & ${MANAGE}) <> 0 as can_manage
  from ${effectivePermissionsOf(actor)} mine
  join discovery_targets target on target.safe_id = mine.safe_id
  where (mine.permissions & ${SEE}) <> 0)`;

/** With more targets, a list of scans is read from the index of its order, and otherwise from those of the targets. */
const FEW = 100;

/** The ids of the targets that this user can see, or null for more than 100. */
export async function fewVisibleTargets(db: Db, actor: PrincipalRef): Promise<string[] | null> {
  const { rows } = await sql<{ id: string }>`
    select seen.id from ${visibleTargets(actor)} seen limit ${FEW + 1}`.execute(db);
  return rows.length > FEW ? null : rows.map(({ id }) => id);
}

const shown = (actor: Actor, condition: RawBuilder<unknown>, order: ListOrder, limit: number) => sql<ShownTarget>`
  select discovery_targets.*, ${order.key} as key, safes.name as safe_name, seen.can_manage, (
    select jsonb_build_object('type', credentials.type, 'connectionString', credentials.connection_string,
      'additionalParams', credentials.additional_params)
    from credentials where credentials.id = discovery_targets.credential_id and credentials.deleted_at is null
  ) as login,
  ${ofLastScan(
    "discovery_scans",
    sql`jsonb_build_object('id', scan.id, 'status', scan.status, 'completed_at', scan.completed_at,
      'accounts_discovered', scan.accounts_discovered)`,
  )} as last_scan,
  ${ofLastScan("scans", sql`jsonb_build_object('status', scan.status, 'completed_at', scan.completed_at)`)}
    as last_enhanced_scan
  from ${visibleTargets(actor)} seen
  join discovery_targets on discovery_targets.id = seen.id
  join safes on safes.id = discovery_targets.safe_id
  where ${condition}
  order by ${orderTerms(order, sql`discovery_targets.id`)} limit ${limit}`;

interface TargetFilter {
  search?: string | undefined;
  type?: DiscoveryTargetType | undefined;
  active?: boolean | undefined;
  last_scan?: LastScan | undefined;
  host?: string | undefined;
}

export async function listTargets(
  db: Db,
  actor: Actor,
  { sort, ...filter }: TargetFilter & { sort?: TargetSort | undefined },
  { after, limit }: { after: Place | null; limit: number },
): Promise<ShownTarget[]> {
  const order = orderOf(sort);
  const conditions = [isAfter(order, after, sql`discovery_targets.id`), ...conditionsOf(filter)];
  return (await shown(actor, sql.join(conditions, sql` and `), order, limit).execute(db)).rows;
}

/** At most `most`. */
export async function countTargets(
  db: Db,
  actor: Actor,
  { sort: _order, ...filter }: TargetFilter & { sort?: TargetSort | undefined },
  most: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from ${visibleTargets(actor)} seen
      join discovery_targets on discovery_targets.id = seen.id
      join safes on safes.id = discovery_targets.safe_id
      where ${sql.join(conditionsOf(filter), sql` and `)} limit ${most}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

function conditionsOf({ active, host, last_scan, search = "", type }: TargetFilter): RawBuilder<unknown>[] {
  const isMatch = (pattern: string) => sql`(discovery_targets.name ilike ${pattern}
    or discovery_targets.hostname ilike ${pattern} or discovery_targets.description ilike ${pattern}
    or safes.name ilike ${pattern})`;
  return [
    everyWord(search, isMatch),
    ...(type === undefined ? [] : [sql`discovery_targets.target_type = ${type}`]),
    ...(active === undefined ? [] : [sql`discovery_targets.is_active = ${active}`]),
    ...(host === undefined ? [] : [sql`lower(discovery_targets.hostname) = lower(${host})`]),
    ...(last_scan === undefined ? [] : [hasLastScan(last_scan)]),
  ];
}

function hasLastScan(wanted: LastScan): RawBuilder<unknown> {
  const [basic, enhanced] = [ofLastScan("discovery_scans", sql`scan.status`), ofLastScan("scans", sql`scan.status`)];
  return wanted === "never" ? sql`coalesce(${basic}, ${enhanced}) is null` : sql`${wanted} in (${basic}, ${enhanced})`;
}

/** Null when the target does not exist or this user cannot see it. */
export async function readTarget(db: Db, actor: Actor, id: string): Promise<ShownTarget | null> {
  return (await shown(actor, sql`discovery_targets.id = ${id}`, orderOf(), 1).execute(db)).rows[0] ?? null;
}

/** Null when the target does not exist. */
export async function lockTarget(tx: Tx, id: string): Promise<TargetRow | null> {
  const query = tx.selectFrom("discovery_targets").selectAll().where("id", "=", id);
  return (await query.forUpdate().executeTakeFirst()) ?? null;
}

export interface SeenTarget extends TargetRow {
  can_manage: boolean;
}

/**
 * Locks those targets that this user can see, always in the same order, and returns them by id. The permissions are read
 * after the locks.
 */
export async function lockSeenTargets(
  tx: Tx,
  actor: Actor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SeenTarget>> {
  const visible = sql`select seen.id from ${visibleTargets(actor)} seen where seen.id = any(${ids}::uuid[])`;
  const locked = await tx
    .selectFrom("discovery_targets")
    .selectAll()
    .where(sql<boolean>`id in (${visible})`)
    .orderBy("id")
    .forUpdate()
    .execute();
  const { rows } = await sql<{ id: string; can_manage: boolean }>`
    select seen.id, seen.can_manage from ${visibleTargets(actor)} seen
    where seen.id = any(${locked.map(({ id }) => id)}::uuid[])`.execute(tx);
  const standing = new Map(rows.map(({ id, can_manage }) => [id, can_manage]));
  return new Map(
    locked.flatMap((row) => {
      const can_manage = standing.get(row.id);
      return can_manage === undefined ? [] : [[row.id, { ...row, can_manage }] as const];
    }),
  );
}

export async function insertTarget(tx: Tx, row: Insertable<TargetsTable>): Promise<void> {
  await tx.insertInto("discovery_targets").values(row).execute();
}

export async function updateTarget(tx: Tx, id: string, change: Updateable<TargetsTable>): Promise<void> {
  await tx.updateTable("discovery_targets").set(change).where("id", "=", id).execute();
}

export async function deleteTarget(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("discovery_targets").where("id", "=", id).execute();
}

/** Locks up to `limit` targets whose schedule is due, and skips those that another process has locked. */
export function lockDueTargets(tx: Tx, now: Date, limit: number): Promise<TargetRow[]> {
  return tx
    .selectFrom("discovery_targets")
    .selectAll()
    .where("is_active", "=", true)
    .where("next_scan_at", "<=", now)
    .orderBy("next_scan_at")
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}
