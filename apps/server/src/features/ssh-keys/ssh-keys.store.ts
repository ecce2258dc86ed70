// Users' SSH public keys in the database.
import type { SshKeyId, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

type Later<T> = ColumnType<T | null, undefined, T | null>;

interface SshKeysTable {
  id: SshKeyId;
  user_id: UserId;
  name: string;
  /** The algorithm and the base64 text, as in an authorized_keys file. */
  public_key: string;
  /** INVARIANT: unique, so that a key identifies one user. */
  fingerprint: string;
  created_at: Date;
  expires_at: Date;
  last_used_at: Later<Date>;
  last_used_from: Later<string>;
  notified_at: Later<Date>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    ssh_keys: SshKeysTable;
  }
}

export interface SshKeyRow {
  id: SshKeyId;
  user_id: UserId;
  name: string;
  public_key: string;
  fingerprint: string;
  created_at: Date;
  /** When it was set to expire, or earlier if the policy on lifetimes was tightened since. */
  expires_at: Date;
  last_used_at: Date | null;
  last_used_from: string | null;
}

/** The policy on the lifetime of API tokens applies to keys too. */
export const sshKeyEnd = sql<Date>`least(ssh_keys.expires_at,
  ssh_keys.created_at + make_interval(days => (select person_days from token_policy)))`;

const shown = (condition: ReturnType<typeof sql<boolean>>) => sql<SshKeyRow>`
  select id, user_id, name, public_key, fingerprint, created_at, ${sshKeyEnd} as expires_at, last_used_at, last_used_from
  from ssh_keys where ${condition} order by created_at desc, id desc`;

export async function findKeysOf(db: Db, userId: UserId): Promise<SshKeyRow[]> {
  return (await shown(sql<boolean>`user_id = ${userId}`).execute(db)).rows;
}

export async function findKeyByFingerprint(db: Db, fingerprint: string): Promise<SshKeyRow | null> {
  return (await shown(sql<boolean>`fingerprint = ${fingerprint}`).execute(db)).rows[0] ?? null;
}

export async function longestLifeDays(db: Db): Promise<number> {
  const { rows } = await sql<{ days: number }>`select person_days as days from token_policy`.execute(db);
  return rows[0]!.days;
}

/** Returns false, without a change, when the key is already stored, for any user. */
export async function insertKey(tx: Tx, row: Omit<SshKeyRow, "last_used_at" | "last_used_from">): Promise<boolean> {
  const insert = tx.insertInto("ssh_keys").values(row);
  const done = await insert.onConflict((conflict) => conflict.column("fingerprint").doNothing()).executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n;
}

export const deleteKey = (tx: Tx, userId: UserId, id: SshKeyId) =>
  tx
    .deleteFrom("ssh_keys")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning(["id", "name", "fingerprint"])
    .executeTakeFirst();

export const deleteKeysOf = (tx: Tx, userId: string) =>
  tx
    .deleteFrom("ssh_keys")
    .where("user_id", "=", userId as UserId)
    .returning(["id", "name", "fingerprint"])
    .execute();

/** Returns false when the key was removed in the meantime. */
export async function markKeyUsed(tx: Tx, id: string, from: string, at: Date): Promise<boolean> {
  const update = tx.updateTable("ssh_keys").set({ last_used_at: at, last_used_from: from });
  return (await update.where("id", "=", id as SshKeyId).executeTakeFirst()).numUpdatedRows === 1n;
}

/**
 * Marks keys that expire within a week, and returns them. Keys with a lifetime of less than two weeks are omitted, because they
 * were added recently.
 */
export async function takeExpiringKeys(tx: Tx): Promise<Pick<SshKeyRow, "id" | "user_id" | "name" | "expires_at">[]> {
  const { rows } = await sql<Pick<SshKeyRow, "id" | "user_id" | "name" | "expires_at">>`
    update ssh_keys set notified_at = access_time()
    where notified_at is null and ${sshKeyEnd} > access_time() and ${sshKeyEnd} <= access_time() + interval '7 days'
      and ${sshKeyEnd} >= created_at + interval '14 days'
    returning id, user_id, name, ${sshKeyEnd} as expires_at`.execute(tx);
  return rows;
}

/** Deletes the keys of all users. */
export const deleteAllKeys = (tx: Tx) =>
  tx.deleteFrom("ssh_keys").returning(["id", "name", "fingerprint", "user_id"]).execute();

/** Deletes keys that expired before `before`. */
export async function sweepKeys(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom("ssh_keys").where("expires_at", "<", before).execute();
}
