// Stores verification runs, their items, the claims of workers and their progress.
import { sql } from "kysely";
import type { ColumnType, JSONColumnType, RawBuilder, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import { pipelined } from "#kernel/db/pipelined-pool.ts";
import type { RunScope } from "../verification.policy.ts";

export interface Requester {
  id: string;
  name: string;
}

export interface VerificationRunsTable {
  id: string;
  /** Null: the scheduled run of the accounts in all safes. */
  user_id: string | null;
  scope: RunScope;
  status: ColumnType<"running" | "completed" | "cancelled", never, "running" | "completed" | "cancelled">;
  total: number;
  done: ColumnType<number, never, number>;
  verified: ColumnType<number, never, number>;
  failed: ColumnType<number, never, number>;
  requested_by: JSONColumnType<Requester | null>;
  started_at: Date;
  completed_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
}

export interface VerificationRunItemsTable {
  run_id: string;
  credential_id: string;
  target: string | null;
  claimed_until: ColumnType<Date | null, never, never>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    verification_runs: VerificationRunsTable;
    verification_run_items: VerificationRunItemsTable;
  }
}

export type RunRow = Selectable<VerificationRunsTable>;

export interface NewRun {
  id: string;
  user_id: string | null;
  scope: RunScope;
  requested_by: Requester | null;
  started_at: Date;
}

/**
 * The entries that a run verifies: everything of its user plus `accounts`, the user's selection, accounts or any
 * entries for which the permission has been checked, or everything due.
 */
export type Chosen =
  | { all: true; accounts: RawBuilder<unknown>; isVaultClosed?: boolean }
  | { ids: readonly string[] }
  | { accountIds: readonly string[] }
  | { allowedIds: readonly string[] }
  | { dueAt: Date };

/** The host that a login goes to: the host in the connection string, or else `host` (CRED-38). */
const TARGET = sql<string | null>`
  lower(coalesce(substring(connection_string from '^[^:]+://(?:[^@/?#]*@)?(\\[[^\\]]*\\]|[^:/?#]+)'), host))`;

/**
 * Queues the items of a run and returns the run; a run without items is completed immediately. Returns null when a run of
 * the same scope is under way: there is only one at a time, except for `selected`.
 */
