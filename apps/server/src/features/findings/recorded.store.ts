// Stores what a scan finds: new findings, findings that it sees again, and findings that are gone.
import type { FindingType, ScanConfig } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { visibleTargets } from "#features/discovery/index.ts";
import { REUSED } from "./findings.policy.ts";
import type { RiskFactor } from "./findings.policy.ts";
import type { FindingRow } from "./findings.store.ts";

type RiskThreshold = ScanConfig["riskThreshold"];

export type NewFinding = Pick<
  FindingRow,
  | "id"
  | "identity"
  | "path"
  | "fingerprint"
  | "finding_type"
  | "class"
  | "detector"
  | "reason"
  | "confidence"
  | "status"
  | "risk_score"
  | "risk_factors"
  | "is_below_threshold"
  | "line"
  | "key_name"
  | "username"
  | "host"
  | "port"
  | "preview"
  | "context"
  | "file_owner"
  | "file_group"
  | "file_mode"
  | "account_id"
  | "match_account_id"
  | "hidden_from"
  | "rule_id"
  | "assignee_id"
  | "first_scan_id"
> & { file_modified_at: string; due_at: string | null; created_at: string };

export interface Saving {
  targetId: string;
  scanId: string;
  at: Date;
}

const KNOWN_COLUMNS = [
  "id",
  "identity",
  "path",
  "liveness",
  "status",
  "rule_id",
  "assignee_id",
  "account_id",
  "match_account_id",
  "hidden_from",
  "first_scan_id",
  "fixed_scan_id",
  "risk_score",
  "due_at",
  "created_at",
] as const;

export type KnownFinding = Pick<FindingRow, (typeof KNOWN_COLUMNS)[number]>;

/** Locks the findings and all matches in the files, so that a due date that a user chooses meanwhile is kept. */
export async function knownFindings(
  tx: Tx,
  targetId: string,
  { identities, paths }: { identities: readonly string[]; paths: readonly string[] },
): Promise<KnownFinding[]> {
  const { rows } = await sql<KnownFinding>`
    select ${sql.join(KNOWN_COLUMNS.map((name) => sql.ref(name)))} from findings
    where target_id = ${targetId} and id = any(array(
      select id from findings where target_id = ${targetId} and identity = any(${[...identities]}::text[])
      union
      select id from findings where target_id = ${targetId} and match_account_id is not null
        and path_key in (select md5(path)::uuid from unnest(${[...paths]}::text[]) as path)))
    order by id for no key update`.execute(tx);
  return rows;
}

/** Text from a host may contain NUL, which `jsonb` cannot store. */
const withoutNul = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value;

