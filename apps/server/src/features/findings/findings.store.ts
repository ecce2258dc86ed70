// Stores findings and their history.
import type { FindingLiveness, FindingSeverity, FindingStatus, FindingType } from "@strongroom/contract";
import { RISK_BANDS } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Generated, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import { containing } from "#kernel/db/containing.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { visibleTargets } from "#features/discovery/index.ts";
import type { RiskFactor } from "./findings.policy.ts";
import { hasMatch, isShownTo, isShownWith, ownMatchesOf } from "./visible-findings.store.ts";
import type { OwnMatches } from "./visible-findings.store.ts";

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
  /** The account whose secret was found: only users who may retrieve it see the finding. */
  match_account_id: Fixed<string | null>;
  /** Users who may retrieve one of these accounts see a match instead of this finding. */
  hidden_from: string[] | null;
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
    finding_counts: FindingCountsTable;
  }
}

export type FindingRow = Selectable<FindingsTable>;
export type ChangeRow = Selectable<FindingChangesTable>;

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
  assigneeId: string | null;
  /** Part of a target's name or host, or words of a path, a setting or a user name. */
  text: string | null;
  isBelowThresholdShown: boolean;
}

const HIGHEST: Readonly<Record<FindingSeverity, number>> = { critical: 100, high: 79, medium: 59, low: 39 };

const bands = (severities: readonly FindingSeverity[]): RawBuilder<unknown> =>
  sql`(${sql.join(
    severities.map((each) => sql`f.risk_score between ${RISK_BANDS[each]} and ${HIGHEST[each]}`),
    sql` or `,
  )})`;

/** Everything but the status, the type and the target, which decide which index is read, and the text. */
function others(filter: PreparedFilter): RawBuilder<unknown> {
  const { severity, minRisk, maxRisk, assigneeId, isBelowThresholdShown, own } = filter;
  return sql.join(
    [
      isShownWith(own, "f"),
      ...(severity.length === 0 ? [] : [bands(severity)]),
      ...(minRisk === null ? [] : [sql`f.risk_score >= ${minRisk}`]),
      ...(maxRisk === null ? [] : [sql`f.risk_score <= ${maxRisk}`]),
      ...(assigneeId === null ? [] : [sql`f.assignee_id = ${assigneeId}`]),
      ...(isBelowThresholdShown ? [] : [sql`not f.is_below_threshold`]),
    ],
    sql` and `,
  );
}

export interface Page {
  limit: number;
  offset: number;
}

