// Stores verification attempts. At most one attempt per secret is under way, across all processes.
import type { VerifyReply } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import type { Trigger } from "./verification.policy.ts";

export type Outcome = VerifyReply["data"]["outcome"];

type Ending<T> = ColumnType<T | null, T | null | undefined, T | null>;

export interface VerificationAttemptsTable {
  id: string;
  credential_id: string;
  /** Null for an account. */
  user_id: string | null;
  revision: number;
  trigger: Trigger;
  run_id: string | null;
  triggered_by: string;
  credential_name: string;
  type: string;
  host: string | null;
  username: string | null;
  /** Host, port and user name in lower case; null where no login is counted. */
  login: string | null;
  method: string;
  started_at: Date;
  lease_until: ColumnType<Date, unknown, unknown>;
  finished_at: Ending<Date>;
  outcome: Ending<Outcome>;
  code: Ending<string>;
  message: Ending<string>;
  duration_ms: Ending<number>;
  is_outdated: ColumnType<boolean, boolean | undefined, boolean>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    verification_attempts: VerificationAttemptsTable;
  }
}

export type AttemptRow = Selectable<VerificationAttemptsTable>;
export type NewAttempt = Omit<Insertable<VerificationAttemptsTable>, "lease_until">;
/** An attempt of a rotation, which counts toward no limit. */
type EndedAttempt = Omit<NewAttempt, "login">;

/** Leases use the database's clock, because it is the same for all processes. */
const inSeconds = (seconds: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;

/** Call with the secret's row locked. */
export async function insertAttempt(tx: Tx, attempt: NewAttempt, leaseSeconds: number): Promise<AttemptRow> {
  const row = { ...attempt, lease_until: inSeconds(leaseSeconds) };
  const query = tx.insertInto("verification_attempts").values(row).returningAll().compile();
  return (await tx.executeQuery(named("attempts.insert", query))).rows[0]!;
}

/** Inserts a rotation's completed verification attempts. */
export async function insertEndedAttempts(tx: Tx, attempts: readonly EndedAttempt[]): Promise<void> {
  const rows = attempts.map((attempt) => ({ ...attempt, login: null, lease_until: attempt.started_at }));
  await tx.insertInto("verification_attempts").values(rows).execute();
}

export interface RunningAttempt {
  attempt: AttemptRow;
  /** The attempt's process died or hangs. */
  isAbandoned: boolean;
}

export async function findRunningAttempt(db: Db, credentialId: string): Promise<RunningAttempt | null> {
  const query = db
    .selectFrom("verification_attempts")
    .selectAll()
    .select(sql<boolean>`lease_until < clock_timestamp()`.as("is_abandoned"))
    .where("credential_id", "=", credentialId)
    .where("finished_at", "is", null);
  const [row] = (await db.executeQuery(named("attempts.under-way", query.compile()))).rows;
  if (row === undefined) return null;
  const { is_abandoned, ...attempt } = row;
  return { attempt, isAbandoned: is_abandoned };
}

/** Counts the rejected attempts of the login since then. */
export async function countRejections(
  tx: Tx,
  login: string,
  since: Date,
): Promise<{ count: number; last: Date | null }> {
  const query = tx
    .selectFrom("verification_attempts")
    .select(({ fn }) => [sql<number>`count(*)::integer`.as("count"), fn.max("started_at").as("last")])
    .where("login", "=", login)
    .where("started_at", ">", since)
    .where("outcome", "=", sql.lit("rejected"));
  return (await tx.executeQuery(named("attempts.rejections", query.compile()))).rows[0]!;
}

/** Returns true if this revision of the credential's login worked before. */
export async function wasVerified(tx: Tx, credentialId: string, revision: number): Promise<boolean> {
  const query = tx
    .selectFrom("verification_attempts")
    .select("id")
    .where("credential_id", "=", credentialId)
    .where("revision", "=", revision)
    .where("outcome", "=", "verified")
    .limit(1);
  return (await tx.executeQuery(named("attempts.verified-before", query.compile()))).rows.length > 0;
}

/** Returns the ids of the credentials whose attempt was abandoned. */
export async function findAbandoned(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("verification_attempts")
    .select("credential_id")
    .where("finished_at", "is", null)
    .where(sql<boolean>`lease_until < clock_timestamp()`)
    .limit(limit)
    .execute();
  return rows.map((row) => row.credential_id);
}

export interface Ended {
  at: Date;
  outcome: Outcome;
  code: string | null;
  message: string;
  durationMs: number;
  isOutdated: boolean;
}

/** Returns null when another process has ended the attempt as abandoned. */
export async function endAttempt(tx: Tx, id: string, ended: Ended): Promise<AttemptRow | null> {
  const query = tx
    .updateTable("verification_attempts")
    .set({
      finished_at: ended.at,
      outcome: ended.outcome,
      code: ended.code,
      message: ended.message,
      duration_ms: ended.durationMs,
      is_outdated: ended.isOutdated,
    })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .returningAll();
  return (await tx.executeQuery(named("attempts.end", query.compile()))).rows[0] ?? null;
}

export async function readAttempt(db: Db, id: string): Promise<AttemptRow> {
  return await db.selectFrom("verification_attempts").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

/** Returns the attempts of one secret, newest first, after the given position. */
export async function listAttemptsOf(
  db: Db,
  credentialId: string,
  page: { limit: number; after: TimePlace | null },
): Promise<AttemptRow[]> {
  let query = db.selectFrom("verification_attempts").selectAll().where("credential_id", "=", credentialId);
  if (page.after !== null) {
    const { at, id } = page.after;
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("started_at", "id"), "<", tuple(at, id)));
  }
  return await query.orderBy("started_at", "desc").orderBy("id", "desc").limit(page.limit).execute();
}

/** Deletes attempts that started before the given time, oldest first. The audit trail has its own retention. */
export async function pruneAttempts(tx: Tx, before: Date, limit: number): Promise<void> {
  const old = tx.selectFrom("verification_attempts").select("id").where("started_at", "<", before);
  const removed = old.where("finished_at", "is not", null).orderBy("started_at").limit(limit);
  await tx.deleteFrom("verification_attempts").where("id", "in", removed).execute();
}

/** Makes the user's secrets that were never verified due now. */
export async function scheduleUnverified(tx: Tx, userId: string, at: Date): Promise<void> {
  await sql`
    update credentials set verify_after = ${at} where id in (
      select id from credentials
      where user_id = ${userId} and deleted_at is null and verification_status = 'pending' and verify_after is null
      order by id for no key update)`.execute(tx);
}
