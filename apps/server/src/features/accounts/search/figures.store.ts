// Counts, by status, the accounts that a user may see.
import { ACCOUNT_VALIDATION_OF, VERIFICATION_STATUSES } from "@strongroom/contract";
import type { VerificationStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { hasVerificationStatus } from "#features/secrets/index.ts";
import { seesEverySafe, effectivePermissionsOf } from "#features/safes/index.ts";
import { byRotation } from "./found-accounts.store.ts";
import type { GrantsInForce } from "../shown-accounts.store.ts";

export interface AccountFigures {
  total: number;
  active: number;
  /** Accounts that are due soon or overdue (OPEN-79). */
  requiring_rotation: number;
  validation_valid: number;
  validation_invalid: number;
  validation_unreachable: number;
  validation_misconfigured: number;
  validation_pending: number;
  validation_untested: number;
}

const counted = (status: VerificationStatus) =>
  sql`(count(*) filter (where ${hasVerificationStatus(status)}))::integer as ${sql.id(`validation_${ACCOUNT_VALIDATION_OF[status]}`)}`;

/** Uses index-only scans where possible. In the usual case, active accounts with a current secret, the tables are not read. */
export async function countAccounts(
  db: Db,
  actor: Pick<Actor, "id" | "role">,
  grantsInForce: GrantsInForce,
): Promise<AccountFigures> {
  const seesAll = seesEverySafe(actor);
  const isSeen = seesAll
    ? sql`true`
    : sql`(safe_id in (select safe_id from visible) or id in (select account_id from active_grant))`;
  const visible = seesAll ? sql`select null::uuid` : sql`select safe_id from ${effectivePermissionsOf(actor)} standing`;
  const mine = seesAll
    ? sql`select verification_status, verify_after from credentials where safe_id is not null and deleted_at is null`
    : sql`
      select verification_status, verify_after from visible join credentials using (safe_id) where deleted_at is null
      union all
      select verification_status, verify_after from credentials
      where id in (select account_id from active_grant) and deleted_at is null and safe_id not in (select safe_id from visible)`;
  const { rows } = await sql<AccountFigures>`
    with visible (safe_id) as materialized (${visible}),
    active_grant as materialized (select account_id from ${grantsInForce(actor)} active_grant),
    all_seen as (
      select count(*)::integer as total, ${sql.join(VERIFICATION_STATUSES.map(counted))} from (${mine}) credentials
    ), idle as (
      select count(*)::integer as count from credentials
      where id in (select id from accounts where status <> 'active')
        and safe_id is not null and deleted_at is null and ${isSeen}
    ), due as (
      select count(*)::integer as count from credentials
      where id in (${byRotation()}) and safe_id is not null and deleted_at is null and ${isSeen}
    )
    select all_seen.*, total - idle.count as active, due.count as requiring_rotation
    from all_seen, idle, due`.execute(db);
  return rows[0]!;
}