export async function visibleIds(db: Db, actor: Actor): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from ${visibleTargets(actor)} seen`.execute(db);
  return rows.map(({ id }) => id);
}

/** A filter with the facts that its list and its total need. Without a text, all targets are unnamed. */
export interface PreparedFilter extends FindingFilter {
  targets: readonly string[];
  /** The targets whose name or host contains the text. */
  named: readonly string[];
  unnamed: readonly string[];
  search: WordSearch | null;
  own: OwnMatches;
}

export async function prepareFilter(db: Db, actor: Actor, filter: FindingFilter): Promise<PreparedFilter> {
  const { targetId, text } = filter;
  const [visible, own] = await Promise.all([visibleIds(db, actor), ownMatchesOf(db, actor)]);
  const targets = targetId === null ? visible : visible.filter((id) => id === targetId);
  if (text === null) return { ...filter, targets, named: [], unnamed: targets, search: null, own };
  const [byText, search] = await Promise.all([byName(db, targets, text), searchFor(db, text)]);
  return { ...filter, targets, ...byText, search, own };
}

/**
 * The matches with the highest risk. Without a text or an assignee, reads the first `offset + limit` entries of one index for
 * each combination of status and type, or for each target, so that the cost does not depend on the number of findings.
 */
export async function listFindings(
  db: Db,
  actor: Actor,
  filter: PreparedFilter,
  { limit, offset }: Page,
): Promise<ShownFinding[]> {
  if (filter.targets.length === 0) return [];
  const chosen = sql`(
    select found.id from (${partsOf(filter, limit + offset)}) as found
    order by found.risk_score desc, found.id desc limit ${limit} offset ${offset})`;
  return (await shown(actor, filter.own, sql`f.id in ${chosen}`).execute(db)).rows;
}

/** A query for `id` and `risk_score` whose rows include the `most` best matches. */
function partsOf(filter: PreparedFilter, most: number): RawBuilder<unknown> {
  const { targets, named, unnamed, search, assigneeId } = filter;
  if (search === null) {
    return assigneeId === null ? inOrder(targets, filter, sql`true`, most) : allOf(targets, filter);
  }
  const ofNamed = inOrder(named, filter, sql`true`, most);
  return search.isCommon
    ? sql`${ofNamed} union all ${inOrder(unnamed, filter, search.condition, most)}`
    : sql`${ofNamed} union all ${allOf(unnamed, filter, search.condition)}`;
}

const allOf = (targets: readonly string[], filter: PreparedFilter, condition: RawBuilder<unknown> = sql`true`) =>
  sql`select f.id, f.risk_score from findings f where ${matching(targets, filter)} and ${condition}`;

const matching = (targets: readonly string[], filter: PreparedFilter): RawBuilder<unknown> =>
  sql`f.target_id = any(${[...targets]}::uuid[]) and f.status = any(${[...filter.status]}::text[])
    and f.finding_type = any(${[...filter.findingType]}::text[]) and ${others(filter)}`;

/** With at most this many targets, each target's own index is read. */
const FEW_TARGETS = 32;

/** The first `most` matches of each part of the list, each read from an index in the order of the list. */
function inOrder(
  targets: readonly string[],
  filter: PreparedFilter,
  condition: RawBuilder<unknown>,
  most: number,
): RawBuilder<unknown> {
  const statuses = sql`${[...filter.status]}::text[]`;
  const types = sql`${[...filter.findingType]}::text[]`;
  const wanted = sql`${others(filter)} and ${condition} order by f.risk_score desc, f.id desc limit ${most}`;
  return targets.length <= FEW_TARGETS
    ? sql`select found.id, found.risk_score from unnest(${[...targets]}::uuid[]) as part (target) cross join lateral (
        select f.id, f.risk_score from findings f
        where f.target_id = part.target and f.status = any(${statuses}) and f.finding_type = any(${types})
          and ${wanted}) as found`
    : sql`select found.id, found.risk_score
      from unnest(${statuses}) as status (name) cross join unnest(${types}) as type (name) cross join lateral (
        select f.id, f.risk_score from findings f
        where f.status = status.name and f.finding_type = type.name and f.target_id = any(${[...targets]}::uuid[])
          and ${wanted}) as found`;
}

/** As in the function `finding_words` of the database; a search has no control characters. */
const WORD = /[^ -/:-@[-`{-~]+/g;

/** Every word begins a word of the path, the setting or the user name. */
const hasWords = (words: readonly string[]): RawBuilder<unknown> =>
  sql`f.words @@ ${words.map((word) => `'${word}':*`).join(" & ")}::tsquery`;

/** The index has an entry for each finding with a common word, and PostgreSQL would read all of them. */
const hasCommonWords = (words: readonly string[]): RawBuilder<unknown> => sql`(${hasWords(words)}) is true`;

interface WordSearch {
  condition: RawBuilder<unknown>;
  /** Reading findings in any order soon meets matches. */
  isCommon: boolean;
}

/** The rows of a sample, and how many of them contain something common. */
const [SAMPLE, COMMON] = [sql.lit(2_000), 100];

/**
 * Counts the words in a sample, because PostgreSQL's own estimate can be wrong by orders of magnitude. Fingerprints are HMACs,
 * so that their order is random.
 */
async function searchFor(db: Db, text: string): Promise<WordSearch> {
  const words = text.toLowerCase().match(WORD) ?? [];
  if (words.length === 0) return { condition: sql`false`, isCommon: false };
  const counts = [words, ...words.map((word) => [word])].map((each) => sql`count(*) filter (where ${hasWords(each)})`);
  const { rows } = await sql<{ counts: number[] }>`
    select array[${sql.join(counts)}]::integer[] as counts
    from (select words from findings order by fingerprint limit ${SAMPLE}) f`.execute(db);
  const [together = 0, ...each] = rows[0]?.counts ?? [];
  if (together >= COMMON) return { condition: hasCommonWords(words), isCommon: true };
  const common = words.filter((_, index) => (each[index] ?? 0) >= COMMON);
  const rare = words.filter((word) => !common.includes(word));
  if (rare.length === 0 || common.length === 0) return { condition: hasWords(words), isCommon: false };
  return { condition: sql`${hasWords(rare)} and ${hasCommonWords(common)}`, isCommon: false };
}

