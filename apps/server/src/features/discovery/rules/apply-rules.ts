// Applies the enabled rules to the pending accounts of a scan, with the permissions of the user who enabled each rule.
import type { OnboardingSettings, UserId } from "@strongroom/contract";
import { OnboardingSettings as Settings } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Asker } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { allows, readEffectivePermissions } from "#features/safes/index.ts";
import { findUser } from "#features/users/index.ts";
import { lockPending, saveDecision } from "../accounts/discovered.store.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { beginOnboardings } from "../onboarding/begin-onboarding.ts";
import { planOnboardings } from "../onboarding/plan-onboarding.ts";
import { placementOf } from "./change-rules.ts";
import { matchesRule } from "./rules.policy.ts";
import * as store from "./rules.store.ts";
import type { Candidate, RuleRow } from "./rules.store.ts";

/** The maximum number of accounts that one rule decides after one scan. Later scans decide the rest. */
const MOST_DECIDED = 1000;

/** The first rule that matches an account decides about it. */
export async function applyRules(
  context: DiscoveryContext,
  tx: Tx,
  { scanId, safeId }: { scanId: string; safeId: string },
): Promise<void> {
  const rules = await store.enabledRules(tx, safeId, ["approve", "reject"]);
  if (rules.length === 0) return;
  const found = await store.candidates(tx, safeId, scanId);
  const byRule = Map.groupBy(found, (each) => rules.find((rule) => matchesRule(rule, each)));
  for (const rule of rules) {
    const matched = byRule.get(rule)?.slice(0, MOST_DECIDED) ?? [];
    if (matched.length > 0) await applyRule(context, tx, rule, { scanId, matched });
  }
}

interface Application {
  scanId: string;
  matched: readonly Candidate[];
}

async function applyRule(context: DiscoveryContext, tx: Tx, rule: RuleRow, { scanId, matched }: Application) {
  const at = context.kernel.clock.now();
  const actor = await actorOf(tx, rule);
  const ids = await lockPending(
    tx,
    matched.map(({ id }) => id),
  );
  const decided = actor === null ? [] : await decide(context, tx, rule, { actor, ids });
  const names = new Map(matched.map(({ id, account_name, hostname }) => [id, `${account_name} on ${hostname}`]));
  const details = {
    action: rule.action,
    scan: scanId,
    acts_for: rule.acts_for_name,
    matched: matched.length,
    decided: decided.length,
    accounts: decided.map((id) => names.get(id) ?? id),
    ...(actor === null ? { problem: `${rule.acts_for_name} no longer has the permission to add accounts.` } : {}),
  };
  const result = actor === null ? "failure" : "success";
  const note = { target: { type: "onboarding-rule", id: rule.id, name: rule.name }, result, details } as const;
  await appendAudit(tx, [systemEntry("discovery.rule-applied", "discovery", note, at)]);
}

/** INVARIANT: a rule never does more than the user who enabled it could do now. */
async function actorOf(tx: Tx, { acts_for, safe_id }: RuleRow): Promise<Asker | null> {
  const person = await findUser(tx, acts_for);
  if (person?.status !== "active") return null;
  const asker: Asker = { id: acts_for as UserId, role: person.role };
  const standing = await readEffectivePermissions(tx, asker, safe_id);
  return standing !== null && allows(standing.permissions, "add") ? asker : null;
}

/** Returns the ids of the accounts that were decided. */
async function decide(
  context: DiscoveryContext,
  tx: Tx,
  rule: RuleRow,
  { actor, ids }: { actor: Asker; ids: readonly string[] },
): Promise<string[]> {
  const by = { decided_by: `the rule "${rule.name}"`, decided_at: context.kernel.clock.now() };
  if (ids.length === 0) return [];
  if (rule.action === "reject") {
    await saveDecision(tx, ids, { status: "rejected", rejection_reason: rule.reason, onboarding: null, ...by });
    return [...ids];
  }
  const onboardingSettings: OnboardingSettings = rule.onboarding ?? Settings.parse({});
  const order = { accountIds: ids, onboardingSettings, placement: placementOf(rule) };
  const plans = (await planOnboardings(context, tx, actor, order)).filter(({ problem }) => problem === null);
  const chosen = plans.map(({ row }) => row.id);
  if (chosen.length === 0) return [];
  const decision = { status: "active", rejection_reason: null, onboarding: onboardingSettings } as const;
  await saveDecision(tx, chosen, { ...decision, ...by });
  await beginOnboardings(context, tx, { id: actor.id, name: rule.acts_for_name }, plans);
  return chosen;
}
