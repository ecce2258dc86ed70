// Rules that treat findings as false positives until a review date.
import type {
  DiscoveryTargetId,
  FindingRule,
  FindingRuleId,
  Message,
  createFindingRule,
  deleteFindingRule,
  listFindingRules,
} from "@strongroom/contract";
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { lockManaged, publish } from "./change-findings.ts";
import { mayNotManage, ruleNotFound } from "./findings.ts";
import type { FindingsContext } from "./findings.ts";
import { ruleFor } from "./findings.policy.ts";
import * as store from "./finding-rules.store.ts";
import type { RuleRow } from "./finding-rules.store.ts";
import { isShownTo } from "./visible-findings.store.ts";

export const listRules = async (call: Call<typeof listFindingRules>, db: Db) => ({
  data: (await store.listRules(db, call.actor)).map(toRule),
});

/** Applies the rule to the target's findings that are open now; scans apply it to later ones. */
export async function createRule(
  context: FindingsContext,
  call: Call<typeof createFindingRule>,
  tx: Tx,
): Promise<FindingRule> {
  const { kernel } = context;
  const row = await lockManaged(tx, call);
  const { kind, pattern = row.path, reason, reviewAt } = call.body;
  const at = kernel.clock.now();
  if (+new Date(reviewAt) <= +at) {
    const msg = "The review date must be in the future";
    throw refuse(422, "finding.rule-over", `${msg}.`, { errors: [{ path: "reviewAt", msg }] });
  }
  const matches = kind === "path" ? pattern : kind === "secret" ? row.fingerprint : row.class;
  if (matches === null) throw refuse(422, "finding.no-fingerprint", "This finding is not about one secret.");
  const rule: RuleRow = {
    id: newId(at.getTime()),
    target_id: row.target_id,
    kind,
    matches,
    reason,
    review_at: new Date(reviewAt),
    created_by: call.actor.name,
    created_at: at,
    match_account_id: kind === "class" ? row.match_account_id : null,
  };
  if (ruleFor([rule], row) === null) {
    const msg = "The pattern does not match the path of this finding";
    throw refuse(422, "finding.rule-differs", `${msg}.`, { errors: [{ path: "pattern", msg }] });
  }
  await store.insertRule(tx, rule);
  const suppressed = await suppress(tx, call.actor, rule);
  call.note({ details: { rule: rule.id, kind, review_at: reviewAt, suppressed }, reason });
  await publish(context, tx, [row]);
  return toRule({ ...rule, can_manage: true });
}

/** Returns how many of the suppressed findings the user can see. */
async function suppress(tx: Tx, actor: Actor, rule: RuleRow): Promise<number> {
  const open = await sql<{ id: string; path: string; fingerprint: string | null; class: string; is_shown: boolean }>`
    select f.id, f.path, f.fingerprint, f.class, ${isShownTo(actor, "f")} as is_shown from findings f
    where f.target_id = ${rule.target_id} and f.status in ('new', 'investigating')
    order by f.id for no key update`.execute(tx);
  const suppressed = open.rows.filter((row) => ruleFor([rule], row) !== null);
  await sql`update findings set status = 'false_positive', rule_id = ${rule.id}
    where id = any(${suppressed.map(({ id }) => id)}::uuid[])`.execute(tx);
  return suppressed.filter(({ is_shown }) => is_shown).length;
}

export async function deleteRule(
  context: FindingsContext,
  call: Call<typeof deleteFindingRule>,
  tx: Tx,
): Promise<Message> {
  const { id } = call.params;
  call.note({ target: { type: "finding-rule", id } });
  const rule = (await store.listRules(tx, call.actor)).find((each) => each.id === id);
  if (rule === undefined) throw ruleNotFound();
  if (!rule.can_manage) throw mayNotManage();
  await store.deleteRule(tx, id);
  call.note({ details: { kind: rule.kind, reason: rule.reason } });
  const { rows } = await sql<{ target_id: string; safe_id: string }>`
    select id as target_id, safe_id from discovery_targets where id = ${rule.target_id}`.execute(tx);
  await publish(context, tx, rows);
  return { message: "Rule deleted successfully" };
}

/** When the review date has passed, the findings need a new decision. */
export async function endReviewedRules({ kernel }: FindingsContext): Promise<void> {
  await kernel.database.transaction(async (tx) => {
    await sql`
      update findings set status = 'new', rule_id = null from finding_rules rule
      where findings.rule_id = rule.id and rule.review_at <= ${kernel.clock.now()}
        and findings.status = 'false_positive'`.execute(tx);
  });
}

const toRule = (row: RuleRow & { can_manage: boolean }): FindingRule => ({
  id: row.id as FindingRuleId,
  target_id: row.target_id as DiscoveryTargetId,
  kind: row.kind,
  pattern: row.kind === "secret" ? null : row.matches,
  reason: row.reason,
  review_at: row.review_at.toISOString(),
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  can_manage: row.can_manage,
});
