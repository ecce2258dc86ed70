// Stores findings, their history, and the rules that suppress them.
import type { FindingLiveness, FindingSeverity, FindingStatus, FindingType } from "@strongroom/contract";
import { RISK_BANDS } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Generated, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { visibleTargets } from "#features/discovery/index.ts";
import type { RiskFactor } from "./findings.policy.ts";

type Fixed<T> = ColumnType<T, T, never>;

export interface FindingsTable {
  id: Fixed<string>;
  target_id: Fixed<string>;
  identity: Fixed<string>;
  path: Fixed<string>;
  fingerprint: string | null;
  finding_type: FindingType;
  class: string;
  detector: string;
  reason: string;
  confidence: number;
  status: FindingStatus;
  risk_score: number;
  risk_factors: ColumnType<RiskFactor[], string, string>;
  is_below_threshold: boolean;
  line: number;
  key_name: string | null;
  username: string | null;
  host: string | null;
  port: number | null;
  preview: string;
  context: ColumnType<{ line: number; text: string }[], string, string>;
  file_owner: string;
  file_group: string;
  file_mode: string;
  file_modified_at: Date;
  liveness: Generated<FindingLiveness>;
  verified_at: Date | null;
  account_id: string | null;
  auto_vaulted: Generated<boolean>;
  assignee_id: string | null;
  due_at: Date | null;
  rule_id: string | null;
  first_scan_id: string;
  last_scan_id: string;
  fixed_scan_id: string | null;
  created_at: Fixed<Date>;
  last_seen_at: Date;
}

export const CHANGE_KINDS = [
  "status",
  "assigned",
  "due",
  "comment",
  "verified",
  "vaulted",
  "fixed",
  "reopened",
] as const;

interface FindingChangesTable {
  id: string;
  finding_id: string;
  at: Date;
  by_name: string;
  kind: (typeof CHANGE_KINDS)[number];
  from_value: string | null;
  to_value: string | null;
  reason: string | null;
}

interface FindingRulesTable {
  id: string;
  target_id: string;
  kind: "path" | "secret" | "class";
  matches: string;
  reason: string;
  review_at: Date;
  created_by: string;
  created_at: Date;
}

interface FindingCountsTable {
  target_id: string;
  status: FindingStatus;
  finding_type: FindingType;
  band: number;
  is_below_threshold: boolean;
  count: string;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    findings: FindingsTable;
    finding_changes: FindingChangesTable;
    finding_rules: FindingRulesTable;
    finding_counts: FindingCountsTable;
  }
}

export type FindingRow = Selectable<FindingsTable>;
export type ChangeRow = Selectable<FindingChangesTable>;
export type RuleRow = Selectable<FindingRulesTable>;

export interface ShownFinding extends FindingRow {
  target_name: string;
  hostname: string;
  can_manage: boolean;
  assignee_name: string | null;
  /** The number of targets, this one included, on which this user can see the same secret. */
  reused_on: number;
}

export interface FindingFilter {
  severity: readonly FindingSeverity[];
  findingType: readonly FindingType[];
  status: readonly FindingStatus[];
  minRisk: number | null;
  maxRisk: number | null;
  targetId: string | null;
  isBelowThresholdShown: boolean;
}

const HIGHEST: Readonly<Record<FindingSeverity, number>> = { critical: 100, high: 79, medium: 59, low: 39 };

const bands = (severities: readonly FindingSeverity[]): RawBuilder<unknown> =>
  sql`(${sql.join(
    severities.map((each) => sql`f.risk_score between ${RISK_BANDS[each]} and ${HIGHEST[each]}`),
    sql` or `,
  )})`;

/** Everything but the status, the type and the target, which decide which index is read. */
function others({ severity, minRisk, maxRisk, isBelowThresholdShown }: FindingFilter): RawBuilder<unknown> {
  return sql.join(
    [
      sql`true`,
      ...(severity.length === 0 ? [] : [bands(severity)]),
      ...(minRisk === null ? [] : [sql`f.risk_score >= ${minRisk}`]),
      ...(maxRisk === null ? [] : [sql`f.risk_score <= ${maxRisk}`]),
      ...(isBelowThresholdShown ? [] : [sql`not f.is_below_threshold`]),
    ],
    sql` and `,
  );
}

export interface Page {
  limit: number;
  offset: number;
}

/** With at most this many targets, each target's own index is read. */
const FEW_TARGETS = 32;

