// Stores the rules for discovered accounts.
import type { OnboardingSettings, RuleAction } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Asker } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import type { RuleSubject } from "./rules.policy.ts";

export interface RulesTable {
  id: ColumnType<string, string, never>;
  safe_id: ColumnType<string, string, never>;
  position: number;
  name: string;
  action: RuleAction;
  is_enabled: boolean;
  target_id: string | null;
  name_pattern: string | null;
  dn_pattern: string | null;
  is_privileged: boolean | null;
  into_safe_id: string | null;
  platform_id: string | null;
  onboarding: ColumnType<OnboardingSettings | null, string | null, string | null>;
  reason: string | null;
  acts_for: string;
  acts_for_name: string;
  created_at: ColumnType<Date, Date, never>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    discovery_rules: RulesTable;
  }
}

export type RuleRow = Selectable<RulesTable>;

export interface ShownRule extends RuleRow {
  safe_name: string;
  target_name: string | null;
  platform_name: string | null;
  can_manage: boolean;
}

const MANAGE = sql.lit(bitOf("add"));
const SEE = sql.lit(bitOf("add") | bitOf("view_audit"));

const shown = (actor: Asker, condition: RawBuilder<unknown>) => sql<ShownRule>`
  select rule.*, safes.name as safe_name, target.name as target_name, platforms.name as platform_name,
    (mine.permissions & ${MANAGE}) <> 0 as can_manage
  from ${effectivePermissionsOf(actor)} mine
  join discovery_rules rule on rule.safe_id = mine.safe_id
  join safes on safes.id = rule.safe_id
  left join discovery_targets target on target.id = rule.target_id
  left join platforms on platforms.id = rule.platform_id
  where (mine.permissions & ${SEE}) <> 0 and ${condition}
  order by lower(safes.name), safes.id, rule.position, rule.id limit 1000`;

export const listRules = async (db: Db, actor: Asker): Promise<ShownRule[]> =>
  (await shown(actor, sql`true`).execute(db)).rows;

/** Null when the rule does not exist or this user cannot see it. */
export const readRule = async (db: Db, actor: Asker, id: string): Promise<ShownRule | null> =>
  (await shown(actor, sql`rule.id = ${id}`).execute(db)).rows[0] ?? null;

/** Locks all rules of a safe, in their order. */
export async function lockRulesOf(tx: Tx, safeId: string): Promise<RuleRow[]> {
  const query = tx.selectFrom("discovery_rules").selectAll().where("safe_id", "=", safeId);
  return query.orderBy("position").orderBy("id").forUpdate().execute();
}

/** The enabled rules for accounts of the safe's targets, in the order in which they apply. */
export async function enabledRules(db: Db, safeId: string, actions: readonly RuleAction[]): Promise<RuleRow[]> {
  const query = db.selectFrom("discovery_rules").selectAll().where("safe_id", "=", safeId);
  return query
    .where("is_enabled", "=", true)
    .where("action", "in", actions)
    .orderBy("position")
    .orderBy("id")
    .execute();
}

export async function insertRule(tx: Tx, row: Insertable<RulesTable>): Promise<void> {
  await tx.insertInto("discovery_rules").values(row).execute();
}

export async function updateRule(tx: Tx, id: string, change: Updateable<RulesTable>): Promise<void> {
  await tx.updateTable("discovery_rules").set(change).where("id", "=", id).execute();
}

export async function deleteRule(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("discovery_rules").where("id", "=", id).execute();
}

export type Candidate = RuleSubject & { id: string; hostname: string };

/** The maximum number of accounts that a rule examines at once. */
const MOST_EXAMINED = 10_000;

/**
 * Pending accounts of the safe's targets, of one scan if it is named. Accounts that a user rejected before are left
 * out: they need a person's decision.
 */
export async function candidates(db: Db, safeId: string, scanId: string | null): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select found.id, found.target_id, found.account_name, found.hostname, found.is_privileged, found.facts
    from discovered_accounts found join discovery_targets target on target.id = found.target_id
    where target.safe_id = ${safeId} and found.status = 'pending_approval' and found.rejection_reason is null
      and (${scanId}::uuid is null or found.last_scan_id = ${scanId}::uuid)
    order by found.is_privileged desc, found.discovered_at, found.id limit ${sql.lit(MOST_EXAMINED)}`.execute(db);
  return rows;
}
