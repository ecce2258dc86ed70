// Stores range scans, the hosts that they found, and the allowed networks.
import type { DiscoveryTargetType, FoundServiceProtocol, ScanStatus } from "@strongroom/contract";
import type { FoundHost, FoundService } from "@strongroom/connectors";
import { sql } from "kysely";
import type { ColumnType, Generated, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { JsonColumn } from "#kernel/db/tables.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { newId } from "#kernel/id.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";

export interface RuleCredential {
  target_type: DiscoveryTargetType;
  credential_id: string;
  /** The credential's safe when the user chose it. */
  credential_safe_id: string;
}

interface RangeScansTable {
  id: ColumnType<string, string, never>;
  safe_id: ColumnType<string, string, never>;
  name: string;
  ranges: string[];
  exclusions: string[];
  ports: number[];
  rate: number;
  timeout_ms: number;
  credentials: JsonColumn<RuleCredential[]>;
  creates_targets: boolean;
  status: ScanStatus;
  requested_by: string;
  requested_by_id: string;
  addresses: number;
  scanned: Generated<number>;
  refused: Generated<number>;
  created_at: ColumnType<Date, Date, never>;
  started_at: ColumnType<Date | null, undefined, Date>;
  completed_at: ColumnType<Date | null, undefined, Date>;
  error_code: ColumnType<string | null, undefined, string>;
  error_message: ColumnType<string | null, undefined, string>;
}

interface HostsTable {
  id: string;
  range_scan_id: string;
  address: string;
  services: JsonColumn<FoundService[]>;
  found_at: Date;
}

interface NetworksTable {
  id: string;
  network: string;
  description: string | null;
  created_by: string;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    discovery_range_scans: RangeScansTable;
    discovery_hosts: HostsTable;
    discovery_networks: NetworksTable;
  }
}

export type RangeScanRow = Selectable<RangeScansTable>;
export type NetworkRow = Selectable<NetworksTable>;
export interface ShownRangeScan extends RangeScanRow {
  safe_name: string;
  hosts_found: number;
  can_manage: boolean;
}

const MANAGE = sql.lit(bitOf("add"));
const SEE = sql.lit(bitOf("add") | bitOf("view_audit"));

/** INVARIANT: seeing a range scan and its hosts needs `add` or `view_audit` in its safe. */
const shown = (actor: Actor, condition: RawBuilder<unknown>, limit: number) => sql<ShownRangeScan>`
  select scan.*, safes.name as safe_name, (mine.permissions & ${MANAGE}) <> 0 as can_manage,
    (select count(*)::integer from discovery_hosts host where host.range_scan_id = scan.id) as hosts_found
  from ${effectivePermissionsOf(actor)} mine
  join discovery_range_scans scan on scan.safe_id = mine.safe_id
  join safes on safes.id = scan.safe_id
  where (mine.permissions & ${SEE}) <> 0 and ${condition}
  order by scan.created_at desc, scan.id desc limit ${limit}`;

interface RangeScansQuery {
  status: ScanStatus | null;
  after: TimePlace | null;
  limit: number;
}

export async function listRangeScans(db: Db, actor: Actor, query: RangeScansQuery): Promise<ShownRangeScan[]> {
  const { status, after, limit } = query;
  const conditions = [
    sql`true`,
    ...(status === null ? [] : [sql`scan.status = ${status}`]),
    ...(after === null ? [] : [sql`(scan.created_at, scan.id) < (${after.at}, ${after.id}::uuid)`]),
  ];
  return (await shown(actor, sql.join(conditions, sql` and `), limit).execute(db)).rows;
}

/** Null when the scan does not exist or this user cannot see it. */
export async function readRangeScan(db: Db, actor: Actor, id: string): Promise<ShownRangeScan | null> {
  return (await shown(actor, sql`scan.id = ${id}`, 1).execute(db)).rows[0] ?? null;
}

export async function lockRangeScan(tx: Tx, id: string): Promise<RangeScanRow | null> {
  const query = tx.selectFrom("discovery_range_scans").selectAll().where("id", "=", id);
  return (await query.forUpdate().executeTakeFirst()) ?? null;
}