export async function visibleIds(db: Db, actor: Actor): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from ${visibleTargets(actor)} seen`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * The matches with the highest risk. Reads the first `offset + limit` entries of one index for each combination of status
 * and type, or for each target, so that the cost does not depend on the number of findings.
 */
export async function listFindings(
  db: Db,
  actor: Actor,
  filter: FindingFilter,
  { limit, offset }: Page,
): Promise<ShownFinding[]> {
  const visible = await visibleIds(db, actor);
  const targets = filter.targetId === null ? visible : visible.filter((id) => id === filter.targetId);
  if (targets.length === 0) return [];
  const statuses = sql`${[...filter.status]}::text[]`;
  const types = sql`${[...filter.findingType]}::text[]`;
  const most = limit + offset;
  const ordered = sql`order by f.risk_score desc, f.id desc limit ${most}`;
  const parts =
    targets.length <= FEW_TARGETS
      ? sql`unnest(${targets}::uuid[]) as part (target) cross join lateral (
          select f.id, f.risk_score from findings f
          where f.target_id = part.target and f.status = any(${statuses}) and f.finding_type = any(${types})
            and ${others(filter)} ${ordered}) as found`
      : sql`unnest(${statuses}) as status (name) cross join unnest(${types}) as type (name) cross join lateral (
          select f.id, f.risk_score from findings f
          where f.status = status.name and f.finding_type = type.name and f.target_id = any(${targets}::uuid[])
            and ${others(filter)} ${ordered}) as found`;
  const chosen = sql`(select found.id from ${parts}
    order by found.risk_score desc, found.id desc limit ${limit} offset ${offset})`;
  return (await shown(actor, sql`f.id in ${chosen}`).execute(db)).rows;
}

const shown = (actor: Actor, condition: RawBuilder<unknown>) => sql<ShownFinding>`
  with seen as materialized (select * from ${visibleTargets(actor)} visible)
  select f.*, target.name as target_name, target.hostname, seen.can_manage, users.name as assignee_name, (
    select count(distinct same.target_id)::integer from findings same join seen other on other.id = same.target_id
    where same.fingerprint = f.fingerprint and same.fixed_scan_id is null
  ) as reused_on
  from findings f
  join seen on seen.id = f.target_id
  join discovery_targets target on target.id = f.target_id
  left join users on users.id = f.assignee_id
  where ${condition}
  order by f.risk_score desc, f.id desc`;

/** Null when the finding does not exist or this user cannot see its target. */
export async function readFinding(db: Db, actor: Actor, id: string): Promise<ShownFinding | null> {
  return (await shown(actor, sql`f.id = ${id}`).execute(db)).rows[0] ?? null;
}

export interface CountRow {
  status: FindingStatus;
  finding_type: FindingType;
  band: number;
  is_below_threshold: boolean;
  count: number;
}

/** The number of findings on visible targets, by everything that is counted. */
export async function readCounts(db: Db, actor: Actor, targetId: string | null): Promise<CountRow[]> {
  const ofTarget = targetId === null ? sql`true` : sql`counted.target_id = ${targetId}`;
  const { rows } = await sql<CountRow>`
    select status, finding_type, band, is_below_threshold, sum(count)::integer as count
    from finding_counts counted join ${visibleTargets(actor)} seen on seen.id = counted.target_id
    where ${ofTarget} group by 1, 2, 3, 4 having sum(count) > 0`.execute(db);
  return rows;
}

/** The number of matches of a filter with a range of risk scores, at most `most`. */
export async function countMatches(db: Db, actor: Actor, filter: FindingFilter, most: number): Promise<number> {
  const visible = await visibleIds(db, actor);
  const targets = filter.targetId === null ? visible : visible.filter((id) => id === filter.targetId);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from findings f
      where f.target_id = any(${targets}::uuid[]) and f.status = any(${[...filter.status]}::text[])
        and f.finding_type = any(${[...filter.findingType]}::text[]) and ${others(filter)} limit ${most}) counted`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Other findings with the same secret on visible targets. */
export async function sameSecret(db: Db, actor: Actor, of: FindingRow, limit: number) {
  if (of.fingerprint === null) return [];
  const { rows } = await sql<{ id: string; target_name: string; path: string }>`
    select f.id, target.name as target_name, f.path from findings f
    join ${visibleTargets(actor)} seen on seen.id = f.target_id
    join discovery_targets target on target.id = f.target_id
    where f.fingerprint = ${of.fingerprint} and f.id <> ${of.id} and f.fixed_scan_id is null
    order by f.risk_score desc, f.id limit ${limit}`.execute(db);
  return rows;
}

/** Locks those of the findings that this user can see, by id. */
export async function lockFindings(tx: Tx, actor: Actor, ids: readonly string[]) {
  const { rows } = await sql<FindingRow & { can_manage: boolean; safe_id: string }>`
    select f.*, seen.can_manage, target.safe_id from findings f
    join ${visibleTargets(actor)} seen on seen.id = f.target_id
    join discovery_targets target on target.id = f.target_id
    where f.id = any(${[...ids]}::uuid[]) order by f.id for no key update of f`.execute(tx);
  return rows;
}

export async function updateFinding(tx: Tx, id: string, change: Updateable<FindingsTable>): Promise<void> {
  await tx.updateTable("findings").set(change).where("id", "=", id).execute();
}

export async function insertChanges(tx: Tx, rows: Insertable<FindingChangesTable>[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto("finding_changes").values(rows).execute();
}

/** The latest changes, oldest first. */
export async function readChanges(db: Db, findingId: string, limit: number): Promise<ChangeRow[]> {
  const query = db.selectFrom("finding_changes").selectAll().where("finding_id", "=", findingId);
  return (await query.orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute()).toReversed();
}

export function activeRules(db: Db, targetId: string, now: Date): Promise<RuleRow[]> {
  const query = db.selectFrom("finding_rules").selectAll().where("target_id", "=", targetId);
  return query.where("review_at", ">", now).orderBy("created_at").execute();
}

export async function listRules(db: Db, actor: Actor): Promise<(RuleRow & { can_manage: boolean })[]> {
  const { rows } = await sql<RuleRow & { can_manage: boolean }>`
    select rule.*, seen.can_manage from finding_rules rule join ${visibleTargets(actor)} seen on seen.id = rule.target_id
    order by rule.created_at desc, rule.id desc limit 1000`.execute(db);
  return rows;
}

export async function insertRule(tx: Tx, row: RuleRow): Promise<void> {
  await tx.insertInto("finding_rules").values(row).execute();
}

export async function deleteRule(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("finding_rules").where("id", "=", id).execute();
  await sql`update findings set status = 'new', rule_id = null where rule_id = ${id} and status = 'false_positive'`.execute(
    tx,
  );
}
