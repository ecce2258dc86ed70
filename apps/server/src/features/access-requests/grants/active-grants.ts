// Decides whether a user has an active grant for an account now, by the database's time at every call.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { limitToTokenSafes, effectivePermissionsOf } from "#features/safes/index.ts";
import type { PrincipalRef } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";

export interface ActiveGrant {
  account_id: string;
  request_id: string;
  ends_at: Date;
  /** The ticket given with the request. */
  ticket: string | null;
}

/** An active grant has started and not ended. `request` names a row of `access_requests`. */
export const isInForce = (request: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(${request}.state = 'granted' and ${request}.starts_at <= access_time() and ${request}.ends_at > access_time())`;

const inForce = isInForce(sql`active_grant`);

/**
 * A query for a user's active grants, one per account. INVARIANT: a user who can no longer see a safe has no active
 * grants there, except those that an administrator gave them as a non-member. The caller checks whether the account and
 * its safe are active.
 */
export function activeGrants(actor: PrincipalRef): RawBuilder<ActiveGrant> {
  return sql<ActiveGrant>`(
    select distinct on (active_grant.account_id) active_grant.account_id, active_grant.id as request_id, active_grant.ends_at, active_grant.ticket
    from access_requests active_grant
    where active_grant.user_id = ${actor.id} and ${inForce} and exists (
      select from credentials where credentials.id = active_grant.account_id ${limitToTokenSafes(sql`credentials.safe_id`, actor)}
    ) and (active_grant.is_mapped or exists (
      select from credentials join ${effectivePermissionsOf(actor)} standing on standing.safe_id = credentials.safe_id
      where credentials.id = active_grant.account_id))
    order by active_grant.account_id, active_grant.ends_at desc
  )`;
}

/** Records that the secret was retrieved under the active grants. The secret may then have to be rotated when they end. */
export async function recordRetrieval(tx: Tx, actorId: string, accountId: string): Promise<void> {
  await sql`
    update access_requests active_grant set is_retrieved = true
    where active_grant.user_id = ${actorId} and active_grant.account_id = ${accountId} and ${inForce} and not active_grant.is_retrieved`.execute(
    tx,
  );
}
