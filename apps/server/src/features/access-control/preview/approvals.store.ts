// Finds the users affected by a change of a platform's approvals. Counts in SQL, because a single platform may have
// every account.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { activeGrants } from "#features/access-requests/index.ts";
import { bitOf, memberships } from "#features/safes/index.ts";
import { OUTER_USER } from "../access-control.store.ts";

/** The number of approvals that the platform requires; null if it does not exist. */
export async function readApprovals(db: Db, platformId: string): Promise<number | null> {
  const { rows } = await sql<{ approvals: number }>`
    select approvals_level_1 + approvals_level_2 as approvals from platforms
    where id = ${platformId} and deleted_at is null`.execute(db);
  return rows[0]?.approvals ?? null;
}

export interface AffectedRow {
  user_id: string;
  name: string;
  email: string;
  /** The number of accounts the user may use. */
  use: number;
  retrieve: number;
  /** Totals over all users, the same in every row. */
  people: number;
  accounts: number;
}

const [USE, RETRIEVE] = [sql.lit(bitOf("use")), sql.lit(bitOf("retrieve"))];
const CONFIRMED = sql.lit(bitOf("access_without_confirmation"));

/**
 * The users who may use or retrieve accounts of the platform only while it requires no approval. Accounts with an
 * active grant are not counted, because the grant is valid in both cases.
 */
export async function findAffectedPeople(db: Db, platformId: string, limit: number): Promise<AffectedRow[]> {
  const isOfPlatform = sql`accounts.platform_id = ${platformId} and accounts.status = 'active'`;
  const { rows } = await sql<AffectedRow>`
    with stock as materialized (
      select credentials.safe_id, count(*)::integer as count
      from accounts join credentials on credentials.id = accounts.id and credentials.deleted_at is null
      join safes on safes.id = credentials.safe_id and safes.status = 'active' and safes.deleted_at is null
      where ${isOfPlatform} group by credentials.safe_id
    ), given as materialized (
      select user_id, safe_id, bit_or(permissions) as permissions from ${memberships} membership
      where safe_id in (select safe_id from stock) group by user_id, safe_id
    ), active_grant as materialized (
      select person.id as user_id, credentials.safe_id, count(*)::integer as count
      from users person cross join lateral ${activeGrants(OUTER_USER)} active_grant
      join accounts on accounts.id = active_grant.account_id and ${isOfPlatform}
      join credentials on credentials.id = active_grant.account_id and credentials.deleted_at is null
      where person.id in (
        select asked.user_id from access_requests asked join accounts on accounts.id = asked.account_id
        where asked.state = 'granted' and ${isOfPlatform})
      group by person.id, credentials.safe_id
    ), touched as materialized (
      select given.user_id, given.safe_id, stock.count - coalesce(active_grant.count, 0) as count,
        given.permissions & ${USE} <> 0 as uses, given.permissions & ${RETRIEVE} <> 0 as retrieves
      from given join stock on stock.safe_id = given.safe_id
      left join active_grant on active_grant.user_id = given.user_id and active_grant.safe_id = given.safe_id
      where given.permissions & ${CONFIRMED} = 0 and given.permissions & (${USE} | ${RETRIEVE}) <> 0
        and stock.count > coalesce(active_grant.count, 0)
        and given.user_id in (select id from users where status = 'active')
    )
    select person.id as user_id, person.name, person.email,
      coalesce(sum(touched.count) filter (where touched.uses), 0)::integer as use,
      coalesce(sum(touched.count) filter (where touched.retrieves), 0)::integer as retrieve,
      (count(*) over ())::integer as people,
      (select sum(count)::integer from stock where safe_id in (select safe_id from touched)) as accounts
    from touched join users person on person.id = touched.user_id
    group by person.id
    order by sum(touched.count * (touched.uses::integer + touched.retrieves::integer)) desc, person.id
    limit ${limit}`.execute(db);
  return rows;
}
