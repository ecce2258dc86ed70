// Accounts in the database: what they have beside their row in `credentials`, and holding both.
import type { AccountStatus, ConnectionMethod, SystemType } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, Selectable, Updateable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

type NullableTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

export interface AccountsTable {
  id: ColumnType<string, string, never>;
  platform_id: string;
  system_type: SystemType;
  connection_method: ConnectionMethod;
  account_type: string | null;
  notes: string | null;
  status: AccountStatus;
  rotated_at: Date;
  rotation_wanted_at: NullableTime;
  rotation_wanted_because: ColumnType<Because | null, Because | null | undefined, Because | null>;
  created_by: ColumnType<string, string, never>;
}

/** Why a change is wanted before its time. */
export type Because = "check-in" | "one-time" | "grant-ended" | "asked";

declare module "#kernel/db/tables.ts" {
  interface Tables {
    accounts: AccountsTable;
  }
}

export type AccountRow = Selectable<AccountsTable>;

export async function insertAccountRow(tx: Tx, row: Insertable<AccountsTable>): Promise<void> {
  await tx.insertInto("accounts").values(row).execute();
}

export async function updateAccountRow(tx: Tx, id: string, changes: Updateable<AccountsTable>): Promise<void> {
  await tx.updateTable("accounts").set(changes).where("id", "=", id).execute();
}

/** What an account has beside its row in `credentials`. */
export async function readAccountRow(db: Db, id: string): Promise<AccountRow> {
  return db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

/** The safe that an account is in; null when there is no such account. */
export async function safeOf(db: Db, id: string): Promise<string | null> {
  const query = db.selectFrom("credentials").select("safe_id").where("id", "=", id).where("deleted_at", "is", null);
  return (await query.executeTakeFirst())?.safe_id ?? null;
}

/** A change is wanted as soon as one can be made. The earliest wish stays. */
export async function wantRotation(tx: Tx, id: string, because: Because, at: Date): Promise<void> {
  await sql`
    update accounts set rotation_wanted_at = ${at}, rotation_wanted_because = ${because}
    where id = ${id} and rotation_wanted_at is null`.execute(tx);
}

/** The people to whom these accounts are lent now. One that is lent to nobody is missing. */
export async function granteesOf(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ account_id: string; user_ids: string[] }>`
    select account_id, array_agg(user_id) as user_ids from access_requests
    where account_id = any(${[...ids]}::uuid[]) and state = 'granted' group by account_id`.execute(db);
  return new Map(rows.map(({ account_id, user_ids }) => [account_id, user_ids]));
}

/** The platform, if any, that reconciles with this account. */
export async function reconciledBy(db: Db, id: string): Promise<string | null> {
  const query = db.selectFrom("platforms").select("name").where("reconcile_account_id", "=", id);
  return (await query.where("deleted_at", "is", null).executeTakeFirst())?.name ?? null;
}

/** Whether the account's platform wants a secret changed that was seen. */
export async function rotatesAfterUse(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ rotate_after_check_in: boolean }>`
    select rotate_after_check_in from accounts join platforms on platforms.id = accounts.platform_id
    where accounts.id = ${id}`.execute(db);
  return rows[0]?.rotate_after_check_in === true;
}

export async function accountsIn(db: Db, safeId: string): Promise<string[]> {
  const query = db.selectFrom("credentials").select("id").where("safe_id", "=", safeId).where("deleted_at", "is", null);
  return (await query.orderBy("id").execute()).map(({ id }) => id);
}

/** What used its password is told nothing any more. */
export async function dropDependents(tx: Tx, id: string): Promise<void> {
  await sql`delete from account_dependents where account_id = ${id}`.execute(tx);
}
