// Gateways in the database: each registers itself and is alive while its heartbeat is recent.
import { sql } from "kysely";
import type { ColumnType, Generated, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface GatewaysTable {
  id: string;
  name: string;
  address: string | null;
  relay_address: string | null;
  zone: string | null;
  version: string;
  started_at: Date;
  heartbeat_at: Date;
  is_draining: Generated<boolean>;
  problem: ColumnType<string | null, string | null | undefined, string | null>;
  live_sessions: Generated<number>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    gateways: GatewaysTable;
  }
}

export interface GatewayRow extends Selectable<GatewaysTable> {
  /** Its heartbeat is recent. */
  is_alive: boolean;
}

/** A gateway sends a heartbeat this often, in seconds. */
export const HEARTBEAT_SECONDS = 5;
/** Without a heartbeat for this long it is lost, and so are its sessions: it ends them itself after 30 s. */
export const LOST_SECONDS = 40;
/** A gateway without a heartbeat for this long is no longer listed. */
const FORGOTTEN = sql.lit("1 day");

export interface GatewayFacts {
  id: string;
  name: string;
  /** Where native clients reach it; null: it serves browsers only. */
  address: string | null;
  /** Where servers on other machines reach it; null: only a server with the same data folder does. */
  relayAddress: string | null;
  zone: string | null;
  version: string;
}

export async function registerGateway(db: Db, facts: GatewayFacts): Promise<void> {
  const { id, name, address, relayAddress, zone, version } = facts;
  await sql`
    insert into gateways (id, name, address, relay_address, zone, version, started_at, heartbeat_at)
    values (${id}, ${name}, ${address}, ${relayAddress}, ${zone}, ${version}, access_time(), access_time())`.execute(
    db,
  );
  await sql`delete from gateways where heartbeat_at < access_time() - interval ${FORGOTTEN}`.execute(db);
}

export interface Heartbeat {
  liveSessions: number;
  /** Why it starts no sessions, such as a sealed vault; null when it does. */
  problem: string | null;
}

/** Returns whether the gateway should start no more sessions; null when it must register again. */
export async function beatGateway(db: Db, id: string, { liveSessions, problem }: Heartbeat) {
  const { rows } = await sql<{ is_draining: boolean }>`
    update gateways set heartbeat_at = access_time(), live_sessions = ${liveSessions}, problem = ${problem}
    where id = ${id} returning is_draining`.execute(db);
  return rows[0] === undefined ? null : { isDraining: rows[0].is_draining };
}

export async function unregisterGateway(db: Db, id: string): Promise<void> {
  await db.deleteFrom("gateways").where("id", "=", id).execute();
}

/** A condition on rows of `gateways`. */
export const isAlive = sql<boolean>`heartbeat_at > access_time() - make_interval(secs => ${sql.lit(LOST_SECONDS)})`;

export async function readGateways(db: Db): Promise<GatewayRow[]> {
  const query = db.selectFrom("gateways").selectAll().select(isAlive.as("is_alive"));
  return await query.orderBy("name").orderBy("started_at").execute();
}

/** Returns the gateway's current row, or null. */
export async function setDraining(tx: Tx, id: string, isDraining: boolean): Promise<{ name: string } | null> {
  const update = tx.updateTable("gateways").set({ is_draining: isDraining }).where("id", "=", id).returning("name");
  return (await update.executeTakeFirst()) ?? null;
}

/** The live sessions whose gateway has gone, oldest first. */
export async function findOrphans(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select sessions.id from sessions left join gateways on gateways.id = sessions.gateway_id and ${isAlive}
    where sessions.status = 'active' and gateways.id is null
      and sessions.started_at < access_time() - make_interval(secs => ${sql.lit(LOST_SECONDS)})
    order by sessions.started_at limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes sessions whose ticket was never redeemed: nothing happened in them, and the audit trail has the request. */
export async function deleteUnopened(db: Db): Promise<void> {
  await sql`
    delete from sessions where status = 'pending' and requested_at < access_time() - interval '5 minutes'`.execute(db);
  await sql`delete from session_tickets where expires_at < access_time() - interval '1 hour'`.execute(db);
}

/** `host:port`, where an IPv6 host is in brackets. */
export function addressOf(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`ssh://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port === "" ? 22 : port) };
}
