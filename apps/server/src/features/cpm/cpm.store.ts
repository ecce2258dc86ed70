// Reads pending verification work and failures that need attention, limited to the secrets that the user can see.
import type { FailingStatus, Severity } from "@strongroom/contract";
import { sql } from "kysely";
import { isFailingRow } from "#features/secrets/index.ts";
import { seesEverySafe } from "#features/safes/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { isVisibleSecret, visibleSecrets, visibleRows, severity, withAccount } from "#features/figures/index.ts";
import type { GrantQueries, Sql, Viewer } from "#features/figures/index.ts";

export interface WorkCounts {
  /** The number of verifications in progress, and of those that running runs still have to do. */
  active: number;
  lastRunAt: Date | null;
  /** The earliest time at which the schedule has something due. */
  nextDueAt: Date | null;
  /** A changed host key is waiting for a decision. */
  hasAlarm: boolean;
}

/** For administrators, reads all accounts of safes from an index on the due time. */
const nextDue = (actor: Viewer): Sql =>
  seesEverySafe(actor)
    ? sql`select least(
        (select min(verify_after) from credentials where user_id = ${actor.id} and deleted_at is null and verify_after is not null),
        (select min(verify_after) from credentials where user_id is null and deleted_at is null and verify_after is not null))`
    : sql`select min(verify_after) from ${visibleRows(actor)} mine`;

/** Includes the user's own runs, and the schedule's runs over all safes if the user sees any account. */
export async function readWorkCounts(db: Db, actor: Viewer, grants: GrantQueries): Promise<WorkCounts> {
  const { rows } = await sql<WorkCounts>`
    with ${visibleSecrets(actor, grants)},
    runs as (
      select * from verification_runs
      where user_id = ${actor.id}
        or user_id is null and exists (select from ${visibleRows(actor)} mine where mine.safe_id is not null)
    )
    select
      (select count(*)::integer from verification_attempts attempt join credentials on credentials.id = attempt.credential_id
       where attempt.finished_at is null and ${isVisibleSecret(actor)})
      + (select coalesce(sum(total - done), 0)::integer from runs where status = 'running' and user_id is not null)
        as active,
      (select max(coalesce(completed_at, started_at)) from runs) as "lastRunAt",
      (${nextDue(actor)}) as "nextDueAt",
      exists (select from credentials where offered_host_key is not null and ${isVisibleSecret(actor)}) as "hasAlarm"`.execute(
    db,
  );
  return rows[0]!;
}

export interface Attention {
  id: string;
  is_account: boolean;
  name: string;
  /** Null when a rotation is waiting for a decision. */
  status: FailingStatus | null;
  severity: Severity;
  reason: string | null;
  at: Date | null;
}

/** Rotations that are waiting for a decision, then failing secrets: the most severe first, then the newest. */
export async function findAttention(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  most: number,
): Promise<{ items: Attention[]; total: number }> {
  const { rows } = await sql<Attention & { total: number }>`
    with ${visibleSecrets(actor, grants)},
    waiting as materialized (
      select credentials.id, rotation.message as reason, rotation.started_at as at
      from rotations rotation join credentials on credentials.id = rotation.credential_id
      where rotation.needs_attention and rotation.step <> 'ended' and ${isVisibleSecret(actor)}
    ),
    items as (
      select id, null as status, 'high' as severity, reason, at, 0 as rank from waiting
      union all
      select id, verification_status, severity, verification_error, last_verification_attempt,
        array_position(array['critical', 'high', 'medium', 'low'], severity)
      from (
        select credentials.id, credentials.verification_status, ${severity} as severity, credentials.verification_error,
          credentials.last_verification_attempt
        from credentials ${withAccount}
        where ${isFailingRow} and ${isVisibleSecret(actor)} and credentials.id not in (select id from waiting)
      ) failing
    ),
    page as (
      select *, (count(*) over ())::integer as total from items order by rank, at desc nulls last, id limit ${most}
    )
    select page.id, credentials.user_id is null as is_account, credentials.name, page.status, page.severity, page.reason,
      page.at, page.total
    from page join credentials on credentials.id = page.id
    order by page.rank, page.at desc nulls last, page.id`.execute(db);
  return { items: rows, total: rows[0]?.total ?? 0 };
}
