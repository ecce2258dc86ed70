// Reads the findings of a scan for its totals, and the most severe of them.
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { hasMatch, isShownTo } from "./visible-findings.store.ts";

export interface PlainTotals {
  seen: number;
  secrets: number;
  added: number;
  fixed: number;
  risk: number | null;
  classes: Record<string, number>;
}

/** Of the findings that do not depend on stored secrets. */
export async function plainTotalsOf(db: Db, scanId: string, targetId: string): Promise<PlainTotals> {
  const { rows } = await sql<PlainTotals>`
    select count(*)::integer as seen, count(distinct fingerprint)::integer as secrets,
      (count(*) filter (where first_scan_id = ${scanId}))::integer as added,
      (select count(*)::integer from findings gone where gone.target_id = ${targetId} and gone.fixed_scan_id = ${scanId}
        and gone.status = 'remediated' and gone.match_account_id is null) as fixed,
      max(risk_score) filter (where status in ('new', 'investigating')) as risk,
      coalesce((select jsonb_object_agg(class, count) from (
        select class, count(*) as count from findings
        where last_scan_id = ${scanId} and status in ('new', 'investigating') and match_account_id is null
        group by class) by_class), '{}') as classes
    from findings where last_scan_id = ${scanId} and match_account_id is null`.execute(db);
  return rows[0]!;
}

export interface MatchOfScan {
  account: string | null;
  hidden: string[] | null;
  fingerprint: string | null;
  class: string;
  risk: number;
  is_open: boolean;
  is_seen: boolean;
  is_added: boolean;
}

/** The matches of a scan and the findings that they replace. */
export async function matchesOf(db: Db, scanId: string, targetId: string): Promise<MatchOfScan[]> {
  const { rows } = await sql<MatchOfScan>`
    select f.match_account_id as account, f.hidden_from as hidden, f.fingerprint, f.class, f.risk_score as risk,
      f.status in ('new', 'investigating') as is_open, f.last_scan_id = ${scanId} as is_seen,
      f.first_scan_id = ${scanId} as is_added
    from findings f where f.target_id = ${targetId} and ${hasMatch("f")}
      and (f.last_scan_id = ${scanId} or f.fixed_scan_id = ${scanId} and f.status = 'remediated')`.execute(db);
  return rows;
}

export async function mostSevereOf(db: Db, actor: Actor, scanId: string, limit: number) {
  const { rows } = await sql<{ id: string; class: string; path: string; risk_score: number }>`
    select f.id, f.class, f.path, f.risk_score from findings f
    where f.last_scan_id = ${scanId} and ${isShownTo(actor, "f")}
    order by f.risk_score desc, f.id desc limit ${limit}`.execute(db);
  return rows;
}
