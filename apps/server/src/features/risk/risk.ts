// Assesses the risk: reads the facts, applies the formulas and adds the trends.
import type {
  DiscoveryTargetId,
  FixedRiskItem,
  RiskAssessment,
  RiskFactorId,
  RiskItem,
  RiskTimeframe,
  generateRiskAssessment,
  listRiskItems,
  previewRiskScore,
  readComplianceStatus,
  readRiskAssessment,
  readRiskTrend,
} from "@strongroom/contract";
import { ComplianceFramework, overallRisk, severityOfRisk } from "@strongroom/contract";
import type { GrantQueries } from "#features/figures/index.ts";
import { seesEverySafe } from "#features/safes/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { hasPermission } from "#kernel/authz/authorise.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { pageByName, readNamePlace } from "#kernel/http/cursor.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { complianceOf } from "./controls.ts";
import { factorsOf, recommendationsFor } from "./risk.policy.ts";
import type { Facts } from "./risk.policy.ts";
import {
  comparesEverySecret,
  listItems,
  readControlFacts,
  readFacts,
  readFindingTrend,
  readFindingsPerDay,
  readScoreTrend,
  readTrendOf,
  saveSnapshot,
} from "./risk.store.ts";
import type { RiskScope } from "./risk.store.ts";

export interface RiskContext {
  kernel: Kernel;
  grants: GrantQueries;
}

const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<RiskTimeframe, number>> = { "7d": 7, "30d": 30, "90d": 90 };

interface Selection {
  targetIds: readonly DiscoveryTargetId[];
  timeframe: RiskTimeframe;
}

/** No targets: everything that the actor can see. */
export function scopeOfRisk({ kernel, grants }: RiskContext, actor: Actor, selected: Selection): RiskScope {
  const now = kernel.clock.now();
  return {
    actor,
    grants,
    targetIds: selected.targetIds.length === 0 ? null : selected.targetIds,
    since: new Date(now.getTime() - DAYS[selected.timeframe] * DAY_MS),
    now,
    seesUsers: hasPermission(kernel.authority, actor, "user.list"),
  };
}

type AllFacts = Partial<Record<RiskFactorId, Facts>>;

/** Whether there is any account, target or finding. */
function hasData(facts: AllFacts): boolean {
  return Object.entries(facts).some(([id, { isAssessed }]) => id !== "missing_mfa" && isAssessed);
}

/** Null without any account, target or finding. */
export async function assessRisk(db: Db, scope: RiskScope): Promise<RiskAssessment | null> {
  const seesScores = scope.targetIds === null && seesEverySafe(scope.actor);
  const [facts, controlFacts, findings, scores] = await Promise.all([
    readFacts(db, scope),
    readControlFacts(db, scope),
    readFindingTrend(db, scope),
    seesScores ? readScoreTrend(db, scope.since) : [],
  ]);
  if (!hasData(facts)) return null;
  const factors = factorsOf(facts);
  const score = overallRisk(factors);
  return {
    overall_risk_score: score,
    risk_level: severityOfRisk(score),
    risk_factors: factors,
    compliance_scores: complianceOf({ ...facts, ...controlFacts }),
    recommendations: recommendationsFor(factors),
    trends: { risk_score_trend: scores, findings_trend: findings },
    assessed_at: scope.now.toISOString(),
  };
}

export async function readAssessment(context: RiskContext, call: Call<typeof readRiskAssessment>, db: Db) {
  const { targetId, timeframe } = call.query;
  const scope = scopeOfRisk(context, call.actor, { targetIds: targetId === undefined ? [] : [targetId], timeframe });
  return { data: await assessRisk(db, scope) };
}

/**
 * What if. INVARIANT: only items that the caller can see have an effect, so the score does not reveal whether another id
 * exists.
 */
