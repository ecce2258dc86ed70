// The risk assessment: an overall score, the factors behind it, compliance scores, recommendations and trends.
import { z } from "zod";
import { DiscoveryTargetId } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { Moment, commaList, pageQuery } from "./fields.ts";
import { FindingType } from "./findings.ts";
import { ComplianceFramework, FindingSeverity } from "./scans.ts";

/** `docs/risk.md` defines each factor. */
export const RISK_FACTORS = [
  "exposed_secrets",
  "unmanaged_privileged",
  "missing_mfa",
  "shared_passwords",
  "stale_passwords",
  "unrecorded_sessions",
  "standing_access",
  "failed_verifications",
  "expiring_secrets",
] as const;
export const RiskFactorId = z.enum(RISK_FACTORS);
export type RiskFactorId = z.infer<typeof RiskFactorId>;

/** RISK-13. */
export const RiskTimeframe = z.enum(["7d", "30d", "90d"]);
export type RiskTimeframe = z.infer<typeof RiskTimeframe>;

export const LIKELIHOODS = ["almost_certain", "likely", "possible", "unlikely", "none"] as const;

/** RISK-07. */
export const RiskFactor = z.object({
  id: RiskFactorId,
  /** The factor's title. */
  factor: z.string(),
  description: z.string(),
  /** 0 to 100: impact times likelihood. */
  score: z.number().int(),
  impact: FindingSeverity,
  likelihood: z.enum(LIKELIHOODS),
  /** The score at a likelihood of 1, from 0 to 100. */
  weight: z.number().int(),
  /** The number of items at risk, each in the factor's list. */
  affected: z.number().int(),
  /** The number of items examined; null for findings, which have no natural total. */
  total: z.number().int().nullable(),
  /** False without examined items. Then the score is 0 and has no meaning. */
  is_assessed: z.boolean(),
  /** The overall score after all items of this factor are fixed. */
  score_if_fixed: z.number().int(),
});
export type RiskFactor = z.infer<typeof RiskFactor>;

/** A control without violations in our data is met; a control that our data cannot show is not assessed, and never met. */
export const ComplianceControl = z.object({
  /** The number in the framework, such as `8.4.2`. */
  id: z.string(),
  title: z.string(),
  status: z.enum(["met", "partly_met", "not_met", "not_assessed"]),
  factors: z.array(RiskFactorId),
  /** One sentence about the facts behind the status. */
  evidence: z.string(),
});
export type ComplianceControl = z.infer<typeof ComplianceControl>;

/** RISK-08. */
export const ComplianceScore = z.object({
  /** 0 to 100 over the assessed controls; null when none is assessed. */
  score: z.number().int().nullable(),
  status: z.enum(["compliant", "partially_compliant", "non_compliant", "not_assessed"]),
  violations: z.array(z.string()),
  controls: z.array(ComplianceControl),
});
export type ComplianceScore = z.infer<typeof ComplianceScore>;

/** RISK-09. */
export const RiskRecommendation = z.object({
  priority: FindingSeverity,
  category: z.string(),
  title: z.string(),
  description: z.string(),
  effort: z.enum(["low", "medium", "high"]),
  cost_impact: z.enum(["low", "medium", "high"]),
  factor: RiskFactorId,
  score_if_done: z.number().int(),
});
export type RiskRecommendation = z.infer<typeof RiskRecommendation>;

/** RISK-10. Days are UTC dates, oldest first. */
export const RiskTrends = z.object({
  /** Only for users who see every safe, and for no selection of targets. */
  risk_score_trend: z.array(z.object({ date: z.iso.date(), score: z.number().int() })),
  /** Findings that scans found first on that day, by type. */
  findings_trend: z.array(z.object({ date: z.iso.date(), count: z.number().int(), type: FindingType })),
});

/** RISK-06. */
export const RiskAssessment = z.object({
  overall_risk_score: z.number().int().min(0).max(100),
  risk_level: FindingSeverity,
  risk_factors: z.array(RiskFactor),
  compliance_scores: z.record(ComplianceFramework, ComplianceScore),
  recommendations: z.array(RiskRecommendation),
  trends: RiskTrends,
  assessed_at: Moment,
});
export type RiskAssessment = z.infer<typeof RiskAssessment>;

const scope = {
  /** RISK-12: only facts about this target's host. */
  targetId: DiscoveryTargetId.optional(),
  timeframe: RiskTimeframe.default("30d"),
};

/** Covers what the caller can see. Null when there is no account, target or finding to assess (RISK-03). */
export const readRiskAssessment = endpoint({
  method: "GET",
  path: "/api/v1/discovery/enhanced/risk-assessment",
  summary: "The risk assessment of what the caller can see",
  query: z.object(scope),
  reply: z.object({ data: RiskAssessment.nullable() }),
  needs: "risk.read",
  audit: "none",
});

