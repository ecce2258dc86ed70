// Reads and writes the rows of second factors, enrolments, challenges and recovery codes.
import type { FactorKind, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface FactorsTable {
  id: string;
  user_id: UserId;
  kind: FactorKind;
  name: string;
  sealed: Buffer | null;
  /** For an authenticator app: the time steps of the last accepted codes, oldest first. */
  used_steps: number[];
  credential_id: string | null;
  public_key: Buffer | null;
  counter: number | null;
  transports: string[] | null;
  created_at: Date;
  last_used_at: Date | null;
}

export type FactorRow = Selectable<FactorsTable>;

export const CHALLENGE_PURPOSES = ["enrol", "second-step", "step-up", "sign-in"] as const;
export type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number];

interface EnrolmentsTable {
  user_id: UserId;
  factor_id: string;
  sealed: Buffer;
  expires_at: Date;
}

interface ChallengesTable {
  challenge: string;
  purpose: ChallengePurpose;
  user_id: UserId | null;
  expires_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    factors: FactorsTable;
    factor_enrolments: EnrolmentsTable;
    factor_challenges: ChallengesTable;
    factor_recovery_codes: { user_id: UserId; code_hash: Buffer; created_at: Date };
  }
}

/** The oldest factor comes first. */
export const findFactors = (db: Db, userId: UserId): Promise<FactorRow[]> =>
  db.selectFrom("factors").selectAll().where("user_id", "=", userId).orderBy("created_at").orderBy("id").execute();

export const findPasskey = (db: Db, credentialId: string): Promise<FactorRow | undefined> =>
  db.selectFrom("factors").selectAll().where("credential_id", "=", credentialId).executeTakeFirst();

/** Returns false when this passkey already exists. */
export async function insertFactor(tx: Tx, row: FactorRow): Promise<boolean> {
  const insert = tx.insertInto("factors").values(row);
  const done = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n;
}

export const deleteFactor = (tx: Tx, userId: UserId, id: string): Promise<FactorRow | undefined> =>
  tx.deleteFrom("factors").where("id", "=", id).where("user_id", "=", userId).returningAll().executeTakeFirst();

/** The number of used steps to keep, which covers every code that could be accepted again after the clock jumps. */
const KEPT_STEPS = 10;

/**
 * Marks a time step of an authenticator app as used. Returns false when that step, or a later one up to `latest`, was already
 * used. `matchingStep` applies the same rule before the row is locked.
 */
export async function spendStep(tx: Tx, id: string, step: number, latest: number, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update factors set last_used_at = ${at},
      used_steps = (used_steps || ${step}::bigint)[greatest(1, cardinality(used_steps) + 2 - ${KEPT_STEPS}::integer):]
    where id = ${id} and not exists (
      select from unnest(used_steps) used where used between ${step}::bigint and ${latest}::bigint)`.execute(tx);
  return numAffectedRows === 1n;
}

/** Records the use of a passkey. Returns false when a concurrent use was recorded first. */
export async function spendCount(tx: Tx, row: FactorRow, counter: number, at: Date): Promise<boolean> {
  const update = tx.updateTable("factors").set({ counter, last_used_at: at }).where("id", "=", row.id);
  return (await update.where("counter", "=", row.counter).executeTakeFirst()).numUpdatedRows === 1n;
}

export async function insertChallenge(tx: Tx, row: ChallengesTable): Promise<void> {
  await tx.insertInto("factor_challenges").values(row).execute();
}

/** Consumes a challenge. Returns false when no such challenge exists or it was already used. */
export async function consumeChallenge(tx: Tx, wanted: ChallengesTable): Promise<boolean> {
  const { challenge, purpose, user_id: userId, expires_at: now } = wanted;
  const gone = await tx
    .deleteFrom("factor_challenges")
    .where("challenge", "=", challenge)
    .where("purpose", "=", purpose)
    .where(sql<boolean>`user_id is not distinct from ${userId}::uuid`)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return gone.numDeletedRows === 1n;
}

/** Replaces any earlier enrolment of the user. */
export async function writeEnrolment(tx: Tx, row: EnrolmentsTable): Promise<void> {
  const { user_id: _key, ...rest } = row;
  await tx
    .insertInto("factor_enrolments")
    .values(row)
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(rest))
    .execute();
}

export const findEnrolment = (db: Db, userId: UserId, now: Date): Promise<EnrolmentsTable | undefined> =>
  db
    .selectFrom("factor_enrolments")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .executeTakeFirst();

/** Returns false when a newer enrolment has replaced this one. */
export async function deleteEnrolment(tx: Tx, userId: UserId, factorId: string): Promise<boolean> {
  const gone = tx.deleteFrom("factor_enrolments").where("user_id", "=", userId).where("factor_id", "=", factorId);
  return (await gone.executeTakeFirst()).numDeletedRows === 1n;
}

export async function countCodes(db: Db, userId: UserId): Promise<number> {
  const count = db.selectFrom("factor_recovery_codes").select(sql<number>`count(*)`.as("count"));
  return (await count.where("user_id", "=", userId).executeTakeFirstOrThrow()).count;
}

export async function replaceCodes(tx: Tx, userId: UserId, hashes: readonly Buffer[], at: Date): Promise<void> {
  await deleteCodes(tx, userId);
  if (hashes.length === 0) return;
  const rows = hashes.map((hash) => ({ user_id: userId, code_hash: hash, created_at: at }));
  await tx.insertInto("factor_recovery_codes").values(rows).execute();
}

export async function deleteCodes(tx: Tx, userId: UserId): Promise<void> {
  await tx.deleteFrom("factor_recovery_codes").where("user_id", "=", userId).execute();
}

/** When this recovery code was created; null when the user does not have it. */
export async function findCode(db: Db, userId: UserId, hash: Buffer): Promise<Date | null> {
  const code = db.selectFrom("factor_recovery_codes").where("user_id", "=", userId).where("code_hash", "=", hash);
  // Codes created before creation times were stored count as older than everything.
  const made = sql<Date>`greatest(created_at, 'epoch')`.as("created_at");
  return (await code.select(made).executeTakeFirst())?.created_at ?? null;
}

/** Returns false when the code does not exist or was already used. */
export async function spendCode(tx: Tx, userId: UserId, hash: Buffer): Promise<boolean> {
  const code = tx.deleteFrom("factor_recovery_codes").where("user_id", "=", userId).where("code_hash", "=", hash);
  return (await code.executeTakeFirst()).numDeletedRows === 1n;
}

/** Deletes all factors, codes, enrolments and challenges of a user; returns the number of factors. */
export async function deleteFactorsOf(tx: Tx, userId: string): Promise<number> {
  const id = userId as UserId;
  await deleteCodes(tx, id);
  await tx.deleteFrom("factor_enrolments").where("user_id", "=", id).execute();
  await tx.deleteFrom("factor_challenges").where("user_id", "=", id).execute();
  return Number((await tx.deleteFrom("factors").where("user_id", "=", id).executeTakeFirst()).numDeletedRows);
}

/** Deletes expired enrolments and challenges. */
export async function deleteExpiredEnrolments(tx: Tx, now: Date): Promise<void> {
  await tx.deleteFrom("factor_enrolments").where("expires_at", "<=", now).execute();
  await tx.deleteFrom("factor_challenges").where("expires_at", "<=", now).execute();
}

/** Deletes the recovery codes of all users; returns how many there were. */
export async function deleteRecoveryCodes(tx: Tx): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom("factor_recovery_codes").executeTakeFirst();
  return Number(numDeletedRows);
}