export async function insertRangeScan(
  tx: Tx,
  { credentials, ...row }: Omit<Insertable<RangeScansTable>, "credentials"> & { credentials: RuleCredential[] },
): Promise<void> {
  await tx
    .insertInto("discovery_range_scans")
    .values({ ...row, credentials: JSON.stringify(credentials) })
    .execute();
}

export async function updateRangeScan(tx: Db, id: string, change: Updateable<RangeScansTable>): Promise<void> {
  await tx.updateTable("discovery_range_scans").set(change).where("id", "=", id).execute();
}

/** Never lowers the number: writes may arrive in any order. */
export async function saveProgress(tx: Tx, id: string, done: number): Promise<void> {
  await sql`update discovery_range_scans set scanned = greatest(scanned, ${done}) where id = ${id}`.execute(tx);
}

/** A host that an earlier attempt of the job found is updated. */
export async function saveHost(tx: Tx, scanId: string, { address, services }: FoundHost, at: Date): Promise<void> {
  const row = {
    id: newId(at.getTime()),
    range_scan_id: scanId,
    address,
    services: JSON.stringify(services),
    found_at: at,
  };
  await tx
    .insertInto("discovery_hosts")
    .values(row)
    .onConflict((conflict) => conflict.columns(["range_scan_id", "address"]).doUpdateSet({ services: row.services }))
    .execute();
}

export interface HostRow {
  id: string;
  address: string;
  services: FoundService[];
  found_at: Date;
  /** The targets of the safe at this address, by port. */
  targets: Record<string, string>;
}

interface HostsQuery {
  protocol: FoundServiceProtocol | null;
  after: string | null;
  limit: number;
}

export async function listHosts(db: Db, scan: RangeScanRow, query: HostsQuery): Promise<HostRow[]> {
  const { protocol, after, limit } = query;
  const { rows } = await sql<HostRow>`
    select host.id, host(host.address) as address, host.services, host.found_at, coalesce((
      select jsonb_object_agg(target.port, target.id) from discovery_targets target
      where target.safe_id = ${scan.safe_id} and lower(target.hostname) = host(host.address)
    ), '{}') as targets
    from discovery_hosts host
    where host.range_scan_id = ${scan.id}
      ${after === null ? sql`` : sql`and host.address > ${after}::inet`}
      ${protocol === null ? sql`` : sql`and host.services @> ${JSON.stringify([{ protocol }])}::jsonb`}
    order by host.address limit ${limit}`.execute(db);
  return rows;
}

/** Whether the safe has a target at this address and port. */
export async function hasTargetAt(db: Db, safeId: string, address: string, port: number): Promise<boolean> {
  const { rows } = await sql`
    select from discovery_targets
    where safe_id = ${safeId} and lower(hostname) = ${address} and port = ${port} limit 1`.execute(db);
  return rows.length > 0;
}

export function listNetworks(db: Db): Promise<NetworkRow[]> {
  return db.selectFrom("discovery_networks").selectAll().orderBy("network").limit(1000).execute();
}

/** False if the network is in the list already. */
export async function insertNetwork(tx: Tx, row: NetworkRow): Promise<boolean> {
  const query = tx
    .insertInto("discovery_networks")
    .values(row)
    .onConflict((conflict) => conflict.doNothing());
  return (await query.returning("id").executeTakeFirst()) !== undefined;
}

/** Null when it does not exist. */
export async function deleteNetwork(tx: Tx, id: string): Promise<NetworkRow | null> {
  return (await tx.deleteFrom("discovery_networks").where("id", "=", id).returningAll().executeTakeFirst()) ?? null;
}

/** Range scans whose job gave up without recording the end. */
export async function findAbandonedRangeScans(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select scan.id from discovery_range_scans scan
    where scan.status in ('pending', 'running') and not exists (
      select from job_runs run where run.id = scan.id and run.state in ('queued', 'running')
    ) order by scan.id limit 1000`.execute(db);
  return rows.map(({ id }) => id);
}
