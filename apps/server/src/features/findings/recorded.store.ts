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
  | "rule_id"
> & { file_modified_at: string; due_at: string | null };

export interface Saving {
  targetId: string;
  scanId: string;
  at: Date;
}

export type KnownFinding = Pick<
  FindingRow,
  "identity" | "liveness" | "status" | "fixed_scan_id" | "id" | "risk_score" | "due_at" | "created_at"
>;

/** Locks them, so that a due date that a user chooses meanwhile is kept. */
export async function knownFindings(tx: Tx, targetId: string, identities: readonly string[]): Promise<KnownFinding[]> {
  return tx
    .selectFrom("findings")
    .select(["id", "identity", "liveness", "status", "fixed_scan_id", "risk_score", "due_at", "created_at"])
    .where("target_id", "=", targetId)
    .where("identity", "in", [...identities])
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
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
      file_mode, file_modified_at, account_id, rule_id, due_at, first_scan_id, last_scan_id, created_at, last_seen_at)
    select row.id, ${targetId}::uuid, row.identity, row.path, row.fingerprint, row.finding_type, row.class, row.detector,
      row.reason, row.confidence, row.status, row.risk_score, row.risk_factors, row.is_below_threshold, row.line,
      row.key_name, row.username, row.host, row.port, row.preview, row.context, row.file_owner, row.file_group,
      row.file_mode, row.file_modified_at, row.account_id, row.rule_id, row.due_at, ${scanId}::uuid, ${scanId}::uuid,
      ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(rows, withoutNul)}::jsonb) as row (
      id uuid, identity text, path text, fingerprint text, finding_type text, class text, detector text, reason text,
      confidence real, status text, risk_score integer, risk_factors jsonb, is_below_threshold boolean, line integer,
      key_name text, username text, host text, port integer, preview text, context jsonb, file_owner text,
      file_group text, file_mode text, file_modified_at timestamptz, account_id uuid, rule_id uuid, due_at timestamptz)
    on conflict (target_id, identity) do update set
      finding_type = excluded.finding_type, class = excluded.class, detector = excluded.detector,
      reason = excluded.reason, confidence = excluded.confidence, risk_score = excluded.risk_score,
      risk_factors = excluded.risk_factors, is_below_threshold = excluded.is_below_threshold, line = excluded.line,
      key_name = excluded.key_name, username = excluded.username, host = excluded.host, port = excluded.port,
      preview = excluded.preview, context = excluded.context, file_owner = excluded.file_owner,
      file_group = excluded.file_group, file_mode = excluded.file_mode, file_modified_at = excluded.file_modified_at,
      account_id = coalesce(excluded.account_id, findings.account_id),
      status = case
        when findings.fixed_scan_id is not null and findings.status = 'remediated' then excluded.status
        when findings.status in ('new', 'investigating') and excluded.status = 'false_positive' then excluded.status
        else findings.status end,
      rule_id = coalesce(findings.rule_id, excluded.rule_id),
      due_at = excluded.due_at,
      fixed_scan_id = null, last_scan_id = excluded.last_scan_id, last_seen_at = excluded.last_seen_at`.execute(tx);
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
 * Null as `types` means all. Returns the findings that were open.
 */
export async function markFixed(
  tx: Tx,
  { targetId, scanId }: Saving,
  paths: readonly string[],
  types: readonly FindingType[] | null,
): Promise<{ id: string; before: string }[]> {
  const ofTypes = types === null ? sql`true` : sql`f.finding_type = any(${[...types]}::text[])`;
  const { rows } = await sql<{ id: string; before: string }>`
    with gone as (
      select f.id, f.status as before from findings f
      where f.target_id = ${targetId}
        and f.path_key in (select md5(path)::uuid from unnest(${[...paths]}::text[]) as path)
        and f.last_scan_id <> ${scanId} and f.fixed_scan_id is null and ${ofTypes}
      order by f.id for no key update)
    update findings set fixed_scan_id = ${scanId},
      status = case when gone.before in ('new', 'investigating') then 'remediated' else gone.before end
    from gone where findings.id = gone.id returning findings.id, gone.before`.execute(tx);
  return rows.filter(({ before }) => before === "new" || before === "investigating");
}

/** On how many other targets that the user can see each secret was found. */
export async function reuseOf(
  tx: Tx,
  userId: string,
  targetId: string,
  fingerprints: readonly string[],
): Promise<Map<string, number>> {
  const user = { id: userId, role: sql`(select role from users where id = ${userId})` };
  const { rows } = await sql<{ fingerprint: string; count: number }>`
    select fingerprint, count(distinct target_id)::integer as count from findings
    where fingerprint = any(${[...fingerprints]}::text[]) and target_id <> ${targetId} and fixed_scan_id is null
      and target_id in (select id from ${visibleTargets(user)} seen)
    group by fingerprint`.execute(tx);
  return new Map(rows.map(({ fingerprint, count }) => [fingerprint, count]));
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
        where same.fixed_scan_id is null and same.target_id = any(array(select id from seen)) group by fingerprint)
    select f.id, f.class, f.risk_score, f.risk_factors, f.due_at, f.created_at, f.is_below_threshold, reused.targets,
      coalesce(scans.config ->> 'riskThreshold', 'low') as threshold
    from reused join findings f using (fingerprint) left join scans on scans.id = f.last_scan_id
    where f.fixed_scan_id is null and f.target_id = any(array(select id from seen))
      and (reused.targets > 1 or f.risk_factors @> ${JSON.stringify([{ factor: REUSED }])}::jsonb)
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

export interface ScanTotals {
  seen: number;
  secrets: number;
  added: number;
  fixed: number;
  risk: number | null;
  classes: Record<string, number>;
}

export async function totalsOf(db: Db, scanId: string, targetId: string): Promise<ScanTotals> {
  const { rows } = await sql<ScanTotals>`
    select count(*)::integer as seen, count(distinct fingerprint)::integer as secrets,
      (count(*) filter (where first_scan_id = ${scanId}))::integer as added,
      (select count(*)::integer from findings gone where gone.target_id = ${targetId} and gone.fixed_scan_id = ${scanId}
        and gone.status = 'remediated') as fixed,
      max(risk_score) filter (where status in ('new', 'investigating')) as risk,
      coalesce((select jsonb_object_agg(class, count) from (
        select class, count(*) as count from findings
        where last_scan_id = ${scanId} and status in ('new', 'investigating') group by class) by_class), '{}') as classes
    from findings where last_scan_id = ${scanId}`.execute(db);
  return rows[0]!;
}

export async function mostSevereOf(db: Db, scanId: string, limit: number) {
  const query = db.selectFrom("findings").select(["id", "class", "path", "risk_score"]);
  return query
    .where("last_scan_id", "=", scanId)
    .orderBy("risk_score", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
