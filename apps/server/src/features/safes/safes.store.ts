// Safes in the database, limited to those the user may see.
import { everyWord } from "#kernel/db/containing.ts";
import type { AccessLevel, SafePermission, SafeSort, SafeStatus, SafeType } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import { seesAddresses } from "#features/users/index.ts";
import type { Actor, Asker } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { isAfter, orderTerms, pageTerms } from "#kernel/db/list-order.ts";
import type { ListOrder, Place } from "#kernel/db/list-order.ts";
import { named } from "#kernel/db/named.ts";
import { orderOf } from "./safe-order.ts";
import { bitOf, nameFor, seesEverySafe, effectivePermissionsOf } from "./safes.policy.ts";
import type { Permissions } from "./safes.policy.ts";

export interface SafesTable {
  id: ColumnType<string, string, never>;
  name: string;
  description: string | null;
  safe_type: SafeType;
  access_level: AccessLevel;
  status: ColumnType<SafeStatus, SafeStatus | undefined, SafeStatus>;
  session_zone: ColumnType<string | null, string | null | undefined, string | null>;
  tags: ColumnType<string[], string[] | undefined, string[]>;
  owner_id: string;
  created_at: ColumnType<Date, Date, never>;
  updated_at: Date;
  deleted_at: ColumnType<Date | null, undefined, Date>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    safes: SafesTable;
  }
}

export type SafeRow = Selectable<SafesTable>;

/** A safe with the fields that its card shows and the caller's permissions in it. */
export interface ShownSafe extends Omit<SafeRow, "deleted_at">, Place {
  owner_name: string;
  owner_email: string;
  permissions: Permissions;
  sees_members: boolean;
  account_count: number;
  permission_count: number;
  members: { user_id: string | null; group_id: string | null }[];
}

export interface SafeQuery {
  limit: number;
  sort?: SafeSort | undefined;
  after: Place | null;
  search: string | null;
  status: SafeStatus | null;
  tag?: string | null;
  permission: SafePermission | null;
}

const inForce = sql`(member.expires_at is null or member.expires_at > access_time())`;

const visible = (
  actor: Actor,
  conditions: readonly RawBuilder<unknown>[],
  { key }: ListOrder = orderOf(),
): RawBuilder<unknown> => sql`
  select safes.*, ${key} as key, standing.permissions, standing.sees_members
  from ${effectivePermissionsOf(actor)} standing
  join safes on safes.id = standing.safe_id
  where ${sql.join([sql`true`, ...conditions], sql` and `)}`;

/** Adds columns that need other tables, only for the rows of one page. */
const withCounts = (page: RawBuilder<unknown>, order: ListOrder = orderOf()): RawBuilder<ShownSafe> => sql<ShownSafe>`
  select page.*, owner.name as owner_name, owner.email as owner_email,
    (select count(*)::integer from credentials where safe_id = page.id and deleted_at is null) as account_count,
    (select count(*)::integer from safe_members member where member.safe_id = page.id and ${inForce}) as permission_count,
    case when not page.sees_members then '[]' else (
      select coalesce(jsonb_agg(jsonb_build_object('user_id', user_id, 'group_id', group_id)), '[]')
      from (select user_id, group_id from safe_members where safe_id = page.id order by added_at, id limit 100) members
    ) end as members
  from (${page}) page join users owner on owner.id = page.owner_id
  order by ${pageTerms(order)}`;

/** Returns one row more than `limit` when there is a next page. */
export async function listSafes(db: Db, actor: Actor, query: SafeQuery): Promise<ShownSafe[]> {
  const { permission, limit, after } = query;
  const order = orderOf(query.sort);
  const id = sql`safes.id`;
  const conditions = [isAfter(order, after, id), ...conditionsOf(query, actor)];
  const all = [
    ...conditions,
    ...(permission === null ? [] : [sql`standing.permissions & ${sql.lit(bitOf(permission))} <> 0`]),
    // An administrator sees every safe, so the page is chosen before any permissions are computed.
    ...(!seesEverySafe(actor) || permission !== null
      ? []
      : [
          sql`standing.safe_id = any(array(
            select safes.id from safes where deleted_at is null and ${sql.join([sql`true`, ...conditions], sql` and `)}
            order by ${orderTerms(order, id)} limit ${limit + 1}))`,
        ]),
  ];
  const page = sql`${visible(actor, all, order)} order by ${orderTerms(order, id)} limit ${limit + 1}`;
  return (await withCounts(page, order).execute(db)).rows;
}

/**
 * The conditions on the safe itself. Users who may not see addresses can still find their own safes by their own
 * address.
 */