/** RISK-11. Also stores today's score for the trend, if the caller sees every safe and selects no target. */
export const generateRiskAssessment = endpoint({
  method: "POST",
  path: "/api/v1/discovery/enhanced/risk-assessment/generate",
  summary: "Assess the risk now, and record it",
  body: z.strictObject({
    targetIds: z.array(DiscoveryTargetId).max(1000).default([]),
    options: z.strictObject({ timeframe: RiskTimeframe.default("30d") }).prefault({}),
  }),
  reply: z.object({ data: RiskAssessment.nullable() }),
  needs: "risk.read",
  audit: "risk.assessed",
  gives: "nothing",
  perMinute: 30,
});

/** API-79: the compliance scores of the risk assessment, of the given frameworks or of all. */
export const readComplianceStatus = endpoint({
  method: "GET",
  path: "/api/v1/discovery/enhanced/compliance-status",
  summary: "The compliance scores of what the caller can see",
  query: z.object({ frameworks: commaList(ComplianceFramework), ...scope }),
  reply: z.object({ data: z.partialRecord(ComplianceFramework, ComplianceScore) }),
  needs: "risk.read",
  audit: "none",
});

export const TREND_METRICS = ["risk_score", "findings", ...RISK_FACTORS] as const;

/**
 * API-80: a value for each UTC day that has one, oldest first. `findings` counts the findings that scans found first on
 * that day. The other metrics are scores of the whole installation: only users who see every safe get them.
 */
export const readRiskTrend = endpoint({
  method: "GET",
  path: "/api/v1/discovery/enhanced/trends",
  summary: "How a figure of the risk assessment changed from day to day",
  query: z.object({
    metric: z.enum(TREND_METRICS).default("risk_score"),
    days: z.coerce.number().int().min(1).max(365).default(30),
  }),
  reply: z.object({
    metric: z.enum(TREND_METRICS),
    days: z.number().int(),
    data: z.array(z.object({ date: z.iso.date(), value: z.number().int() })),
  }),
  needs: "risk.read",
  audit: "none",
});

/** One item behind a factor. */
export const RiskItem = z.object({
  id: z.uuid(),
  kind: z.enum(["finding", "discovered_account", "account", "credential", "session", "user"]),
  name: z.string(),
  /** The host, the host and the file, the safe or the email address. */
  place: z.string(),
  detail: z.string(),
  since: Moment.nullable(),
});
export type RiskItem = z.infer<typeof RiskItem>;

export const listRiskItems = endpoint({
  method: "GET",
  path: "/api/v1/discovery/enhanced/risk-assessment/factors/:factor/items",
  summary: "The items behind a risk factor, findings by risk and others by name",
  params: z.object({ factor: RiskFactorId }),
  query: z.object({ ...pageQuery(500, 100), ...scope }),
  reply: z.object({ data: z.array(RiskItem), next_cursor: z.string().nullable() }),
  needs: "risk.read",
  audit: "none",
});

export const MOST_FIXED_ITEMS = 500;

/** An id that is on none of the caller's lists has no effect. */
export const FixedRiskItem = z.strictObject({ factor: RiskFactorId, id: z.uuid() });
export type FixedRiskItem = z.infer<typeof FixedRiskItem>;

/** What if: the assessment as if these items, and all items of these factors, were fixed. Stores nothing. */
export const previewRiskScore = endpoint({
  method: "POST",
  path: "/api/v1/discovery/enhanced/risk-assessment/what-if",
  summary: "The risk score as if the given items and factors were fixed",
  body: z.strictObject({
    ...scope,
    factors: z.array(RiskFactorId).max(RISK_FACTORS.length).default([]),
    items: z.array(FixedRiskItem).max(MOST_FIXED_ITEMS).default([]),
  }),
  reply: z.object({
    /** Null when there is nothing to assess. */
    data: z
      .object({
        /** The score now. */
        overall_risk_score: z.number().int(),
        score_if_fixed: z.number().int(),
        /** The factors after the fixes. */
        risk_factors: z.array(RiskFactor),
      })
      .nullable(),
  }),
  needs: "risk.read",
  audit: "none",
  gives: "nothing",
  perMinute: 120,
});

/**
 * The overall score, 0 to 100: the chance that at least one of independent factors does harm, where a factor's score is
 * its chance in percent. Fixing an item never raises it.
 */
export function overallRisk(factors: readonly Pick<RiskFactor, "score">[]): number {
  const safe = factors.reduce((chance, { score }) => chance * (1 - score / 100), 1);
  return Math.round((1 - safe) * 100);
}
