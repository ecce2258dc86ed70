// Stores onboardings and their journals.
import type { OnboardingState } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, RawBuilder, Selectable } from "kysely";
import type { Asker } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import { visibleTargets } from "../targets/targets.store.ts";

export interface OnboardingsTable {
  id: ColumnType<string, string, never>;
  run_id: ColumnType<string, string, never>;
  discovered_id: ColumnType<string, string, never>;
  state: OnboardingState;
  message: string;
  safe_id: ColumnType<string, string, never>;
  platform_id: ColumnType<string, string, never>;
  name: ColumnType<string, string, never>;
  is_rotated: ColumnType<boolean, boolean, never>;
  account_id: ColumnType<string | null, undefined, string>;
  rotation_id: ColumnType<string | null, undefined, string>;
  requested_by: ColumnType<string, string, never>;
  requester_name: ColumnType<string, string, never>;
  created_at: ColumnType<Date, Date, never>;
  updated_at: Date;
}

interface OnboardingLinesTable {
  onboarding_id: string;
  number: number;
  state: OnboardingState;
  message: string;
  at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    discovery_onboardings: OnboardingsTable;
    discovery_onboarding_lines: OnboardingLinesTable;
  }
}

export type OnboardingRow = Selectable<OnboardingsTable>;

export interface ShownOnboarding extends OnboardingRow {
  account_name: string;
  hostname: string;
  can_manage: boolean;
  can_see_account: boolean;
}

/** The accounts of safes that this user can list, as a table of safe ids. */
export const listableSafes = (actor: Asker): RawBuilder<unknown> => sql`(
  select mine.safe_id from ${effectivePermissionsOf(actor)} mine
  where (mine.permissions & ${sql.lit(bitOf("list"))}) <> 0)`;

const shown = (actor: Asker, condition: RawBuilder<unknown>, limit: number) => sql<ShownOnboarding>`
  select onboarding.*, found.account_name, found.hostname, seen.can_manage,
    onboarding.safe_id in ${listableSafes(actor)} as can_see_account
  from discovery_onboardings onboarding
  join discovered_accounts found on found.id = onboarding.discovered_id
  join ${visibleTargets(actor)} seen on seen.id = found.target_id
  where ${condition}
  order by onboarding.created_at desc, onboarding.id desc limit ${limit}`;

export interface OnboardingsQuery {
  runId: string | null;
  state: OnboardingState | null;
  after: TimePlace | null;
  limit: number;
}

const inRun = (runId: string | null) => (runId === null ? sql`true` : sql`onboarding.run_id = ${runId}`);

export async function listOnboardings(db: Db, actor: Asker, query: OnboardingsQuery): Promise<ShownOnboarding[]> {
  const { runId, state, after, limit } = query;
  const conditions = [
    inRun(runId),
    ...(state === null ? [] : [sql`onboarding.state = ${state}`]),
    ...(after === null ? [] : [sql`(onboarding.created_at, onboarding.id) < (${after.at}, ${after.id}::uuid)`]),
  ];
  return (await shown(actor, sql.join(conditions, sql` and `), limit).execute(db)).rows;
}

export async function countOnboardings(db: Db, actor: Asker, runId: string | null) {
  const { rows } = await sql<{ state: OnboardingState; count: number }>`
    select onboarding.state, count(*)::integer as count
    from discovery_onboardings onboarding
    join discovered_accounts found on found.id = onboarding.discovered_id
    join ${visibleTargets(actor)} seen on seen.id = found.target_id
    where ${inRun(runId)} group by onboarding.state`.execute(db);
  return rows;
}

/** Null when the onboarding does not exist or this user cannot see its target. */
export async function readOnboarding(db: Db, actor: Asker, id: string): Promise<ShownOnboarding | null> {
  return (await shown(actor, sql`onboarding.id = ${id}`, 1).execute(db)).rows[0] ?? null;
}

export async function journalOf(db: Db, id: string): Promise<Omit<OnboardingLinesTable, "onboarding_id" | "number">[]> {
  const query = db.selectFrom("discovery_onboarding_lines").select(["state", "message", "at"]);
  return query.where("onboarding_id", "=", id).orderBy("number").execute();
}

export async function lockOnboarding(tx: Tx, id: string): Promise<OnboardingRow | null> {
  const query = tx.selectFrom("discovery_onboardings").selectAll().where("id", "=", id);
  return (await query.forUpdate().executeTakeFirst()) ?? null;
}