function conditionsOf({ search, status, tag = null }: SafeQuery, actor: Actor): RawBuilder<unknown>[] {
  const showsAddress = sql`(${seesAddresses(actor)} or users.id = ${actor.id})`;
  const isOwnedByMatch = (pattern: string) => sql`exists (
    select from users where users.id = safes.owner_id
      and (users.name ilike ${pattern} or (${showsAddress} and users.email ilike ${pattern})))`;
  const isMatch = (pattern: string) =>
    sql`(safes.name ilike ${pattern} or safes.description ilike ${pattern}
      or exists (select from unnest(safes.tags) as tag where tag ilike ${pattern}) or ${isOwnedByMatch(pattern)})`;
  return [
    ...(status === null ? [] : [sql`safes.status = ${status}`]),
    ...(tag === null ? [] : [sql`safes.tags @> array[${tag}]::text[]`]),
    ...(search === null ? [] : [everyWord(search, isMatch)]),
  ];
}

/** Returns null when the safe does not exist or this user may not see it. */
export async function readSafe(db: Db, actor: Actor, id: string): Promise<ShownSafe | null> {
  const page = visible(actor, [sql`standing.safe_id = ${id}`]);
  return (await withCounts(page).execute(db)).rows[0] ?? null;
}

/** Returns those of these safes that this user may see. */
export async function readSafes(db: Db, actor: Actor, ids: readonly string[]): Promise<ShownSafe[]> {
  return (await withCounts(visible(actor, [sql`standing.safe_id = any(${[...ids]}::uuid[])`])).execute(db)).rows;
}

/** Counts the safes that this user may see. `shared` counts those with more than one user as a member. */
export async function countSafes(db: Db, actor: Actor): Promise<{ total: number; active: number; shared: number }> {
  const { rows } = await sql<{ total: number; active: number; shared: number }>`
    with visible as materialized (select safe_id from ${effectivePermissionsOf(actor)} standing)
    select count(*)::integer as total,
           (count(*) filter (where safes.status = 'active'))::integer as active,
           (select count(*)::integer from (
             select people.safe_id from (
               select member.safe_id, member.user_id from safe_members member
               join visible using (safe_id) where member.user_id is not null and ${inForce}
               union
               select member.safe_id, theirs.user_id from safe_members member
               join visible using (safe_id) join group_members theirs on theirs.group_id = member.group_id
               where ${inForce}
             ) people group by people.safe_id having count(*) > 1
           ) shared) as shared
    from visible join safes on safes.id = visible.safe_id`.execute(db);
  return rows[0]!;
}

/** Returns a safe with this user's permissions in it; null when they may not see it. */
export async function readSafePermissions(
  db: Db,
  actor: Asker,
  id: string,
): Promise<(SafeRow & { permissions: Permissions; sees_members: boolean }) | null> {
  // A named statement, because nearly every call runs it and planning takes ten times as long as executing it.
  const query = sql<SafeRow & { permissions: Permissions; sees_members: boolean }>`
    select safes.*, standing.permissions, standing.sees_members
    from ${effectivePermissionsOf(actor)} standing join safes on safes.id = standing.safe_id
    where standing.safe_id = ${id}`.compile(db);
  return (await db.executeQuery(named(nameFor(actor, "safes.standing"), query))).rows[0] ?? null;
}

/** Reads a safe without checking permissions; null when it does not exist. */
export const readSafeRow = async (db: Db, id: string): Promise<SafeRow | null> =>
  (await db.selectFrom("safes").selectAll().where("id", "=", id).where("deleted_at", "is", null).executeTakeFirst()) ??
  null;

export type Strength = "share" | "no key update" | "update";

/**
 * Locks these safes until the transaction ends, in the order of their ids: `share` to add or remove accounts, `no key
 * update` to change the safe or its members, `update` to delete it. Returns the ids of those that exist.
 */
export async function lockSafes(tx: Tx, ids: readonly string[], strength: Strength): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from safes where id = any(${ids}::uuid[]) and deleted_at is null order by id
    for ${sql.raw(strength)}`.execute(tx);
  return rows.map((row) => row.id);
}

export async function insertSafe(tx: Tx, row: Insertable<SafesTable>): Promise<void> {
  await tx.insertInto("safes").values(row).execute();
}

export async function updateSafeRow(tx: Tx, id: string, changes: Updateable<SafesTable>): Promise<void> {
  await tx.updateTable("safes").set(changes).where("id", "=", id).execute();
}

export async function countAccounts(db: Db, safeId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from credentials where safe_id = ${safeId} and deleted_at is null`.execute(db);
  return rows[0]!.count;
}