export async function previewScore(context: RiskContext, call: Call<typeof previewRiskScore>, db: Db) {
  const { targetId, timeframe, factors, items } = call.body;
  const scope = scopeOfRisk(context, call.actor, { targetIds: targetId === undefined ? [] : [targetId], timeframe });
  const [before, after] = await Promise.all([
    readFacts(db, scope),
    readFacts(db, { ...scope, fixed: byFactor(items) }),
  ]);
  if (!hasData(before)) return { data: null };
  const fixed = factorsOf(withoutItemsOf(factors, after));
  const data = {
    overall_risk_score: overallRisk(factorsOf(before)),
    score_if_fixed: overallRisk(fixed),
    risk_factors: fixed,
  };
  return { data };
}

const byFactor = (items: readonly FixedRiskItem[]): Map<RiskFactorId, string[]> =>
  new Map([...Map.groupBy(items, ({ factor }) => factor)].map(([factor, list]) => [factor, list.map(({ id }) => id)]));

const withoutItemsOf = (fixed: readonly RiskFactorId[], facts: AllFacts): AllFacts =>
  Object.fromEntries(
    (Object.entries(facts) as [RiskFactorId, Facts][]).map(([id, each]) => [
      id,
      fixed.includes(id) ? { ...each, affected: 0 } : each,
    ]),
  );

/** API-79. */
export async function readCompliance(context: RiskContext, call: Call<typeof readComplianceStatus>, db: Db) {
  const { frameworks, targetId, timeframe } = call.query;
  const scope = scopeOfRisk(context, call.actor, { targetIds: targetId === undefined ? [] : [targetId], timeframe });
  const [facts, controlFacts] = await Promise.all([readFacts(db, scope), readControlFacts(db, scope)]);
  const scores = complianceOf({ ...facts, ...controlFacts });
  const wanted = frameworks ?? ComplianceFramework.options;
  return { data: Object.fromEntries(wanted.map((name) => [name, scores[name]])) };
}

/** API-80. */
export async function readTrend({ kernel }: RiskContext, call: Call<typeof readRiskTrend>, db: Db) {
  const { metric, days } = call.query;
  const since = new Date(kernel.clock.now().getTime() - days * DAY_MS);
  if (metric === "findings") return { metric, days, data: await readFindingsPerDay(db, call.actor, since) };
  const data = seesEverySafe(call.actor) ? await readTrendOf(db, metric, since) : [];
  return { metric, days, data };
}

/** RISK-11. */
export async function generateAssessment(context: RiskContext, call: Call<typeof generateRiskAssessment>, tx: Tx) {
  const { targetIds, options } = call.body;
  const scope = scopeOfRisk(context, call.actor, { targetIds, ...options });
  const data = await assessRisk(tx, scope);
  call.note({
    target: { type: "risk-assessment", id: options.timeframe },
    details: { targets: targetIds.length, score: data?.overall_risk_score ?? null },
  });
  if (data !== null && scope.targetIds === null && comparesEverySecret(call.actor)) await recordScore(tx, scope, data);
  return { data };
}

export async function recordScore(tx: Tx, { now }: RiskScope, assessment: RiskAssessment): Promise<void> {
  const scores = assessment.risk_factors.map(({ id, score }) => [id, score] as const);
  await saveSnapshot(tx, now, assessment.overall_risk_score, Object.fromEntries(scores));
}

export async function listFactorItems(context: RiskContext, call: Call<typeof listRiskItems>, db: Db) {
  const { targetId, timeframe, limit, cursor } = call.query;
  const scope = scopeOfRisk(context, call.actor, { targetIds: targetId === undefined ? [] : [targetId], timeframe });
  const after = cursor === undefined ? null : readNamePlace(cursor);
  const rows = await listItems(db, scope, call.params.factor, { after, limit: limit + 1 });
  const { shown, next_cursor } = pageByName(rows, limit);
  const data = shown.map(({ id, kind, name, place, detail, since }): RiskItem => ({
    id,
    kind,
    name,
    place,
    detail,
    since: since?.toISOString() ?? null,
  }));
  return { data, next_cursor };
}
