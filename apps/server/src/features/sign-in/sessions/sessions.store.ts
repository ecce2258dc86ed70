// Reads and writes the rows of open sessions.
import type { Role, SessionId, SignInPolicy, SshKeyId, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import { policyColumns } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import type { SignInMethod } from "../sign-in.policy.ts";

export interface SessionsTable {
  id: SessionId;
  user_id: UserId;
  stream_hash: Buffer;
  is_remembered: boolean;
  ip: string;
  agent: string | null;
  created_at: Date;
  last_active_at: Date;
  expires_at: Date;
  /** When the user last proved their identity. */
  proved_at: Date;
  method: SignInMethod;
  /** The SSH key that proved the identity; deleting the key ends the session. */
  ssh_key_id: SshKeyId | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    sign_in_sessions: SessionsTable;
  }
}

/** A session with its user and the current policy: everything needed to authenticate a call, in one row. */
export interface LiveSession extends Omit<SessionsTable, "stream_hash" | "ssh_key_id">, SignInPolicy {
  email: string;
  name: string;
  role: Role;
  status: UsersTable["status"];
  /** Null when the vault is open. */
  vault_closed_at: Date | null;
  vault_opens_at: Date | null;
}

const live = (db: Db) =>
  db
    .selectFrom("sign_in_sessions")
    .innerJoin("users", "users.id", "sign_in_sessions.user_id")
    .innerJoin("sign_in_policy", (join) => join.onTrue())
    .leftJoin("vault_closures", (join) =>
      join
        .onRef("vault_closures.user_id", "=", "sign_in_sessions.user_id")
        .on("vault_closures.blocks_vault", "=", sql.lit(true)),
    )
    .select([
      "sign_in_sessions.id",
      "sign_in_sessions.user_id",
      "sign_in_sessions.is_remembered",
      "sign_in_sessions.ip",
      "sign_in_sessions.agent",
      "sign_in_sessions.created_at",
      "sign_in_sessions.last_active_at",
      "sign_in_sessions.expires_at",
      "sign_in_sessions.proved_at",
      "sign_in_sessions.method",
      "users.email",
      "users.name",
      "users.role",
      "users.status",
      "vault_closures.closed_at as vault_closed_at",
      "vault_closures.opens_at as vault_opens_at",
    ])
    .select(policyColumns);

