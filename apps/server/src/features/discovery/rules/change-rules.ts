// Lists, adds, enables, moves, deletes and tests the rules for discovered accounts.
import type {
  DiscoveryTargetId,
  Message,
  NewOnboardingRule,
  OnboardingRule,
  OnboardingRuleId,
  PlatformId,
  SafeId,
  createOnboardingRule,
  deleteOnboardingRule,
  disableOnboardingRule,
  dryRunOnboardingRule,
  enableOnboardingRule,
  listOnboardingRules,
  moveOnboardingRule,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { lockSafe, requirePermission } from "#features/safes/index.ts";
import { lockPlatform } from "#features/platforms/index.ts";
import { mayNotManage, targetNotFound } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { planOnboardings } from "../onboarding/plan-onboarding.ts";
import { toPlan } from "../onboarding/preview-onboarding.ts";
import { readTarget } from "../targets/targets.store.ts";
import { matchesRule } from "./rules.policy.ts";
import * as store from "./rules.store.ts";
import type { RuleRow, ShownRule } from "./rules.store.ts";

const ruleNotFound = (): Refusal => refuse(404, "discovery.rule-not-found", "Rule not found");
const MOST_RULES = 100;
const MOST_SHOWN = 100;

export const listRules = async (call: Call<typeof listOnboardingRules>, db: Db) => ({
  data: (await store.listRules(db, call.actor)).map(toRule),
});

const auditTarget = ({ id, name }: { id: string; name: string }) => ({ type: "onboarding-rule", id, name });

export async function createRule(
  { kernel }: DiscoveryContext,
  call: Call<typeof createOnboardingRule>,
  tx: Tx,
): Promise<OnboardingRule> {
  const { body, actor } = call;
  await lockSafe(tx, actor, body.safeId, "add");
  await requirePlaces(tx, call, { target: body.targetId, safe: body.intoSafeId, platform: body.platformId });
  const others = await store.lockRulesOf(tx, body.safeId);
  if (others.length >= MOST_RULES) {
    throw refuse(409, "discovery.too-many-rules", `A safe can have at most ${MOST_RULES} rules.`);
  }
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  await store.insertRule(tx, {
    ...columnsOf(body),
    id,
    safe_id: body.safeId,
    position: (others.at(-1)?.position ?? 0) + 1,
    // INVARIANT: rules that approve or reject are off until a user enables them.
    is_enabled: body.action === "place",
    acts_for: actor.id,
    acts_for_name: actor.name,
    created_at: at,
  });
  const { name, safeId: _, ...details } = body;
  call.note({ target: auditTarget({ id, name }), details: { safe: body.safeId, ...details } });
  return toRule((await store.readRule(tx, actor, id))!);
}

function columnsOf(body: NewOnboardingRule) {
  return {
    name: body.name,
    action: body.action,
    target_id: body.targetId,
    name_pattern: body.namePattern,
    dn_pattern: body.dnPattern,
    is_privileged: body.privileged,
    into_safe_id: body.intoSafeId,
    platform_id: body.platformId,
    onboarding: body.action === "approve" ? JSON.stringify(body.onboardingSettings) : null,
    reason: body.action === "reject" ? body.reason : null,
  };
}

interface Places {
  target: string | null;
  safe: string | null;
  platform: string | null;
}

/** Throws 404 or 403 for a target, safe or platform that the caller cannot use. */
async function requirePlaces(db: Tx, { actor }: Pick<Call, "actor">, { target, safe, platform }: Places) {
  if (target !== null && (await readTarget(db, actor, target)) === null) throw targetNotFound();
  if (safe !== null) await requirePermission(db, actor, safe, "add");
  if (platform !== null && (await lockPlatform(db, platform, "share")) === null) {
    throw refuse(404, "platform.not-found", "Platform not found");
  }
}

/** Locks the rules of its safe. Throws 404 when the caller cannot see the rule, and 403 when they cannot manage it. */
async function lockManaged(
  tx: Tx,
  call: Pick<Call, "actor" | "note"> & { params: { id: string } },
): Promise<{ rule: ShownRule; rules: RuleRow[] }> {
  const { id } = call.params;
  call.note({ target: { type: "onboarding-rule", id } });
  const found = await store.readRule(tx, call.actor, id);
  if (found === null) throw ruleNotFound();
  call.note({ target: auditTarget(found) });
  if (!found.can_manage) throw mayNotManage();
  const rules = await store.lockRulesOf(tx, found.safe_id);
  const rule = await store.readRule(tx, call.actor, id);
  if (rule === null) throw ruleNotFound();
  return { rule, rules };
}

export async function enableRule(call: Call<typeof enableOnboardingRule>, tx: Tx): Promise<OnboardingRule> {
  const { rule } = await lockManaged(tx, call);
  await requirePlaces(tx, call, { target: rule.target_id, safe: rule.into_safe_id, platform: rule.platform_id });
  const { id, name } = call.actor;
  await store.updateRule(tx, rule.id, { is_enabled: true, acts_for: id, acts_for_name: name });
  return toRule((await store.readRule(tx, call.actor, rule.id))!);
}

export async function disableRule(call: Call<typeof disableOnboardingRule>, tx: Tx): Promise<OnboardingRule> {
  const { rule } = await lockManaged(tx, call);
  await store.updateRule(tx, rule.id, { is_enabled: false });
  return toRule((await store.readRule(tx, call.actor, rule.id))!);
}

export async function moveRule(call: Call<typeof moveOnboardingRule>, tx: Tx) {
  const { rule, rules } = await lockManaged(tx, call);
  const at = rules.findIndex(({ id }) => id === rule.id);
  const to = call.body.direction === "up" ? at - 1 : at + 1;
  const other = rules[to];
  if (other !== undefined) {
    const order = rules.with(to, rules[at]!).with(at, other);
    for (const [position, { id }] of order.entries()) await store.updateRule(tx, id, { position: position + 1 });
  }
  call.note({ details: { direction: call.body.direction } });
  return { data: (await store.listRules(tx, call.actor)).map(toRule) };
}

export async function removeRule(call: Call<typeof deleteOnboardingRule>, tx: Tx): Promise<Message> {
  const { rule } = await lockManaged(tx, call);
  await store.deleteRule(tx, rule.id);
  return { message: `"${rule.name}" deleted successfully` };
}

export async function dryRunRule(context: DiscoveryContext, call: Call<typeof dryRunOnboardingRule>, db: Db) {
  const { body, actor } = call;
  await requirePermission(db, actor, body.safeId, "add");
  if (body.intoSafeId !== null) await requirePermission(db, actor, body.intoSafeId, "add");
  const found = (await store.candidates(db, body.safeId, null)).filter((each) => matchesRule(columnsOf(body), each));
  const first = found.slice(0, MOST_SHOWN);
  const order = {
    accountIds: first.map(({ id }) => id),
    onboardingSettings: body.onboardingSettings,
    placement: placementOf({ into_safe_id: body.intoSafeId, platform_id: body.platformId }),
  };
  const plans = body.action === "reject" ? [] : await planOnboardings(context, db, actor, order);
  return {
    matched: found.length,
    data: plans.map(toPlan),
    names: first.map(({ account_name, hostname }) => `${account_name} on ${hostname}`),
  };
}

export const placementOf = ({ into_safe_id, platform_id }: Pick<RuleRow, "into_safe_id" | "platform_id">) => ({
  ...(into_safe_id === null ? {} : { safeId: into_safe_id as SafeId }),
  ...(platform_id === null ? {} : { platformId: platform_id as PlatformId }),
});

const toRule = (row: ShownRule): OnboardingRule => ({
  id: row.id as OnboardingRuleId,
  name: row.name,
  safe_id: row.safe_id as SafeId,
  safe_name: row.safe_name,
  action: row.action,
  is_enabled: row.is_enabled,
  target_id: row.target_id as DiscoveryTargetId | null,
  target_name: row.target_name,
  name_pattern: row.name_pattern,
  dn_pattern: row.dn_pattern,
  is_privileged: row.is_privileged,
  into_safe_id: row.into_safe_id as SafeId | null,
  platform_id: row.platform_id as PlatformId | null,
  platform_name: row.platform_name,
  onboarding_settings: row.onboarding,
  reason: row.reason,
  acts_for: row.acts_for_name,
  can_manage: row.can_manage,
  created_at: row.created_at.toISOString(),
});
