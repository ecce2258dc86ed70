// What verification has to do, and what needs a person, over what somebody sees.
import { sql } from "kysely";
import { seesEverySafe } from "#features/safes/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { isSeen, seen, seenRows } from "#features/validation/index.ts";
import type { GrantQueries, Sql, Who } from "#features/validation/index.ts";

export interface Work {
  /** Verifications under way, and those that a run has still to do. */
  active: number;
  lastRunAt: Date | null;
  /** The earliest time for which the schedule has something. */
  nextDueAt: Date | null;
  /** A changed host key waits for somebody to look at it. */
  hasAlarm: boolean;
}

/** For administrators from an index by its time, over everything that belongs to nobody. */
const nextDue = (actor: Who): Sql =>
  seesEverySafe(actor)
    ? sql`select least(
        (select min(verify_after) from credentials where user_id = ${actor.id} and deleted_at is null and verify_after is not null),
        (select min(verify_after) from credentials where user_id is null and deleted_at is null and verify_after is not null))`
    : sql`select min(verify_after) from ${seenRows(actor)} mine`;

/** The runs are one's own, and those of the schedule over the accounts of all safes for who sees any. */
export async function readWork(db: Db, actor: Who, grants: GrantQueries): Promise<Work> {
  const { rows } = await sql<Work>`
    with ${seen(actor, grants)},
    runs as (
      select * from verification_runs
      where user_id = ${actor.id}
        or user_id is null and exists (select from ${seenRows(actor)} mine where mine.safe_id is not null)
    )
    select
      (select count(*)::integer from verification_attempts attempt join credentials on credentials.id = attempt.credential_id
       where attempt.finished_at is null and ${isSeen(actor)})
      + (select coalesce(sum(total - done), 0)::integer from runs where status = 'running' and user_id is not null)
        as active,
      (select max(coalesce(completed_at, started_at)) from runs) as "lastRunAt",
      (${nextDue(actor)}) as "nextDueAt",
      exists (select from credentials where offered_host_key is not null and ${isSeen(actor)}) as "hasAlarm"`.execute(
    db,
  );
  return rows[0]!;
}

export interface Attention {
  id: string;
  is_account: boolean;
  name: string;
  reason: string | null;
  at: Date | null;
  /** A changed host key, a refused secret, or a rotation that waits for a person. */
  is_grave: boolean;
}

/** Worst first, then newest first: rotations that wait, alarms and refused secrets before what could not be tried. */
export async function findAttention(
  db: Db,
  actor: Who,
  grants: GrantQueries,
  most: number,
): Promise<{ items: Attention[]; total: number }> {
  const { rows } = await sql<Attention & { total: number }>`
    with ${seen(actor, grants)},
    waiting as materialized (
      select credentials.id, credentials.user_id, credentials.name, rotation.message as reason,
        rotation.started_at as at
      from rotations rotation join credentials on credentials.id = rotation.credential_id
      where rotation.needs_attention and rotation.step <> 'ended' and ${isSeen(actor)}
    ),
    items as (
      select id, user_id, name, reason, at, true as is_grave, 0 as rank from waiting
      union all
      select id, user_id, name, verification_error, last_verification_attempt,
        offered_host_key is not null or rejected_revision is not distinct from login_revision,
        case when offered_host_key is not null then 0
          when rejected_revision is not distinct from login_revision then 1 else 2 end
      from credentials
      where verification_status = 'failed' and ${isSeen(actor)} and id not in (select id from waiting)
    )
    select id, user_id is null as is_account, name, reason, at, is_grave, (count(*) over ())::integer as total
    from items order by rank, at desc nulls last, id limit ${most}`.execute(db);
  return { items: rows, total: rows[0]?.total ?? 0 };
}