/** A finding that was gone and has returned becomes new; all others keep their status and assignee. */
export async function saveFindings(
  tx: Tx,
  { targetId, scanId, at }: Saving,
  rows: readonly NewFinding[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into findings (
      id, target_id, identity, path, fingerprint, finding_type, class, detector, reason, confidence, status, risk_score,
      risk_factors, is_below_threshold, line, key_name, username, host, port, preview, context, file_owner, file_group,
      file_mode, file_modified_at, account_id, match_account_id, hidden_from, rule_id, assignee_id, due_at, first_scan_id,
      last_scan_id, created_at, last_seen_at)
    select row.id, ${targetId}::uuid, row.identity, row.path, row.fingerprint, row.finding_type, row.class, row.detector,
      row.reason, row.confidence, row.status, row.risk_score, row.risk_factors, row.is_below_threshold, row.line,
      row.key_name, row.username, row.host, row.port, row.preview, row.context, row.file_owner, row.file_group,
      row.file_mode, row.file_modified_at, row.account_id, row.match_account_id, row.hidden_from, row.rule_id,
      row.assignee_id, row.due_at, row.first_scan_id, ${scanId}::uuid, row.created_at, ${at}
    from jsonb_to_recordset(${JSON.stringify(rows, withoutNul)}::jsonb) as row (
      id uuid, identity text, path text, fingerprint text, finding_type text, class text, detector text, reason text,
      confidence real, status text, risk_score integer, risk_factors jsonb, is_below_threshold boolean, line integer,
      key_name text, username text, host text, port integer, preview text, context jsonb, file_owner text,
      file_group text, file_mode text, file_modified_at timestamptz, account_id uuid,
      match_account_id uuid, hidden_from uuid[], rule_id uuid, assignee_id uuid, due_at timestamptz, first_scan_id uuid,
      created_at timestamptz)
    on conflict (target_id, identity) do update set
      finding_type = excluded.finding_type, class = excluded.class, detector = excluded.detector,
      reason = excluded.reason, confidence = excluded.confidence, risk_score = excluded.risk_score,
      risk_factors = excluded.risk_factors, is_below_threshold = excluded.is_below_threshold, line = excluded.line,
      key_name = excluded.key_name, username = excluded.username, host = excluded.host, port = excluded.port,
      preview = excluded.preview, context = excluded.context, file_owner = excluded.file_owner,
      file_group = excluded.file_group, file_mode = excluded.file_mode, file_modified_at = excluded.file_modified_at,
      account_id = coalesce(excluded.account_id, findings.account_id), hidden_from = excluded.hidden_from,
      status = case
        when findings.fixed_scan_id is not null and findings.status = 'remediated' then excluded.status
        when findings.status in ('new', 'investigating') and excluded.status = 'false_positive' then excluded.status
        else findings.status end,
      rule_id = coalesce(findings.rule_id, excluded.rule_id),
      due_at = excluded.due_at,
      fixed_scan_id = null, last_scan_id = excluded.last_scan_id, last_seen_at = excluded.last_seen_at`.execute(tx);
}

/** Matches with accounts that this scan does not compare, in places in which it found the secret again. */
export async function keepMatches(
  tx: Tx,
  { scanId, at }: Saving,
  rows: readonly { id: string; hidden_from: readonly string[] | null }[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update findings set last_scan_id = ${scanId}, last_seen_at = ${at}, hidden_from = row.hidden_from
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id uuid, hidden_from uuid[])
    where findings.id = row.id`.execute(tx);
}

export interface Threshold {
  types: readonly FindingType[];
  lowestRisk: number;
}

/** Findings in files that did not change. */
export async function seeAgain(
  tx: Tx,
  { targetId, scanId, at }: Saving,
  paths: readonly string[],
  { types, lowestRisk }: Threshold,
) {
  await sql`
    update findings set last_scan_id = ${scanId}, last_seen_at = ${at}, is_below_threshold = risk_score < ${lowestRisk}
    where target_id = ${targetId} and path_key in (select md5(path)::uuid from unnest(${[...paths]}::text[]) as path)
      and fixed_scan_id is null and finding_type = any(${[...types]}::text[])`.execute(tx);
}

/**
 * Marks findings whose file no longer contains them. A person's decision stays: only open findings become remediated.
 * A match with an account that the scan did not compare closes with the finding that other users see. Null as `found`
 * closes all. Returns the findings that were open.
 */
export async function markFixed(
  tx: Tx,
  { targetId, scanId }: Saving,
  paths: readonly string[],
  found: { types: readonly FindingType[]; compared: readonly string[] } | null,
): Promise<{ id: string; before: string; is_match: boolean }[]> {
  const types = sql`any(${[...(found?.types ?? [])]}::text[])`;
  const isGone =
    found === null
      ? sql`true`
      : sql`f.finding_type = ${types} and (f.match_account_id is null
          or f.match_account_id = any(${[...found.compared]}::uuid[])
          or exists (select from findings plain where plain.target_id = f.target_id and plain.path_key = f.path_key
            and plain.path = f.path and plain.fingerprint = f.fingerprint and plain.match_account_id is null
            and plain.finding_type = ${types} and plain.last_scan_id <> ${scanId}))`;
  const { rows } = await sql<{ id: string; before: string; is_match: boolean }>`
    with gone as (
      select f.id, f.status as before from findings f
      where f.target_id = ${targetId}
        and f.path_key in (select md5(path)::uuid from unnest(${[...paths]}::text[]) as path)
        and f.last_scan_id <> ${scanId} and f.fixed_scan_id is null and ${isGone}
      order by f.id for no key update)
    update findings set fixed_scan_id = ${scanId},
      status = case when gone.before in ('new', 'investigating') then 'remediated' else gone.before end
    from gone where findings.id = gone.id
    returning findings.id, gone.before, findings.match_account_id is not null as is_match`.execute(tx);
  return rows.filter(({ before }) => before === "new" || before === "investigating");
}

/** A secret, and the account with which it matches on the target of the scan. */
interface ReusedSecret {
  fingerprint: string;
  accountId: string | null;
}

/**
 * Returns on how many other targets that the user can see a secret was found. INVARIANT: only matches with the same account
 * count, and none for a finding that all users see.
 */
export async function reuseOf(
  tx: Tx,
  userId: string,
  targetId: string,
  secrets: readonly ReusedSecret[],
): Promise<(of: ReusedSecret) => number> {
  const user = { id: userId, role: sql`(select role from users where id = ${userId})` };
  const key = ({ fingerprint, accountId }: ReusedSecret) => `${fingerprint} ${accountId ?? ""}`;
  const distinct = [...new Map(secrets.map((each) => [key(each), each])).values()];
  const { rows } = await sql<{ fingerprint: string; accountId: string | null; count: number }>`
    with secret as materialized (select * from jsonb_to_recordset(${JSON.stringify(distinct)}::jsonb)
      as each (fingerprint text, "accountId" uuid))
    select secret.fingerprint, secret."accountId", count(distinct same.target_id)::integer as count
    from secret join findings same on same.fingerprint = secret.fingerprint
    where same.target_id <> ${targetId} and same.fixed_scan_id is null
      and (same.match_account_id is null or same.match_account_id = secret."accountId")
      and same.target_id in (select id from ${visibleTargets(user)} seen)
    group by 1, 2`.execute(tx);
  const counts = new Map(rows.map((row) => [key(row), row.count]));
  return (of) => counts.get(key(of)) ?? 0;
}

export type ReusedFinding = Pick<
  FindingRow,
  "id" | "class" | "risk_score" | "risk_factors" | "due_at" | "created_at" | "is_below_threshold"
> & { targets: number; threshold: RiskThreshold };

const MOST_RESCORED = 50_000;

/**
 * Locks the findings on visible targets that share a secret with this scan's findings, with the number of those targets.
 * Called at the end of a scan: of two scans, at least the one that ends last sees the findings of both.
 */
export async function lockReused(
  tx: Tx,
  userId: string,
  scan: { id: string; target_id: string },
): Promise<ReusedFinding[]> {
  const user = { id: userId, role: sql`(select role from users where id = ${userId})` };
  const { rows } = await sql<ReusedFinding>`
    with seen as materialized (select id from ${visibleTargets(user)} visible),
      secret as materialized (select distinct fingerprint from findings
        where target_id = ${scan.target_id} and fingerprint is not null
          and (last_scan_id = ${scan.id} or fixed_scan_id = ${scan.id})),
      reused as materialized (select fingerprint, count(distinct same.target_id)::integer as targets
        from secret join findings same using (fingerprint)
        where same.match_account_id is null and same.fixed_scan_id is null
          and same.target_id = any(array(select id from seen)) group by fingerprint)
    select f.id, f.class, f.risk_score, f.risk_factors, f.due_at, f.created_at, f.is_below_threshold, counted.targets,
      coalesce(scans.config ->> 'riskThreshold', 'low') as threshold
    from secret join findings f using (fingerprint) left join reused using (fingerprint)
    left join scans on scans.id = f.last_scan_id
    cross join lateral (select case when f.match_account_id is null then coalesce(reused.targets, 0) else (
      select count(distinct same.target_id)::integer from findings same
      where same.fingerprint = f.fingerprint and same.fixed_scan_id is null
        and (same.match_account_id is null or same.match_account_id = f.match_account_id)
        and same.target_id = any(array(select id from seen))) end as targets) counted
    where f.fixed_scan_id is null and f.target_id = any(array(select id from seen))
      and (counted.targets > 1 or f.risk_factors @> ${JSON.stringify([{ factor: REUSED }])}::jsonb)
    order by f.id limit ${MOST_RESCORED} for no key update of f`.execute(tx);
  return rows;
}

export interface Rescored {
  id: string;
  risk_score: number;
  risk_factors: readonly RiskFactor[];
  due_at: Date | null;
  is_below_threshold: boolean;
}

export async function saveScores(tx: Tx, rows: readonly Rescored[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update findings set risk_score = row.risk_score, risk_factors = row.risk_factors, due_at = row.due_at,
      is_below_threshold = row.is_below_threshold
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
      id uuid, risk_score integer, risk_factors jsonb, due_at timestamptz, is_below_threshold boolean)
    where findings.id = row.id`.execute(tx);
}

/** The places with findings that are still there and begin with this text. */
export async function placesOf(db: Db, targetId: string, beginning: string): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select distinct path from findings
    where target_id = ${targetId} and fixed_scan_id is null and starts_with(path, ${beginning}) order by path limit 100000`.execute(
    db,
  );
  return rows.map(({ path }) => path);
}