export async function insertOnboardings(tx: Tx, rows: readonly Insertable<OnboardingsTable>[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.insertInto("discovery_onboardings").values(rows).execute();
  const lines = rows.map(({ id, state, message, created_at }) => ({
    onboarding_id: id,
    number: 1,
    state,
    message,
    at: created_at,
  }));
  await tx.insertInto("discovery_onboarding_lines").values(lines).execute();
}

export interface OnboardingStep {
  state: OnboardingState;
  message: string;
  at: Date;
  account_id?: string;
  rotation_id?: string;
}

/** Records a step in the journal. The caller has locked the row. */
export async function saveStep(tx: Tx, id: string, { at, ...step }: OnboardingStep): Promise<void> {
  await tx
    .updateTable("discovery_onboardings")
    .set({ ...step, updated_at: at })
    .where("id", "=", id)
    .execute();
  await sql`
    insert into discovery_onboarding_lines (onboarding_id, number, state, message, at)
    select ${id}::uuid, coalesce(max(number), 0) + 1, ${step.state}, ${step.message}, ${at}::timestamptz
    from discovery_onboarding_lines where onboarding_id = ${id}`.execute(tx);
}

export async function plannedIn(db: Db, runId: string): Promise<string[]> {
  const query = db.selectFrom("discovery_onboardings").select("id").where("run_id", "=", runId);
  return (await query.where("state", "=", "planned").orderBy("id").execute()).map(({ id }) => id);
}

export async function rotatingIn(db: Db, runId: string): Promise<number> {
  const query = db.selectFrom("discovery_onboardings").select("id").where("run_id", "=", runId);
  return (await query.where("rotation_id", "is not", null).execute()).length;
}

/** Runs with planned onboardings that their job did not finish, because its process was killed too often. */
export async function findStalledRuns(db: Db): Promise<string[]> {
  const { rows } = await sql<{ run_id: string }>`
    select distinct run_id from discovery_onboardings onboarding
    where state = 'planned' and not exists (
      select from job_runs run where run.id = onboarding.run_id and run.state in ('queued', 'running')
    ) limit 100`.execute(db);
  return rows.map(({ run_id }) => run_id);
}

/**
 * Onboardings whose account or rotation has changed since: rotations that were cancelled, passwords that a user stored,
 * accounts that a user deleted.
 */
export async function findOutdated(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select onboarding.id from discovery_onboardings onboarding
    join credentials on credentials.id = onboarding.account_id
    join accounts on accounts.id = onboarding.account_id
    left join rotations on rotations.id = onboarding.rotation_id
    where onboarding.state in ('rotating', 'waiting') and (
      credentials.deleted_at is not null or not accounts.is_password_unknown
      or (onboarding.state = 'rotating' and (rotations.step = 'ended' or rotations.needs_attention))
      or (onboarding.state = 'waiting' and exists (
        select from rotations open where open.credential_id = accounts.id and open.step <> 'ended'
          and not open.needs_attention))
    ) limit 1000`.execute(db);
  return rows.map(({ id }) => id);
}

export async function openOnboardingOf(db: Db, accountId: string): Promise<string | null> {
  const query = db.selectFrom("discovery_onboardings").select("id").where("account_id", "=", accountId);
  return (await query.where("state", "in", ["rotating", "waiting"]).executeTakeFirst())?.id ?? null;
}

export async function targetOf(db: Db, discoveredId: string): Promise<{ id: string; safe_id: string } | null> {
  const { rows } = await sql<{ id: string; safe_id: string }>`
    select target.id, target.safe_id from discovered_accounts found
    join discovery_targets target on target.id = found.target_id where found.id = ${discoveredId}`.execute(db);
  return rows[0] ?? null;
}

export interface AccountFacts {
  is_deleted: boolean;
  is_password_unknown: boolean;
  /** The reason for which the active version was stored. */
  reason: string | null;
}

export async function factsOf(db: Db, accountId: string): Promise<AccountFacts> {
  const { rows } = await sql<AccountFacts>`
    select credentials.deleted_at is not null as is_deleted, accounts.is_password_unknown, version.reason
    from credentials join accounts on accounts.id = credentials.id
    left join secret_versions version
      on version.credential_id = credentials.id and version.version = credentials.secret_version
    where credentials.id = ${accountId}`.execute(db);
  return rows[0]!;
}
