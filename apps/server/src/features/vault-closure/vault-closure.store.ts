// Database queries for closed vaults, and for resets of users whose vault was empty.
import type { VaultClosure } from "@strongroom/contract";
import { sql } from "kysely";
import type { Generated, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface ClosuresTable {
  user_id: string;
  closed_at: Date;
  opens_at: Date | null;
  cause: VaultClosure["cause"];
  closed_by: string;
  /** False: the vault was empty at the reset and stays usable. */
  blocks_vault: boolean;
  cancel_hash: Generated<Buffer | null>;
  mailed_at: Generated<Date | null>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    vault_closures: ClosuresTable;
  }
}

export type ClosureRow = Selectable<ClosuresTable>;

/** Whether the user's vault contains any secrets. */
export async function hasSecrets(db: Db, userId: string): Promise<boolean> {
  const own = sql<{ has: boolean }>`
    select exists (select from credentials where user_id = ${userId} and deleted_at is null) as has`;
  return (await own.execute(db)).rows[0]!.has;
}

/**
 * Closes a vault, or extends the closure. INVARIANT: the time of the first reset stays, so that a factor added between
 * two resets cannot open the vault; and only a reset confirmed by a second administrator replaces the owner's
 * cancellation.
 */
export async function putClosure(
  tx: Tx,
  row: Pick<ClosureRow, "user_id" | "closed_at" | "cause" | "closed_by" | "blocks_vault" | "mailed_at"> & {
    opens_at: Date;
  },
): Promise<ClosureRow> {
  const { rows } = await sql<ClosureRow>`
    insert into vault_closures as old (user_id, closed_at, opens_at, cause, closed_by, blocks_vault, mailed_at)
    values (${row.user_id}, ${row.closed_at}, ${row.opens_at}, ${row.cause}, ${row.closed_by}, ${row.blocks_vault},
      ${row.mailed_at})
    on conflict (user_id) do update set
      closed_at = case when old.opens_at <= excluded.closed_at then excluded.closed_at else old.closed_at end,
      opens_at = case when old.opens_at is null and excluded.cause = 'provider-changed' then null
        else excluded.opens_at end,
      blocks_vault = excluded.blocks_vault
        or (old.blocks_vault and (old.opens_at is null or old.opens_at > excluded.closed_at)),
      cause = excluded.cause, closed_by = excluded.closed_by,
      -- A reset that needs no mail leaves an earlier link valid.
      cancel_hash = case when excluded.mailed_at is null then null else old.cancel_hash end,
      mailed_at = case when excluded.mailed_at is null then null else old.mailed_at end
    returning *`.execute(tx);
  return rows[0]!;
}

/** Returns the last reset of this user, until its waiting time has ended. */
export const findClosure = (db: Db, userId: string, now: Date): Promise<ClosureRow | undefined> =>
  db
    .selectFrom("vault_closures")
    .selectAll()
    .where("user_id", "=", userId)
    .where((where) => where.or([where("opens_at", "is", null), where("opens_at", ">", now)]))
    .executeTakeFirst();

/** Whether the owner cancelled the reset, which keeps the vault closed. */
export async function isVaultHeld(db: Db, userId: string): Promise<boolean> {
  const held = db.selectFrom("vault_closures").select("user_id").where("user_id", "=", userId);
  return (await held.where("opens_at", "is", null).executeTakeFirst()) !== undefined;
}

export const findByCancelHash = (db: Db, hash: Buffer, now: Date): Promise<ClosureRow | undefined> =>
  db
    .selectFrom("vault_closures")
    .selectAll()
    .where("cancel_hash", "=", hash)
    .where("opens_at", ">", now)
    .executeTakeFirst();

/** Keeps a vault closed after the owner's cancellation. Returns false if there is no reset, or it was already cancelled. */
export async function keepClosed(tx: Tx, userId: string, now: Date): Promise<boolean> {
  const update = tx.updateTable("vault_closures").set({ opens_at: null, cancel_hash: null, blocks_vault: true });
  const done = await update.where("user_id", "=", userId).where("opens_at", ">", now).executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

export async function deleteClosure(tx: Tx, userId: string): Promise<boolean> {
  const gone = await tx.deleteFrom("vault_closures").where("user_id", "=", userId).executeTakeFirst();
  return gone.numDeletedRows === 1n;
}

/** Deletes and returns the closures whose waiting time has ended. */
export const takeDue = (tx: Tx, now: Date): Promise<ClosureRow[]> =>
  tx.deleteFrom("vault_closures").where("opens_at", "<=", now).returningAll().execute();

/** Returns closures whose owner has not been mailed yet. */
export const findUnmailed = (db: Db, now: Date): Promise<ClosureRow[]> =>
  db
    .selectFrom("vault_closures")
    .selectAll()
    .where("mailed_at", "is", null)
    .where("opens_at", ">", now)
    .limit(200)
    .execute();

export async function recordMailing(
  tx: Tx,
  userId: string,
  given: { cancel_hash?: Buffer; mailed_at?: Date },
): Promise<void> {
  await tx.updateTable("vault_closures").set(given).where("user_id", "=", userId).execute();
}

/** Whether this user has a second factor or a recovery code from before the reset. */
export async function hasFactorFrom(db: Db, userId: string, before: Date): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from factors where user_id = ${userId} and created_at < ${before})
      or exists (select from factor_recovery_codes where user_id = ${userId} and created_at < ${before}) as has`.execute(
    db,
  );
  return rows[0]!.has;
}

/**
 * Until the waiting time of a reset is over: deletes the factors and recovery codes added since, and the factors being
 * set up. Returns the number of deleted factors. INVARIANT: pending setups are deleted first, so that a setup that commits in the meantime
 * is either deleted here or fails.
 */
export async function deleteLaterFactors(
  tx: Tx,
  userId: string,
  now: Date,
  when: "always" | "while-closed",
): Promise<number> {
  const closure = await findClosure(tx, userId, now);
  if (closure === undefined || (when === "while-closed" && !closure.blocks_vault)) return 0;
  const since = closure.closed_at;
  await sql`delete from factor_enrolments where user_id = ${userId}`.execute(tx);
  await sql`delete from factor_challenges where user_id = ${userId}`.execute(tx);
  await sql`delete from factor_recovery_codes where user_id = ${userId} and created_at >= ${since}`.execute(tx);
  const gone = await sql`delete from factors where user_id = ${userId} and created_at >= ${since}`.execute(tx);
  return Number(gone.numAffectedRows);
}

/**
 * For a restored database: every vault that could open automatically, even one whose waiting time has ended, waits for
 * the policy's waiting time from now on, and its owner is mailed a new link. Returns the number of closed vaults.
 */
export async function restartWaiting(tx: Tx, now: Date): Promise<number> {
  const { rows } = await sql<{ blocks_vault: boolean }>`
    update vault_closures set cancel_hash = null, mailed_at = null,
      opens_at = greatest(opens_at, ${now}::timestamptz + (select vault_wait_hours from sign_in_policy) * interval '1 hour')
    where opens_at is not null returning blocks_vault`.execute(tx);
  return rows.filter((row) => row.blocks_vault).length;
}
