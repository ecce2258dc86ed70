// Stores the rules that suppress findings.
import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { retrievableAccounts } from "#features/accounts/index.ts";
import { visibleTargets } from "#features/discovery/index.ts";

interface FindingRulesTable {
  id: string;
  target_id: string;
  kind: "path" | "secret" | "class";
  matches: string;
  reason: string;
  review_at: Date;
  created_by: string;
  created_at: Date;
  /** Of a rule for the class of a match: only users who may retrieve this account see it. */
  match_account_id: string | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    finding_rules: FindingRulesTable;
  }
}

export type RuleRow = Selectable<FindingRulesTable>;

export function activeRules(db: Db, targetId: string, now: Date): Promise<RuleRow[]> {
  const query = db.selectFrom("finding_rules").selectAll().where("target_id", "=", targetId);
  return query.where("review_at", ">", now).orderBy("created_at").execute();
}

export async function listRules(db: Db, actor: Actor): Promise<(RuleRow & { can_manage: boolean })[]> {
  const { rows } = await sql<RuleRow & { can_manage: boolean }>`
    select rule.*, seen.can_manage from finding_rules rule join ${visibleTargets(actor)} seen on seen.id = rule.target_id
    where rule.match_account_id is null or rule.match_account_id in ${retrievableAccounts(actor)}
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
