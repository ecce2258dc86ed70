// How many accounts a person sees, and how they stand.
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { seesEverySafe, standingsOf } from "#features/safes/index.ts";
import { byRotation } from "./found-accounts.store.ts";
import type { GrantsInForce } from "./shown-accounts.store.ts";

export interface AccountFigures {
  total: number;
  active: number;
  /** Due soon or overdue (OPEN-79). */
  requiring_rotation: number;
  validation_valid: number;
  validation_invalid: number;
}

/**
 * Counts from indexes alone: of what is usual, an active account whose secret is current, the tables are not read.
 */
export async function countAccounts(
  db: Db,
  actor: Pick<Actor, "id" | "role">,
  grantsInForce: GrantsInForce,
): Promise<AccountFigures> {
  const seesAll = seesEverySafe(actor);
  const isSeen = seesAll
    ? sql`true`
    : sql`(safe_id in (select safe_id from visible) or id in (select account_id from lent))`;
  const visible = seesAll ? sql`select null::uuid` : sql`select safe_id from ${standingsOf(actor)} standing`;
  const mine = seesAll
    ? sql`select verification_status from credentials where safe_id is not null and deleted_at is null`
    : sql`
      select verification_status from visible join credentials using (safe_id) where deleted_at is null
      union all
      select verification_status from credentials
      where id in (select account_id from lent) and deleted_at is null and safe_id not in (select safe_id from visible)`;
  const { rows } = await sql<AccountFigures>`
    with visible (safe_id) as materialized (${visible}),
    lent as materialized (select account_id from ${grantsInForce(actor)} lent),
    all_seen as (
      select count(*)::integer as total,
        (count(*) filter (where verification_status = 'verified'))::integer as validation_valid,
        (count(*) filter (where verification_status = 'failed'))::integer as validation_invalid
      from (${mine}) mine
    ), idle as (
      select count(*)::integer as count from credentials
      where id in (select id from accounts where status <> 'active')
        and safe_id is not null and deleted_at is null and ${isSeen}
    ), due as (
      select count(*)::integer as count from credentials
      where id in (${byRotation()}) and safe_id is not null and deleted_at is null and ${isSeen}
    )
    select total, total - idle.count as active, due.count as requiring_rotation, validation_valid, validation_invalid
    from all_seen, idle, due`.execute(db);
  return rows[0]!;
}
