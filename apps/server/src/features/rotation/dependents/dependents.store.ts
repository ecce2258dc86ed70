// Stores the dependents of accounts and the secret version each of them has.
import type { Dependent, DependentConfig } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, RawBuilder, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

type Later<T> = ColumnType<T | null, T | null | undefined, T | null>;

export interface AccountDependentsTable {
  id: string;
  account_id: ColumnType<string, string, never>;
  name: ColumnType<string, string, never>;
  config: ColumnType<DependentConfig, string, never>;
  added_by: ColumnType<string, string, never>;
  signing_key: ColumnType<Buffer | null, Buffer | null, never>;
  version: Later<number>;
  state: ColumnType<Dependent["state"], undefined, Dependent["state"]>;
  message: Later<string>;
  tries: ColumnType<number, undefined, number>;
  next_at: ColumnType<Date | null, undefined, unknown>;
  lease_token: Later<string>;
  lease_until: ColumnType<Date | null, undefined, unknown>;
  created_at: Date;
  updated_at: Later<Date>;
  /** Where the account that delivers the password sent it when `added_by` became responsible; null: no such account. */
  via_way: ColumnType<string | null, string | null, never>;
  /** Of the columns that are not progress; null: stored by an earlier version. `rebindDependent` changes it. */
  mac: ColumnType<Buffer | null, Buffer, never>;
}

interface MismatchesTable {
  dependent_id: string;
  found_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    account_dependents: AccountDependentsTable;
    dependent_mismatches: MismatchesTable;
  }
}

export type DependentRow = Selectable<AccountDependentsTable>;

export async function listOf(db: Db, accountId: string): Promise<DependentRow[]> {
  const query = db.selectFrom("account_dependents").selectAll().where("account_id", "=", accountId);
  return query.orderBy("created_at").orderBy("id").execute();
}

/** The first dependents of all accounts after this id. */
export async function listAfter(db: Db, id: string): Promise<DependentRow[]> {
  return db.selectFrom("account_dependents").selectAll().where("id", ">", id).orderBy("id").limit(1000).execute();
}

/** Where the account that delivers the password of a dependent with this configuration sends it now. */
export async function readViaWay(db: Db, config: DependentConfig): Promise<string | null> {
  const { rows } = await sql<{ way: string }>`
    select jsonb_build_array(type, host, port, connection_string, ssl_enabled, additional_params)::text as way
    from credentials where id = (${JSON.stringify(config)}::jsonb ->> 'via_account_id')::uuid`.execute(db);
  return rows[0]?.way ?? null;
}

type NewDependentRow = Omit<Insertable<AccountDependentsTable>, "config"> & { config: DependentConfig };

export async function insertDependent(tx: Tx, row: NewDependentRow): Promise<DependentRow> {
  const values = { ...row, config: JSON.stringify(row.config) };
  return tx.insertInto("account_dependents").values(values).returningAll().executeTakeFirstOrThrow();
}

/** Stores the authenticated columns that may change, with their new MAC. The row must be locked and checked. */
export async function rebindDependent(
  tx: Tx,
  { id, config, added_by, via_way, mac }: Pick<DependentRow, "id" | "config" | "added_by" | "via_way" | "mac">,
): Promise<void> {
  await sql`
    update account_dependents set config = ${JSON.stringify(config)}::jsonb, added_by = ${added_by}, via_way = ${via_way},
      mac = ${mac}
    where id = ${id}`.execute(tx);
}

/** Records that the dependent has this version of the secret. */
export async function setCurrent(tx: Tx, id: string, version: number): Promise<void> {
  await tx.updateTable("account_dependents").set({ version, state: "current" }).where("id", "=", id).execute();
}

/** Returns null when the account has no such dependent. */
export async function removeDependentRow(tx: Tx, accountId: string, id: string): Promise<DependentRow | null> {
  const query = tx.deleteFrom("account_dependents").where("id", "=", id).where("account_id", "=", accountId);
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

/** Returns null when the dependent does not exist. */
export async function lockDependent(tx: Tx, id: string): Promise<DependentRow | null> {
  const query = tx.selectFrom("account_dependents").selectAll().where("id", "=", id).forUpdate();
  return (await query.executeTakeFirst()) ?? null;
}

/** Makes the dependent due now. */
export async function scheduleUpdate(tx: Tx, id: string): Promise<DependentRow> {
  const { rows } = await sql<DependentRow>`
    update account_dependents set state = 'pending', tries = 0, message = null, next_at = access_time()
    where id = ${id} returning *`.execute(tx);
  return rows[0]!;
}

/**
 * The account or URL through which a dependent is updated. Only one dependent per account or URL is updated at a time.
 */
const way = (of: string): RawBuilder<unknown> =>
  sql.raw(`coalesce(${of}.config ->> 'via_account_id', ${of}.config ->> 'account_id', ${of}.config ->> 'url')`);

/** Leases a due dependent; null when none is due. */
export async function claimDependent(db: Db, token: string, leaseSeconds: number): Promise<DependentRow | null> {
  const { rows } = await sql<DependentRow>`
    update account_dependents
    set lease_token = ${token}, lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id = (
      select id from account_dependents due
      where next_at <= access_time() and (lease_until is null or lease_until < clock_timestamp())
        and not exists (
          select from account_dependents busy where busy.lease_until > clock_timestamp() and ${way("busy")} = ${way("due")})
      order by next_at limit 1 for update skip locked)
    returning *`.execute(db);
  return rows[0] ?? null;
}

/**
 * Marks dependents that have an earlier version as needing attention. The new secret was stored without a rotation, so
 * a user decides when to update them.
 */
export async function markOutdated(tx: Tx, accountId: string, version: number, message: string): Promise<void> {
  await sql`
    update account_dependents set state = 'attention', message = ${message}, next_at = null
    where account_id = ${accountId} and state = 'current' and version <> ${version}`.execute(tx);
}

export interface DependentResult {
  state: Dependent["state"];
  message: string;
  version: number | null;
  tries: number;
  afterMs: number | null;
  at: Date;
}

/** Returns false when the lease was lost. An update that was requested in the meantime stays due. */
export async function storeDependentResult(tx: Tx, row: DependentRow, it: DependentResult): Promise<boolean> {
  const pause = it.afterMs === null ? null : it.afterMs / 1000;
  const { rows } = await sql`
    update account_dependents set lease_token = null, lease_until = null, tries = ${it.tries}, message = ${it.message},
      version = coalesce(${it.version}, version), updated_at = ${it.at},
      state = case when date_trunc('milliseconds', next_at) > ${row.next_at} then state else ${it.state} end,
      next_at = case when date_trunc('milliseconds', next_at) > ${row.next_at} then next_at
        else access_time() + make_interval(secs => ${pause}::float8) end
    where id = ${row.id} and lease_token = ${row.lease_token} returning id`.execute(tx);
  return rows.length > 0;
}

/** Returns whether one of these accounts, its platform or its safe is not active. */
export async function hasInactive(db: Db, accountIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from accounts
    join platforms on platforms.id = accounts.platform_id
    join credentials on credentials.id = accounts.id
    join safes on safes.id = credentials.safe_id
    where accounts.id = any(${[...accountIds]}::uuid[])
      and not (accounts.status = 'active' and platforms.is_active and safes.status = 'active')
    limit 1`.execute(db);
  return rows.length > 0;
}
