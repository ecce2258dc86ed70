// Protects a secret while a rotation is working on it, and ends rotations that a user's later change makes obsolete.
import type { RotationState } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import { refuse } from "#kernel/http/refuse.ts";

/** The state of a row of `rotations`, as users see it. */
export const rotationState: RawBuilder<RotationState> = sql<RotationState>`case
  when rotations.outcome is not null then rotations.outcome
  when rotations.needs_attention then 'attention'
  when rotations.lease_until > clock_timestamp() then 'running'
  when rotations.next_at <= access_time() then 'queued'
  else 'waiting' end`;

/** A worker is running the rotation, or a change was sent to the target and its result has not been processed yet. */
const isInHand = sql<boolean>`(rotations.lease_until > clock_timestamp()
  or (step in ('sent', 'answered', 'doubtful', 'promoted') and not needs_attention))`;

/**
 * Returns the name of the first of these credentials that a rotation is working on, or null. Call this while the rows
 * in `credentials` are locked: a rotation starts work only while it holds these locks.
 */
export async function activeRotationOf(db: Db, ids: readonly string[]): Promise<string | null> {
  // Wrapped in a `select`, so that the planner does not see the array's length and keeps a single plan.
  const query = sql<{ name: string }>`
    select credential_name as name from rotations
    where credential_id = any((select ${[...ids]}::uuid[])::uuid[]) and step <> 'ended' and ${isInHand} limit 1`.compile(
    db,
  );
  return (await db.executeQuery(named("rotations.in-hand", query))).rows[0]?.name ?? null;
}

/** Throws 409 while a rotation is working on any of these credentials. Their rows in `credentials` must be locked. */
export async function refuseWhileRotating(db: Db, ...ids: string[]): Promise<void> {
  const name = await activeRotationOf(db, ids);
  if (name === null) return;
  throw refuse(409, "rotation.under-way", `The secret of "${name}" is being rotated. Try again in a minute.`);
}

/**
 * Ends the open rotation of a credential that a user has changed or deleted. Keeps everything that the rotation stored,
 * and counts it in its run. The row in `credentials` must be locked, and the rotation must not be working on it.
 */
export async function supersedeRotation(tx: Tx, id: string, at: Date, message: string): Promise<void> {
  await sql`
    with counted as (
      select run_id from rotations
      where credential_id = ${id} and step <> 'ended' and run_id is not null and not is_counted
    ), run as (
      update rotation_runs set done = done + 1, failed = failed + 1,
        status = case when status = 'running' and done + 1 >= total then 'completed' else status end,
        completed_at = case when status = 'running' and done + 1 >= total then ${at} else completed_at end
      from counted where rotation_runs.id = counted.run_id
    ), ended as (
      update rotations set step = 'ended', outcome = 'superseded', ended_at = ${at}, needs_attention = false, next_at = null,
        lease_token = null, lease_until = null, message = ${message}, is_counted = run_id is not null
      where credential_id = ${id} and step <> 'ended' returning id
    )
    insert into rotation_lines (rotation_id, number, step, message, at)
    select id, coalesce((select max(number) from rotation_lines where rotation_id = id), 0) + 1, 'ended', ${message}, ${at}
    from ended`.execute(tx);
}
