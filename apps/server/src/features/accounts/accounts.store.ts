// Accounts in the database: the columns that are not in their row in `credentials`.
import type { Account, AccountField, AccountStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import type { PrincipalRef } from "#features/safes/index.ts";

type NullableTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

export interface AccountsTable extends Pick<Account, AccountField> {
  id: ColumnType<string, string, never>;
  platform_id: string;
  status: AccountStatus;
  rotated_at: Date;
  rotation_wanted_at: NullableTime;
  rotation_wanted_because: ColumnType<RotationReason | null, RotationReason | null | undefined, RotationReason | null>;
  rotation_block_lifted: ColumnType<boolean, undefined, boolean>;
  /** The stored secret is a placeholder. INVARIANT: such an account is never active. */
  is_password_unknown: ColumnType<boolean, boolean | undefined, boolean>;
  created_by: ColumnType<string, string, never>;
}

/** The reason for rotating a secret before its regular time. */
export type RotationReason = "check-in" | "one-time" | "grant-ended" | "asked";

/** Whether the rotation was scheduled because a use of the secret ended. */
export const afterUse = (because: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${because} in ('check-in', 'grant-ended'), false)`;

declare module "#kernel/db/tables.ts" {
  interface Tables {
    accounts: AccountsTable;
  }
}

export type AccountRow = Selectable<AccountsTable>;

/** The safes whose secrets a caller's API token may retrieve: empty without the scope, null without a limit. */
export const retrievableSafes = ({ token }: Partial<Pick<Actor, "token">>): readonly string[] | null => {
  if (token === null || token === undefined) return null;
  return token.scopes.has("account.retrieve") ? token.safes : [];
};

/**
 * The rule of `requireSecret` in SQL: the ids of accounts whose secret this user may retrieve without an approval. `safes`
 * limits them; null means no limit.
 */
export const retrievableAccounts = (who: PrincipalRef, safes = retrievableSafes(who)): RawBuilder<unknown> => sql`(
  select credentials.id from ${effectivePermissionsOf(who)} standing
  join credentials on credentials.safe_id = standing.safe_id and credentials.deleted_at is null
  join accounts on accounts.id = credentials.id
  join platforms on platforms.id = accounts.platform_id
  where (standing.permissions & ${RETRIEVE}) <> 0
    and (platforms.approvals_level_1 + platforms.approvals_level_2 = 0 or (standing.permissions & ${UNCONFIRMED}) <> 0)
    and (${safes === null ? sql`true` : sql`credentials.safe_id = any(${[...safes]}::uuid[])`}))`;

const RETRIEVE = sql.lit(bitOf("retrieve"));
const UNCONFIRMED = sql.lit(bitOf("access_without_confirmation"));

export async function insertAccountRow(tx: Tx, row: Insertable<AccountsTable>): Promise<void> {
  await tx.insertInto("accounts").values(row).execute();
}

export async function updateAccountRow(tx: Tx, id: string, changes: Updateable<AccountsTable>): Promise<void> {
  await tx.updateTable("accounts").set(changes).where("id", "=", id).execute();
}

/** Reads the columns of an account that are not in its row in `credentials`. */
export async function readAccountRow(db: Db, id: string): Promise<AccountRow> {
  return db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

/** The safe that contains the account; null when the account does not exist. */
export async function safeOf(db: Db, id: string): Promise<string | null> {
  const query = db.selectFrom("credentials").select("safe_id").where("id", "=", id).where("deleted_at", "is", null);
  return (await query.executeTakeFirst())?.safe_id ?? null;
}

/**
 * Schedules a rotation for this time unless one is already scheduled, and clears earlier obstacles. The end of a use replaces
 * other reasons and blocks the account again if access had been allowed.
 */
export async function scheduleRotation(tx: Tx, id: string, because: RotationReason, at: Date): Promise<void> {
  await sql`
    update accounts set rotation_wanted_at = coalesce(rotation_wanted_at, ${at}),
      rotation_wanted_because = case
        when rotation_wanted_because is null or (${afterUse(sql`${because}::text`)} and not ${afterUse(sql`rotation_wanted_because`)})
          then ${because} else rotation_wanted_because end,
      rotation_block_lifted = rotation_block_lifted and not ${afterUse(sql`${because}::text`)},
      rotation_hindrance = null, rotation_skipped_until = null
    where id = ${id}`.execute(tx);
}

/** The users with an active grant, by account. Accounts without an active grant are missing. */
export async function granteesOf(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ account_id: string; user_ids: string[] }>`
    select account_id, array_agg(user_id) as user_ids from access_requests
    where account_id = any(${[...ids]}::uuid[]) and state = 'granted' group by account_id`.execute(db);
  return new Map(rows.map(({ account_id, user_ids }) => [account_id, user_ids]));
}

/** The name of the platform whose reconcile account this is, or null. */
export async function reconciledBy(db: Db, id: string): Promise<string | null> {
  const query = db.selectFrom("platforms").select("name").where("reconcile_account_id", "=", id);
  return (await query.where("deleted_at", "is", null).executeTakeFirst())?.name ?? null;
}

/** Whether the account's platform rotates secrets after a use. */
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

/** Removes the account's dependents, which will no longer receive new passwords. */
export async function deleteDependents(tx: Tx, id: string): Promise<void> {
  await sql`delete from account_dependents where account_id = ${id}`.execute(tx);
}