export async function insertRun(tx: Tx, run: NewRun, chosen: Chosen): Promise<RunRow | null> {
  const inserted = await tx
    .insertInto("verification_runs")
    .values({ ...run, total: 0, requested_by: JSON.stringify(run.requested_by) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) return null;
  await sql`
    insert into verification_run_items (run_id, credential_id, target)
    select ${run.id}::uuid, id, ${TARGET} from credentials
    where ${picked(run, chosen)} and deleted_at is null`.execute(tx);
  const row = await tx
    .updateTable("verification_runs")
    .set({ total: sql<number>`(select count(*) from verification_run_items where run_id = ${run.id})` })
    .where("id", "=", run.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row.total > 0 ? row : await endRun(tx, run.id, "completed", run.started_at);
}

function picked({ user_id }: NewRun, chosen: Chosen): RawBuilder<unknown> {
  if ("accountIds" in chosen) return sql`safe_id is not null and ${isOneOf(chosen.accountIds)}`;
  if ("allowedIds" in chosen) return isOneOf(chosen.allowedIds);
  // A null user is the schedule: entries that belong to no user belong to a safe.
  const own = user_id === null ? sql`safe_id is not null` : sql`user_id = ${user_id}`;
  if ("all" in chosen) {
    // Secrets in a closed vault are not sent to their host on request.
    return chosen.isVaultClosed === true ? sql`id in ${chosen.accounts}` : sql`(${own} or id in ${chosen.accounts})`;
  }
  return "ids" in chosen ? sql`${own} and ${isOneOf(chosen.ids)}` : sql`${own} and verify_after <= ${chosen.dueAt}`;
}

const isOneOf = (ids: readonly string[]) => sql`id = any(${[...ids]}::uuid[])`;

export async function readRun(db: Db, userId: string, id: string): Promise<RunRow | null> {
  const query = db.selectFrom("verification_runs").selectAll().where("id", "=", id).where("user_id", "=", userId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns the unfinished run of this owner and scope. */
export async function findRunning(db: Db, userId: string | null, scope: RunScope): Promise<RunRow | null> {
  const query = db.selectFrom("verification_runs").selectAll().where("user_id", "is not distinct from", userId);
  return (await query.where("scope", "=", scope).where("status", "=", "running").executeTakeFirst()) ?? null;
}

/** Returns null when this user has no running run with this id. Deletes the items that no worker has claimed. */
export async function cancelRun(tx: Tx, userId: string, id: string, at: Date): Promise<RunRow | null> {
  const cancelled = await tx
    .updateTable("verification_runs")
    .set({ status: "cancelled", completed_at: at })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("status", "=", "running")
    .returningAll()
    .executeTakeFirst();
  if (cancelled === undefined) return null;
  await tx.deleteFrom("verification_run_items").where("run_id", "=", id).where("claimed_until", "is", null).execute();
  return cancelled;
}

/** An arbitrary advisory lock key, used only by claims. */
const CLAIM_LOCK = 7_305_808_880;

export interface ClaimRules {
  leaseSeconds: number;
  /** The limit of concurrent logins to one host, across all runs and processes. */
  mostPerTarget: number;
}

export interface Claimed {
  run: RunRow;
  /** Claimed for a limited time; null when no item is available now. */
  credentialId: string | null;
}

/**
 * Claims the next secret of a run; returns null when the run has ended. Claims are serialized, so that the count per
 * host is exact. The lock statement is pipelined with the claim; if it runs alone, the lock ends with that statement.
 * The lock is not held until the claim is flushed to disk: a claim lost in a power cut is made again, and the attempt's
 * own record is authoritative.
 */
export async function claimItem(tx: Tx, runId: string, rules: ClaimRules): Promise<Claimed | null> {
  const lock = sql`select pg_advisory_xact_lock(${CLAIM_LOCK}::bigint)`;
  await tx.executeQuery(pipelined("runs.claim-lock", lock.compile(tx)));
  const hasty = sql`set local synchronous_commit to off`;
  await tx.executeQuery(pipelined("runs.claim-hastily", hasty.compile(tx)));
  const { rows } = await sql<RunRow & { credential_id: string | null }>`
    with running as (
      select * from verification_runs where id = ${runId} and status = 'running'
    ), claimed as (
      update verification_run_items set claimed_until = clock_timestamp() + make_interval(secs => ${rules.leaseSeconds})
      where (run_id, credential_id) = (
        select run_id, credential_id from verification_run_items
        where run_id = (select id from running) and (claimed_until is null or claimed_until < clock_timestamp())
          and (target is null or target <> all (array(
            select target from verification_run_items
            where claimed_until > clock_timestamp() and target is not null
            group by target having count(*) >= ${rules.mostPerTarget})))
        limit 1
        for update skip locked)
      returning credential_id
    )
    select running.*, claimed.credential_id from running left join claimed on true`.execute(tx);
  const [row] = rows;
  if (row === undefined) return null;
  const { credential_id: credentialId, ...run } = row;
  return { run, credentialId };
}

export async function hasItems(db: Db, runId: string): Promise<boolean> {
  const query = db.selectFrom("verification_run_items").select("run_id").where("run_id", "=", runId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns running runs of which no item is claimed: their workers died. */
export async function findStalledRuns(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from verification_runs run
    where status = 'running' and not exists (
      select from verification_run_items item where item.run_id = run.id and claimed_until > clock_timestamp())`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

export type Counted = "verified" | "failed" | "untried";

/**
 * Counts one secret of a run, once even if called repeatedly, and ends the run with the last secret. Returns null when
 * the secret was counted before.
 */
export async function countItem(
  tx: Tx,
  runId: string,
  credentialId: string,
  as: Counted,
  at: Date,
): Promise<RunRow | null> {
  const [verified, failed] = [as === "verified" ? 1 : 0, as === "failed" ? 1 : 0];
  const query = sql<RunRow>`
    with taken as (
      delete from verification_run_items where run_id = ${runId} and credential_id = ${credentialId} returning run_id
    )
    update verification_runs set done = done + 1, verified = verified + ${verified}::int, failed = failed + ${failed}::int,
      status = case when status = 'running' and done + 1 >= total then 'completed' else status end,
      completed_at = case when status = 'running' and done + 1 >= total then ${at}::timestamptz else completed_at end
    from taken where verification_runs.id = taken.run_id returning verification_runs.*`.compile(tx);
  return (await tx.executeQuery(named("runs.count", query))).rows[0] ?? null;
}

async function endRun(tx: Tx, id: string, status: "completed", at: Date): Promise<RunRow> {
  const query = tx.updateTable("verification_runs").set({ status, completed_at: at }).where("id", "=", id);
  return await query.returningAll().executeTakeFirstOrThrow();
}

/** Returns the owners with something due and no active scheduled run: user ids, and null for all safes together. */
export async function findDueOwners(db: Db, at: Date): Promise<{ userId: string | null }[]> {
  const { rows } = await sql<{ userId: string | null }>`
    select distinct user_id as "userId" from credentials
    where deleted_at is null and verify_after <= ${at} and not exists (
      select from verification_runs run
      where run.user_id is not distinct from credentials.user_id and run.status = 'running' and run.scope = 'scheduled')`.execute(
    db,
  );
  return rows;
}

/** Deletes runs that ended before the given time, once their attempts are deleted. */
export async function pruneRuns(tx: Tx, before: Date): Promise<void> {
  await sql`
    delete from verification_runs run
    where completed_at < ${before} and not exists (
      select from verification_attempts attempt where attempt.run_id = run.id)
    and not exists (select from verification_run_items item where item.run_id = run.id)`.execute(tx);
}