/** The most frequent query; concurrent calls share one prepared statement. Returns sessions in the order of `ids`. */
export async function findSessions(db: Db, ids: readonly string[]): Promise<(LiveSession | undefined)[]> {
  // The inner `select` hides the number of ids from the planner, which therefore keeps one generic plan. This saves
  // most of the work.
  const wanted = sql<SessionId>`any((select ${ids}::uuid[])::uuid[])`;
  const query = live(db).where("sign_in_sessions.id", "=", wanted);
  const { rows } = await db.executeQuery(named("sessions-by-id", query.compile()));
  const byId = new Map<string, LiveSession>(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

export const findSessionByStream = (db: Db, streamHash: Buffer): Promise<LiveSession | undefined> =>
  live(db).where("sign_in_sessions.stream_hash", "=", streamHash).executeTakeFirst();

/** The most recently active session comes first. */
export const findSessionsOf = (db: Db, userId: string): Promise<LiveSession[]> =>
  live(db)
    .where("sign_in_sessions.user_id", "=", userId as UserId)
    .orderBy("sign_in_sessions.last_active_at", "desc")
    .orderBy("sign_in_sessions.id")
    .execute();

export async function insertSession(tx: Tx, session: SessionsTable): Promise<void> {
  await tx.insertInto("sign_in_sessions").values(session).execute();
}

/** Records activity with one write per session, however many calls there were, and never moves the time backwards. */
export async function touchSessions(db: Db, ids: readonly string[], at: Date, ifBefore: Date): Promise<void> {
  await sql`
    update sign_in_sessions set last_active_at = ${at}
    where id in (
      select id from sign_in_sessions
      where id = any(${[...new Set(ids)]}::uuid[]) and last_active_at <= ${ifBefore}
      order by id for update
    )
  `.execute(db);
}

export interface EndedSession {
  id: SessionId;
  user_id: UserId;
}

export async function markProved(tx: Tx, sessionId: SessionId, at: Date): Promise<void> {
  await tx.updateTable("sign_in_sessions").set({ proved_at: at }).where("id", "=", sessionId).execute();
}

/** Returns the deleted session; undefined when this user has none with this id. */
export const deleteSession = (
  tx: Tx,
  userId: string,
  sessionId: string,
): Promise<(EndedSession & Pick<SessionsTable, "method">) | undefined> =>
  tx
    .deleteFrom("sign_in_sessions")
    .where("id", "=", sessionId as SessionId)
    .where("user_id", "=", userId as UserId)
    .returning(["id", "user_id", "method"])
    .executeTakeFirst();

/** Locks rows in the order in which calls update them. */
export async function deleteSessionsOf(tx: Tx, userId: string, exceptId?: string): Promise<EndedSession[]> {
  const { rows } = await sql<EndedSession>`
    delete from sign_in_sessions where id in (
      select id from sign_in_sessions where user_id = ${userId} and id is distinct from ${exceptId ?? null}::uuid
      order by id for update
    ) returning id, user_id`.execute(tx);
  return rows;
}

/**
 * Locks rows in the order in which calls update them, to avoid deadlocks. Deliberately includes users whose provider
 * verified a second factor: the provider's statement is not checked again within a session, and signing in
 * again restores access.
 */
export async function deleteSessionsWithoutFactor(tx: Tx, roles: readonly Role[]): Promise<EndedSession[]> {
  const { rows } = await sql<EndedSession>`
    delete from sign_in_sessions where id in (
      select session.id from sign_in_sessions session join users on users.id = session.user_id
      where users.role = any(${[...roles]}::text[])
        and not exists (select from factors where factors.user_id = session.user_id)
      order by session.id for update of session
    ) returning id, user_id`.execute(tx);
  return rows;
}

export type SessionLife = Pick<
  LiveSession,
  "id" | "user_id" | "role" | "is_remembered" | "created_at" | "last_active_at" | "expires_at" | "proved_at"
>;

export const findLives = (db: Db): Promise<SessionLife[]> =>
  db
    .selectFrom("sign_in_sessions as session")
    .innerJoin("users", "users.id", "session.user_id")
    .select(["session.id", "session.user_id", "users.role", "session.is_remembered", "session.created_at"])
    .select(["session.last_active_at", "session.expires_at", "session.proved_at"])
    .execute();

/**
 * Sessions that may be over; the caller applies the exact rules. `idleSince` and `madeBefore` follow the strictest
 * limits.
 */
export const findSessionsToSweep = (db: Db, idleSince: Date, madeBefore: Date, now: Date): Promise<LiveSession[]> =>
  live(db)
    .where((where) =>
      where.or([
        where("sign_in_sessions.last_active_at", "<", idleSince),
        where("sign_in_sessions.created_at", "<", madeBefore),
        where("sign_in_sessions.expires_at", "<=", now),
      ]),
    )
    .execute();

/** Locks rows in the order in which calls update them. */
export async function deleteSessions(tx: Tx, ids: readonly string[]): Promise<EndedSession[]> {
  const { rows } = await sql<EndedSession>`
    delete from sign_in_sessions where id in (
      select id from sign_in_sessions where id = any(${[...ids]}::uuid[]) order by id for update
    ) returning id, user_id`.execute(tx);
  return rows;
}

/** Deletes the sessions of all users. */
export async function deleteAllSessions(tx: Tx): Promise<EndedSession[]> {
  return tx.deleteFrom("sign_in_sessions").returning(["id", "user_id"]).execute();
}

export async function countSessions(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("sign_in_sessions")
    .select(["user_id", sql<number>`count(*)`.as("count")])
    .where("user_id", "in", [...userIds] as UserId[])
    .groupBy("user_id")
    .execute();
  return new Map(rows.map((row) => [row.user_id, row.count]));
}
