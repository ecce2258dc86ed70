// The remediation plan of a report: the items to fix, the one that lowers the score most first.
import type { RiskAssessment, RiskFactor, RiskFactorId, RiskItem } from "@strongroom/contract";
import { overallRisk } from "@strongroom/contract";
import { scoreOf, unroundedRisk } from "#features/risk/index.ts";
import type { FixDetails } from "./remediation-plan.store.ts";

export interface RemediationStep {
  factor: RiskFactorId;
  item: RiskItem;
  action: string;
  /** The steps of a finding in detail. Empty for other items. */
  details: string[];
  /** The assignee of a finding, the owner of the safe, or the user. */
  owner: string | null;
  due_at: string | null;
  /** The overall score after this step and all steps before it. */
  score_after: number;
}

export interface RemediationPlan {
  steps: RemediationStep[];
  /** Affected items that are not in the plan. */
  more: number;
}

const MOST_STEPS = 100;

const ACTIONS: Readonly<Record<RiskFactorId, string>> = {
  exposed_secrets: "Store the secret in a safe, rotate it, and remove it from this place.",
  unmanaged_privileged: "Onboard the account, or remove its privileges on the system.",
  missing_mfa: "Ask the user to add a second factor.",
  shared_passwords: "Rotate the account, so that it has its own password.",
  stale_passwords: "Rotate the account.",
  unrecorded_sessions: "Require session recording on the platform of the account.",
  standing_access: "Require approval on the platform, or give the memberships an end.",
  failed_verifications: "Correct the address or the stored secret, then verify it again.",
  expiring_secrets: "Renew it on the system, and store the new one.",
};

type Items = Readonly<Partial<Record<RiskFactorId, readonly RiskItem[]>>>;
type Planned = Pick<RemediationStep, "factor" | "item" | "score_after">;

/** The next item of the list of its factor comes first: findings by risk, others by name. */
export function planFixes({ risk_factors }: RiskAssessment, items: Items): { steps: Planned[]; more: number } {
  let factors: readonly RiskFactor[] = risk_factors;
  const next = new Map<RiskFactorId, number>();
  const steps: Planned[] = [];
  while (steps.length < MOST_STEPS) {
    const open = factors.filter(({ id }) => (next.get(id) ?? 0) < (items[id]?.length ?? 0));
    const [best] = open
      .map(({ id }) => ({ id, after: factors.map((factor) => (factor.id === id ? withOneFixed(factor) : factor)) }))
      .toSorted((one, other) => unroundedRisk(one.after) - unroundedRisk(other.after));
    if (best === undefined) break;
    const index = next.get(best.id) ?? 0;
    next.set(best.id, index + 1);
    factors = best.after;
    steps.push({ factor: best.id, item: items[best.id]![index]!, score_after: overallRisk(factors) });
  }
  const affected = risk_factors.reduce((sum, factor) => sum + factor.affected, 0);
  return { steps, more: affected - steps.length };
}

function withOneFixed(factor: RiskFactor): RiskFactor {
  const affected = Math.max(0, factor.affected - 1);
  return { ...factor, affected, score: scoreOf({ ...factor, affected }) };
}

export function completePlan(
  { steps, more }: { steps: readonly Planned[]; more: number },
  details: ReadonlyMap<string, FixDetails>,
): RemediationPlan {
  const complete = steps.map((step) => {
    const about = details.get(step.item.id);
    return {
      ...step,
      action: ACTIONS[step.factor],
      details: about?.steps ?? [],
      owner: about?.owner ?? (step.item.kind === "user" ? step.item.name : null),
      due_at: about?.due_at?.toISOString() ?? null,
    };
  });
  return { steps: complete, more };
}
