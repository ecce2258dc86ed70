// Privileged sessions and their tickets in the database.
import type { SessionClient, SessionEndReason, SessionProtocol, SessionRisk } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Generated, Insertable, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { SessionProgram } from "./gateway/session-rules.store.ts";

/** Null at first, set later. */
type Later<T> = ColumnType<T | null, undefined, T | null>;
/** A bigint, which fits into a number. */
type Count = ColumnType<number, undefined, number>;

interface SessionsTable {
  id: string;
  user_id: string;
  user_name: string;
  account_id: string;
  account_name: string;
  safe_id: string;
  safe_name: string;
  platform_id: string;
  platform_name: string;
  grant_id: string | null;
  token_id: string | null;
  /** The SSH key of the native client that started it. The session ends with the key. */
  ssh_key_id: Generated<string | null>;
  gateway_id: string;
  protocol: SessionProtocol;
  client: SessionClient;
  remote_user: string;
  target: string;
  source_address: string;
  reason: string | null;
  ticket: string | null;
  is_exclusive: boolean;
  status: ColumnType<"pending" | "active" | "completed", undefined, "pending" | "active" | "completed">;
  requested_at: Date;
  started_at: Later<Date>;
  ends_at: Date;
  ended_at: Later<Date>;
  end_reason: Later<SessionEndReason>;
  end_detail: Later<string>;
  terminated_at: Later<Date>;
  terminated_by: Later<string>;
  terminated_why: Later<string>;
  input_paused_by: Later<string>;
  is_recorded: Generated<boolean>;
  input_bytes: Count;
  output_bytes: Count;
  last_activity_at: Later<Date>;
  program: Later<SessionProgram>;
  forwards_agent: Generated<boolean>;
  risk_level: SessionRisk;
  risk_reasons: string[];
}

interface SessionTicketsTable {
  ticket_hash: Buffer;
  kind: "open" | "watch";
  session_id: string;
  user_id: string;
  account_id: string;
  gateway_id: string;
  source_address: string | null;
  expires_at: Date;
  used_at: Later<Date>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    sessions: SessionsTable;
    session_tickets: SessionTicketsTable;
  }
}

export type SessionRow = Selectable<SessionsTable>;
export type TicketRow = Selectable<SessionTicketsTable>;

export async function insertSession(tx: Tx, row: Insertable<SessionsTable>): Promise<void> {
  await tx.insertInto("sessions").values(row).execute();
}

/** The first key of the advisory locks on session starts; the second one identifies the user. No other code may use it. */
const STARTS_LOCK = 7_316_055;

/** Serializes the session starts of one user until the transaction ends. */
export async function lockStarts(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(STARTS_LOCK)}, hashtext(${userId}))`.execute(tx);
}

/** The live sessions of a user, and those whose ticket can still be redeemed. */
export async function countOpen(tx: Tx, userId: string, ticketSeconds: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from sessions
    where user_id = ${userId} and status <> 'completed'
      and (status = 'active' or requested_at > access_time() - make_interval(secs => ${ticketSeconds}))`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function insertTicket(tx: Tx, row: Omit<Insertable<SessionTicketsTable>, "expires_at">, seconds: number) {
  const expires_at = sql<Date>`access_time() + make_interval(secs => ${seconds})`;
  const insert = tx.insertInto("session_tickets").values({ ...row, expires_at });
  return (await insert.returning("expires_at").executeTakeFirstOrThrow()).expires_at;
}

export interface TicketUse {
  hash: Buffer;
  sessionId: string;
  gatewayId: string;
  sourceAddress: string | null;
}

/**
 * INVARIANT: a ticket is used once: of any number of attempts on any number of gateways, one statement lets one through.
 * Returns null for a ticket that is unknown, used, expired, or for another session, gateway or address.
 */
export async function takeTicket(tx: Tx, { hash, sessionId, gatewayId, sourceAddress }: TicketUse) {
  const { rows } = await sql<TicketRow>`
    update session_tickets set used_at = access_time()
    where ticket_hash = ${hash} and session_id = ${sessionId} and gateway_id = ${gatewayId}
      and (source_address is null or source_address = ${sourceAddress})
      and used_at is null and expires_at > access_time()
    returning *`.execute(tx);
  return rows[0] ?? null;
}

/** The session that a ticket opens, without using the ticket; null under the same conditions as `takeTicket`. */
export async function findTicket(db: Db, { hash, gatewayId, sourceAddress }: Omit<TicketUse, "sessionId">) {
  const { rows } = await sql<FoundTicket>`
    select session.id, credentials.id as account_id, credentials.name, credentials.username, credentials.host, users.email
    from session_tickets ticket
    join sessions session on session.id = ticket.session_id
    join credentials on credentials.id = ticket.account_id
    join users on users.id = ticket.user_id
    where ticket_hash = ${hash} and ticket.kind = 'open' and ticket.gateway_id = ${gatewayId}
      and session.client = 'native' and (ticket.source_address is null or ticket.source_address = ${sourceAddress})
      and ticket.used_at is null and ticket.expires_at > access_time()`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { id, account_id, name, username, host, email } = row;
  return { sessionId: id, account: { id: account_id, name, username, host }, userEmail: email };
}

interface FoundTicket {
  id: string;
  account_id: string;
  name: string;
  username: string;
  host: string;
  email: string;
}

/** Locks the session until the transaction ends; null without one. */
export async function lockSession(tx: Tx, id: string): Promise<SessionRow | null> {
  return (await tx.selectFrom("sessions").selectAll().where("id", "=", id).forUpdate().executeTakeFirst()) ?? null;
}

export async function readSession(db: Db, id: string): Promise<SessionRow | null> {
  return (await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

export interface SessionEnd {
  reason: SessionEndReason;
  /** In words; null when the reason code says enough. */
  detail: string | null;
}

export interface SessionCounts {
  inputBytes: number;
  outputBytes: number;
  lastActivityAt: Date | null;
}

/** INVARIANT: the end of a session is set once. Returns null when it had ended before. */
export async function markEnded(
  tx: Tx,
  id: string,
  { reason, detail }: SessionEnd,
  counts: SessionCounts | null,
): Promise<SessionRow | null> {
  const { rows } = await sql<SessionRow>`
    update sessions set status = 'completed', ended_at = access_time(), end_reason = ${reason}, end_detail = ${detail},
      input_bytes = coalesce(${counts?.inputBytes ?? null}::bigint, input_bytes),
      output_bytes = coalesce(${counts?.outputBytes ?? null}::bigint, output_bytes),
      last_activity_at = coalesce(${counts?.lastActivityAt ?? null}::timestamptz, last_activity_at)
    where id = ${id} and status <> 'completed' returning *`.execute(tx);
  return rows[0] ?? null;
}

/** Records the amount of data that sessions have transferred so far. */
export async function noteTraffic(db: Db, traffic: readonly (SessionCounts & { id: string })[]): Promise<void> {
  if (traffic.length === 0) return;
  const column = <T>(pick: (each: SessionCounts & { id: string }) => T): T[] => traffic.map(pick);
  await sql`
    update sessions set input_bytes = seen.input, output_bytes = seen.output, last_activity_at = seen.at
    from unnest(${column(({ id }) => id)}::uuid[], ${column(({ inputBytes }) => inputBytes)}::bigint[],
      ${column(({ outputBytes }) => outputBytes)}::bigint[],
      ${column(({ lastActivityAt }) => lastActivityAt)}::timestamptz[]) as seen (id, input, output, at)
    where sessions.id = seen.id and status = 'active'`.execute(db);
}
