// How people stand in safes at one moment, and what there is in these: taken before and after a change that is not kept.
import type { AccessLevel, AccountStatus, SafeStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { grantsInForce } from "#features/access-requests/index.ts";
import { standingsOf } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import { THE_PERSON } from "./access-control.store.ts";

/** Whom a change may touch, and where. Null: everywhere. */
export interface Part {
  people: readonly string[];
  safes: readonly string[] | null;
}

export interface StandingRow {
  user_id: string;
  safe_id: string;
  permissions: Permissions;
}

/** Accounts of a safe that are alike in all that decides about them. */
export interface StockRow {
  safe_id: string;
  safe_status: SafeStatus;
  platform_id: string;
  account_status: AccountStatus;
  approvals: number;
  count: number;
}

/** One account that is lent to somebody. */
export interface LoanRow extends Omit<StockRow, "count"> {
  user_id: string;
  account_id: string;
}

export interface Snapshot {
  standings: StandingRow[];
  stock: StockRow[];
  loans: LoanRow[];
}

/** What is asked of one look at the most; a preview that would need more is refused. */
export const MOST_STANDINGS = 200_000;

export async function takeSnapshot(db: Db, parts: readonly Part[]): Promise<Snapshot> {
  const standings: StandingRow[] = [];
  const loans: LoanRow[] = [];
  for (const part of parts) {
    standings.push(...(await standingsIn(db, part, MOST_STANDINGS + 1 - standings.length)));
    loans.push(...(await loansIn(db, part)));
  }
  const safes = [...new Set(standings.map(({ safe_id }) => safe_id))];
  return { standings, stock: await stockIn(db, safes), loans };
}

async function standingsIn(db: Db, { people, safes }: Part, limit: number): Promise<StandingRow[]> {
  const there = safes === null ? sql`true` : sql`standing.safe_id = any(${[...safes]}::uuid[])`;
  const { rows } = await sql<StandingRow>`
    select person.id as user_id, standing.safe_id, standing.permissions
    from users person cross join lateral ${standingsOf(THE_PERSON)} standing
    where person.id = any(${[...people]}::uuid[]) and person.status = 'active' and ${there}
    limit ${limit}`.execute(db);
  return rows;
}

const KIND = sql`safes.id as safe_id, safes.status as safe_status, platforms.id as platform_id,
  accounts.status as account_status, platforms.approvals_level_1 + platforms.approvals_level_2 as approvals`;

async function loansIn(db: Db, { people, safes }: Part): Promise<LoanRow[]> {
  const there = safes === null ? sql`true` : sql`safes.id = any(${[...safes]}::uuid[])`;
  const { rows } = await sql<LoanRow>`
    select person.id as user_id, lent.account_id, ${KIND}
    from users person cross join lateral ${grantsInForce(THE_PERSON)} lent
    join credentials on credentials.id = lent.account_id and credentials.deleted_at is null
    join accounts on accounts.id = lent.account_id join platforms on platforms.id = accounts.platform_id
    join safes on safes.id = credentials.safe_id
    where person.id = any(${[...people]}::uuid[]) and person.status = 'active' and ${there}
      and exists (select from access_requests asked where asked.user_id = person.id and asked.state = 'granted')`.execute(
    db,
  );
  return rows;
}

async function stockIn(db: Db, safes: readonly string[]): Promise<StockRow[]> {
  const { rows } = await sql<StockRow>`
    select ${KIND}, count(*)::integer as count
    from credentials join accounts on accounts.id = credentials.id
    join platforms on platforms.id = accounts.platform_id join safes on safes.id = credentials.safe_id
    where credentials.safe_id = any(${[...safes]}::uuid[]) and credentials.deleted_at is null
    group by safes.id, platforms.id, accounts.status`.execute(db);
  return rows;
}

const idsOf = async (query: RawBuilder<{ id: string }>, db: Db): Promise<string[]> =>
  (await query.execute(db)).rows.map(({ id }) => id);

/** Everybody to whom this membership gives something. */
export const peopleOfMembership = (db: Db, safeId: string, memberId: string): Promise<string[]> =>
  idsOf(
    sql`select coalesce(member.user_id, theirs.user_id) as id
        from safe_members member left join group_members theirs on theirs.group_id = member.group_id
        where member.id = ${memberId} and member.safe_id = ${safeId}
          and coalesce(member.user_id, theirs.user_id) is not null`,
    db,
  );

export const peopleOfGroup = (db: Db, groupId: string): Promise<string[]> =>
  idsOf(sql`select user_id as id from group_members where group_id = ${groupId}`, db);

/** The safes of these people that others see because they are in one team or department with them. */
export const sharedSafesOf = (db: Db, owners: readonly string[]): Promise<string[]> =>
  idsOf(
    sql`select id from safes where owner_id = any(${[...owners]}::uuid[]) and deleted_at is null
        and access_level in ('team', 'department')`,
    db,
  );

export const safesOfGroup = (db: Db, groupId: string): Promise<string[]> =>
  idsOf(sql`select safe_id as id from safe_members where group_id = ${groupId}`, db);

/** Who may stand in this safe, now or with that access level, and to whom something of it is lent. */
export const peopleOfSafe = (db: Db, safeId: string, level: AccessLevel | null): Promise<string[]> =>
  idsOf(
    sql`select person.id from users person cross join safes
        where safes.id = ${safeId} and person.status = 'active' and (
          person.role = 'admin'
          or 'public' in (safes.access_level, ${level}::text)
          or exists (
            select from group_members mine join group_members owners on owners.group_id = mine.group_id
            where mine.user_id = person.id and owners.user_id = safes.owner_id)
          or exists (
            select from safe_members member left join group_members theirs on theirs.group_id = member.group_id
            where member.safe_id = safes.id and person.id in (member.user_id, theirs.user_id))
          or exists (
            select from access_requests asked join credentials on credentials.id = asked.account_id
            where asked.user_id = person.id and asked.state = 'granted' and credentials.safe_id = safes.id))`,
    db,
  );

/** Null when there is no such safe. */
export async function wordsOfSafe(db: Db, id: string): Promise<{ name: string; description: string | null } | null> {
  const found = db.selectFrom("safes").select(["name", "description"]).where("id", "=", id);
  return (await found.executeTakeFirst()) ?? null;
}

/** One sight of the database for both looks, and an end to waiting for locks and to long questions. */
export async function beginRehearsal(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read`.execute(tx);
  await sql`select set_config('lock_timeout', '500ms', true), set_config('statement_timeout', '5s', true)`.execute(tx);
}

/** From here on locks are held that others wait for. Of the few statements that follow only one is long. */
export async function hurry(tx: Tx): Promise<void> {
  await sql`select set_config('statement_timeout', '2s', true)`.execute(tx);
}

export async function readNames(db: Db, ids: readonly string[]): Promise<Map<string, { name: string; email: string }>> {
  const { rows } = await sql<{ id: string; name: string; email: string }>`
    select id, name, email from users where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, ...who }) => [id, who]));
}
