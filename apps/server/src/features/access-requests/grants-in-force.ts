// The one answer to "is this account lent to this person now?", judged by the database's time at every call.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { onlyIn, standingsOf } from "#features/safes/index.ts";
import type { Someone } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";

export interface GrantInForce {
  account_id: string;
  request_id: string;
  ends_at: Date;
}

const inForce = sql`lent.state = 'granted' and lent.starts_at <= access_time() and lent.ends_at > access_time()`;

/**
 * A query for somebody's grants in force, one for each account. INVARIANT: who has lost every sight of the safe has lost what
 * was lent to them there, unless an administrator lent it to somebody from outside. Whether the account and its safe are
 * active is for whoever asks.
 */
export function grantsInForce(actor: Someone): RawBuilder<GrantInForce> {
  return sql<GrantInForce>`(
    select distinct on (lent.account_id) lent.account_id, lent.id as request_id, lent.ends_at
    from access_requests lent
    where lent.user_id = ${actor.id} and ${inForce} and exists (
      select from credentials where credentials.id = lent.account_id ${onlyIn(sql`credentials.safe_id`, actor)}
    ) and (lent.is_mapped or exists (
      select from credentials join ${standingsOf(actor)} standing on standing.safe_id = credentials.safe_id
      where credentials.id = lent.account_id))
    order by lent.account_id, lent.ends_at desc
  )`;
}

/** Notes that the secret came out during the grants in force: their end may have to change it. */
export async function noteRetrieval(tx: Tx, actorId: string, accountId: string): Promise<void> {
  await sql`
    update access_requests lent set is_retrieved = true
    where lent.user_id = ${actorId} and lent.account_id = ${accountId} and ${inForce} and not lent.is_retrieved`.execute(
    tx,
  );
}
