// Reads and writes the counters of failed attempts and the networks that users sign in from.
import type { UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface AttemptsRow {
  key: string;
  failures: number;
  failed_at: Date;
  retry_at: Date;
}

interface NetworksTable {
  user_id: UserId;
  network: string;
  signed_in_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    sign_in_attempts: AttemptsRow;
    sign_in_networks: NetworksTable;
  }
}

/** Runs the same query for an unknown user (null), so that both take the same time. */
export async function isKnownNetwork(db: Db, userId: string | null, network: string): Promise<boolean> {
  const known = db
    .selectFrom("sign_in_networks")
    .select("user_id")
    .where("user_id", "=", userId as UserId);
  return (await known.where("network", "=", network).executeTakeFirst()) !== undefined;
}

export async function saveNetwork(tx: Tx, userId: string, network: string, at: Date): Promise<void> {
  await tx
    .insertInto("sign_in_networks")
    .values({ user_id: userId as UserId, network, signed_in_at: at })
    .onConflict((conflict) => conflict.columns(["user_id", "network"]).doUpdateSet({ signed_in_at: at }))
    .execute();
}

/**
 * The `retry_at` of a row without a wait. The current time would not do, because another process's clock may be
 * slightly behind.
 */
export const AT_ANY_TIME = new Date(0);

/**
 * Creates missing rows, locks all of them until the transaction ends, and returns them in the order of `keys`. One statement,
 * because a concurrent sign-in that succeeds deletes its row.
 */
export async function lockAttempts(tx: Tx, keys: readonly string[], now: Date): Promise<AttemptsRow[]> {
  // Every transaction locks in the same order, to avoid deadlocks.
  const fresh = keys.toSorted().map((key) => ({ key, failures: 0, failed_at: now, retry_at: AT_ANY_TIME }));
  const locked = await tx
    .insertInto("sign_in_attempts")
    .values(fresh)
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet(({ ref }) => ({ failures: ref("sign_in_attempts.failures") })),
    )
    .returningAll()
    .execute();
  const rows = new Map(locked.map((row) => [row.key, row]));
  return keys.map((key) => rows.get(key)!);
}

export async function writeAttempts(tx: Tx, row: AttemptsRow): Promise<void> {
  const { key, ...counts } = row;
  await tx.updateTable("sign_in_attempts").set(counts).where("key", "=", key).execute();
}

/** The rows with these keys whose wait is not over yet. */
export const findWaiting = (db: Db, keys: readonly string[], now: Date): Promise<{ key: string; retry_at: Date }[]> =>
  db
    .selectFrom("sign_in_attempts")
    .select(["key", "retry_at"])
    .where("key", "=", sql<string>`any(${[...keys]}::text[])`)
    .where("retry_at", ">", now)
    .execute();

export const findNetworks = (db: Db, userIds: readonly string[]): Promise<{ user_id: UserId; network: string }[]> =>
  db
    .selectFrom("sign_in_networks")
    .select(["user_id", "network"])
    .where("user_id", "=", sql<UserId>`any(${[...userIds]}::uuid[])`)
    .execute();

export async function deleteAttempts(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom("sign_in_attempts").where("key", "=", key).execute();
}

/**
 * Records an alert about a network. Returns false if one was recorded after `since`, so that administrators are
 * notified only once.
 */
export async function noteAlert(tx: Tx, network: string, at: Date, since: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into sign_in_alerts as alert (network, told_at) values (${network}, ${at})
    on conflict (network) do update set told_at = excluded.told_at where alert.told_at <= ${since}
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** Deletes attempts that failed before `attemptsBefore` and networks last used before `networksBefore`. */
export async function sweepAttempts(tx: Tx, attemptsBefore: Date, networksBefore: Date): Promise<void> {
  await tx.deleteFrom("sign_in_attempts").where("failed_at", "<", attemptsBefore).execute();
  await tx.deleteFrom("sign_in_networks").where("signed_in_at", "<", networksBefore).execute();
  await sql`delete from sign_in_alerts where told_at < ${attemptsBefore}`.execute(tx);
}

/** Deletes the networks that a user signed in from. */
export async function deleteNetworks(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom("sign_in_networks")
    .where("user_id", "=", userId as UserId)
    .execute();
}