/** The targets whose name or host contains the text, and the others. */
async function byName(db: Db, targets: readonly string[], text: string) {
  const { rows } = await sql<{ id: string }>`
    select id from discovery_targets where id = any(${[...targets]}::uuid[])
      and (name ilike ${containing(text)} or hostname ilike ${containing(text)})`.execute(db);
  const named = new Set(rows.map(({ id }) => id));
  return { named: targets.filter((id) => named.has(id)), unnamed: targets.filter((id) => !named.has(id)) };
}

/**
 * Reads the chosen findings before their targets: PostgreSQL expects one visible target, and would read all findings of each.
 */
const shown = (actor: Actor, own: OwnMatches, condition: RawBuilder<unknown>) => sql<ShownFinding>`
  with seen as materialized (select * from ${visibleTargets(actor)} visible),
    chosen as materialized (select * from findings f where ${condition})
  select f.*, target.name as target_name, target.hostname, seen.can_manage, users.name as assignee_name, (
    select count(distinct same.target_id)::integer from findings same
    where same.fingerprint = f.fingerprint and same.fixed_scan_id is null and ${isShownWith(own, "same")}
      and same.target_id = any(array(select id from seen))
  ) as reused_on
  from chosen f
  join seen on seen.id = f.target_id
  join discovery_targets target on target.id = f.target_id
  left join users on users.id = f.assignee_id
  order by f.risk_score desc, f.id desc`;

/** Null when the finding does not exist or this user cannot see it. */
export async function readFinding(db: Db, actor: Actor, id: string): Promise<ShownFinding | null> {
  const own = await ownMatchesOf(db, actor);
  return (await shown(actor, own, sql`f.id = ${id} and ${isShownWith(own, "f")}`).execute(db)).rows[0] ?? null;
}

export interface CountRow {
  status: FindingStatus;
  finding_type: FindingType;
  band: number;
  is_below_threshold: boolean;
  count: number;
}

/** The number of findings on visible targets, by everything that is counted. */
export async function readCounts(db: Db, actor: Actor, targetId: string | null, own: OwnMatches): Promise<CountRow[]> {
  const ofTarget = targetId === null ? sql`true` : sql`counted.target_id = ${targetId}`;
  const { rows } = await sql<CountRow>`
    with seen as materialized (select id from ${visibleTargets(actor)} visible)
    select status, finding_type, band, is_below_threshold, sum(count)::integer as count from (
      select target_id, status, finding_type, band, is_below_threshold, count from finding_counts
      union all
      select f.target_id, f.status, f.finding_type, risk_band(f.risk_score), f.is_below_threshold, -1 from findings f
      where ${hasMatch("f")} and not ${isShownWith(own, "f")}) counted
    join seen on seen.id = counted.target_id
    where ${ofTarget} group by 1, 2, 3, 4 having sum(count) > 0`.execute(db);
  return rows;
}

/** The number of matches of a filter for which the database keeps no counts, at most `most`. */
export async function countMatches(db: Db, filter: PreparedFilter, most: number): Promise<number> {
  const { targets, named, unnamed, search } = filter;
  if (search === null) return countOf(db, allOf(targets, filter), most);
  // In order, reading ends with the last counted match. PostgreSQL expects few matches, and would read an index of all findings.
  const ofUnnamed = search.isCommon
    ? inOrder(unnamed, filter, search.condition, most)
    : allOf(unnamed, filter, search.condition);
  return countOf(db, sql`${allOf(named, filter)} union all ${ofUnnamed}`, most);
}

async function countOf(db: Db, matches: RawBuilder<unknown>, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (select from (${matches}) found limit ${most}) counted`.execute(db);
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
      and ${isShownTo(actor, "f")}
    order by f.risk_score desc, f.id limit ${limit}`.execute(db);
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
