// The formulas of the risk assessment: factors, overall score and recommendations, without side effects.
import { LIKELIHOODS, RISK_FACTORS, ROLES, overallRisk, severityOfRisk } from "@strongroom/contract";
import type { RiskFactor, RiskFactorId, RiskRecommendation } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

/** Every role may read an assessment, because it covers only what its reader can see. */
export const rolePermissions: RolePermissions = { "risk.read": ROLES };

/** The numbers behind a factor. */
export interface Facts {
  affected: number;
  /** Null for a factor without a natural total. */
  total: number | null;
  /** False when nothing was examined yet. */
  isAssessed: boolean;
}

interface Definition {
  title: string;
  description: string;
  /** The factor's score at a likelihood of 1: how much harm one item can do. */
  weight: number;
  category: string;
  recommendation: { title: string; description: string; effort: "low" | "medium" | "high" };
  /** Licences, hardware or staff time beyond the effort. */
  cost: "low" | "medium" | "high";
}

const DEFINITIONS: Readonly<Record<RiskFactorId, Definition>> = {
  exposed_secrets: {
    title: "Exposed secrets",
    description: "Open findings of high or critical risk: secrets in files, databases and repositories.",
    weight: 80,
    category: "Secrets",
    recommendation: {
      title: "Vault and rotate exposed secrets",
      description: "Open each finding, store its secret in a safe, rotate it, and remove it from the file.",
      effort: "medium",
    },
    cost: "low",
  },
  unmanaged_privileged: {
    title: "Unmanaged privileged accounts",
    description: "Privileged accounts that scans found and that no safe contains.",
    weight: 70,
    category: "Accounts",
    recommendation: {
      title: "Onboard privileged accounts",
      description: "Approve the accounts on the Discovered Accounts tab, or remove their privileges on the system.",
      effort: "medium",
    },
    cost: "low",
  },
  missing_mfa: {
    title: "Users without a second factor",
    description: "Active users who can sign in with a password alone.",
    weight: 70,
    category: "Sign-in",
    recommendation: {
      title: "Require a second factor",
      description: "Require a second factor for every role in the sign-in policy, and ask these users to add one.",
      effort: "low",
    },
    cost: "low",
  },
  shared_passwords: {
    title: "Reused passwords",
    description: "Accounts that have the same secret as another account.",
    weight: 60,
    category: "Secrets",
    recommendation: {
      title: "Give each account its own password",
      description: "Rotate these accounts. A rotation generates a different password for each of them.",
      effort: "low",
    },
    cost: "low",
  },
  stale_passwords: {
    title: "Old passwords",
    description: "Accounts whose rotation is overdue, or whose password is older than 90 days.",
    weight: 50,
    category: "Secrets",
    recommendation: {
      title: "Rotate old passwords",
      description: "Turn on automatic rotation on the platforms of these accounts, or rotate them now.",
      effort: "low",
    },
    cost: "low",
  },
  unrecorded_sessions: {
    title: "Unrecorded production sessions",
    description: "Sessions on production platforms that were not recorded.",
    weight: 50,
    category: "Sessions",
    recommendation: {
      title: "Record production sessions",
      description: "Require session recording on every production platform.",
      effort: "low",
    },
    cost: "medium",
  },
  standing_access: {
    title: "Standing access",
    description: "Accounts whose password a member of the safe can retrieve at any time, without approval.",
    weight: 40,
    category: "Access",
    recommendation: {
      title: "Replace standing access with requests",
      description: "Require approval on the platforms of these accounts, or give memberships an end.",
      effort: "medium",
    },
    cost: "low",
  },
  failed_verifications: {
    title: "Failed verifications",
    description: "Accounts and credentials whose stored secret could not be verified on the system.",
    weight: 40,
    category: "Accounts",
    recommendation: {
      title: "Correct failing accounts",
      description: "Correct the address, or store or reset the password, so that it works when it is needed.",
      effort: "medium",
    },
    cost: "low",
  },
  expiring_secrets: {
    title: "Expiring secrets and certificates",
    description: "Secrets and certificates that have expired or expire within 30 days.",
    weight: 30,
    category: "Secrets",
    recommendation: {
      title: "Renew expiring secrets",
      description: "Renew the certificate or secret on the system, and store the new one.",
      effort: "low",
    },
    cost: "medium",
  },
};

/** 10 % with one finding, 65 % with ten, 96 % with thirty. */
const CHANCE_OF_ONE_FINDING = 0.1;

/**
 * The chance, 0 to 1, that an attacker finds an affected item. The square root of the share: one item in a hundred
 * already counts for a tenth.
 */
export function likelihoodOf({ affected, total, isAssessed }: Facts): number {
  if (!isAssessed || affected === 0) return 0;
  if (total === null) return 1 - (1 - CHANCE_OF_ONE_FINDING) ** affected;
  return Math.sqrt(Math.min(1, affected / Math.max(1, total)));
}

const LEAST_LIKELIHOODS = [0.8, 0.5, 0.2, Number.MIN_VALUE, 0] as const;

const wordOf = (likelihood: number): RiskFactor["likelihood"] =>
  LIKELIHOODS[LEAST_LIKELIHOODS.findIndex((least) => likelihood >= least)]!;

type Counts = Pick<RiskFactor, "id" | "affected" | "total" | "is_assessed">;

const weightedLikelihood = ({ id, affected, total, is_assessed }: Counts): number =>
  DEFINITIONS[id].weight * likelihoodOf({ affected, total, isAssessed: is_assessed });

/** The score of a factor with these numbers. */
export const scoreOf = (factor: Counts): number => Math.round(weightedLikelihood(factor));

/** The overall risk, 0 to 1, without rounding: compares fixes of single items, which often change no rounded score. */
export const unroundedRisk = (factors: readonly Counts[]): number =>
  1 - factors.reduce((chance, factor) => chance * (1 - weightedLikelihood(factor) / 100), 1);

/** All factors, the highest score first. */
export function factorsOf(facts: Readonly<Partial<Record<RiskFactorId, Facts>>>): RiskFactor[] {
  const known = RISK_FACTORS.flatMap((id) => (facts[id] === undefined ? [] : [{ id, facts: facts[id] }]));
  const scored = known.map(({ id, facts: { affected, total, isAssessed } }) => {
    const { title, description, weight } = DEFINITIONS[id];
    const likelihood = likelihoodOf({ affected, total, isAssessed });
    return {
      id,
      factor: title,
      description,
      score: Math.round(weight * likelihood),
      impact: severityOfRisk(weight),
      likelihood: wordOf(likelihood),
      weight,
      affected,
      total,
      is_assessed: isAssessed,
    };
  });
  return scored
    .map((factor) => ({ ...factor, score_if_fixed: overallRisk(scored.filter(({ id }) => id !== factor.id)) }))
    .toSorted((one, other) => other.score - one.score || other.weight - one.weight);
}

/** One recommendation for each factor with affected items, the one that lowers the score most first. */
export function recommendationsFor(factors: readonly RiskFactor[]): RiskRecommendation[] {
  return factors
    .filter(({ affected, score }) => affected > 0 && score > 0)
    .toSorted((one, other) => one.score_if_fixed - other.score_if_fixed)
    .map(({ id, score, score_if_fixed }) => {
      const { recommendation, category, cost } = DEFINITIONS[id];
      return {
        ...recommendation,
        priority: severityOfRisk(score),
        category,
        cost_impact: cost,
        factor: id,
        score_if_done: score_if_fixed,
      };
    });
}
