// Reads the envelopes of active secrets and locks their rows, for many reveals at once.
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import { isNotDeleted } from "#features/secrets/index.ts";

export interface LockedEnvelope {
  id: string;
  user_id: string;
  name: string;
  version: number;
  active_count: number;
  active_mac: Buffer | null;
  envelope: Buffer;
}

/**
 * Returns the envelopes of the requested credentials that exist and that the requesting user may use, and records the
 * access time. Locks the rows until the transaction ends, so that no reveal is recorded after the deletion of its
 * secret. The rows are locked in the order of their ids, so that groups of calls in several processes cannot deadlock.
 */
export async function lockEnvelopes(
  tx: Tx,
  asked: readonly { id: string; actor: Pick<Actor, "id"> }[],
  at: Date,
): Promise<readonly LockedEnvelope[]> {
  const ids = asked.map((each) => each.id);
  const actors = asked.map((each) => each.actor.id);
  // Applies the rule of `vault.policy.ts` for many actors at once. A lateral join makes one look-up by id for each
  // requested credential, whatever the planner estimates. Each array is wrapped in a `select`: otherwise PostgreSQL
  // plans the statement again on every call, at twice the cost, because it expects to gain from knowing their lengths.
  const query = sql<LockedEnvelope>`
    with held as materialized (
      select credentials.id
      from (
        select * from unnest((select ${ids}::uuid[]), (select ${actors}::uuid[])) as asked (id, actor_id) order by id
      ) asked
      cross join lateral (
        select credentials.id from credentials
        where credentials.id = asked.id and credentials.user_id is not distinct from asked.actor_id and ${isNotDeleted}
        for no key update
      ) credentials
    )
    update credentials set last_accessed_at = ${at}
    from held join secret_versions on secret_versions.credential_id = held.id
    where credentials.id = held.id and secret_versions.version = credentials.secret_version
    returning credentials.id, credentials.user_id, credentials.name, credentials.active_count, credentials.active_mac,
      secret_versions.version, secret_versions.envelope
  `.compile(tx);
  return (await tx.executeQuery(named("credentials.hold-envelopes", query))).rows;
}
