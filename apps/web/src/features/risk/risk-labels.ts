// Names and tones of the risk assessment's values.
import type { RiskFactor, RiskFactorId, RiskItem, RiskRecommendation } from "@strongroom/contract";
import { paths } from "#shared/paths.ts";
import type { Tone } from "#shared/ui/tone.ts";

export const LIKELIHOODS: Readonly<Record<RiskFactor["likelihood"], string>> = {
  almost_certain: "Almost certain",
  likely: "Likely",
  possible: "Possible",
  unlikely: "Unlikely",
  none: "None",
};

type ControlStatus = "met" | "partly_met" | "not_met" | "not_assessed";

export const CONTROL_STATUSES: Readonly<Record<ControlStatus, { label: string; tone: Tone }>> = {
  met: { label: "Met", tone: "success" },
  partly_met: { label: "Partly met", tone: "warning" },
  not_met: { label: "Not met", tone: "danger" },
  not_assessed: { label: "Not assessed", tone: "neutral" },
};

export const FRAMEWORK_STATUSES = {
  compliant: { label: "Compliant", tone: "success" },
  partially_compliant: { label: "Partially compliant", tone: "warning" },
  non_compliant: { label: "Non-compliant", tone: "danger" },
  not_assessed: { label: "Not assessed", tone: "neutral" },
} as const;

export const EFFORTS: Readonly<Record<RiskRecommendation["effort"], string>> = {
  low: "Low",
  medium: "Medium",
  high: "High",
};

/** FIND-12, OPEN-118: red, orange, yellow and green, by the lowest score of each level. */
export const LEVEL_COLORS = {
  critical: "var(--mantine-color-red-6)",
  high: "var(--mantine-color-orange-6)",
  medium: "var(--mantine-color-yellow-6)",
  low: "var(--mantine-color-green-6)",
} as const;

/** The page of an item; null for an item without one that every reader can open. */
export function pathOfItem({ kind, id, name }: RiskItem): string | null {
  switch (kind) {
    case "account":
      return paths.account(id);
    case "credential":
      return paths.credential(id);
    case "finding":
      return `${paths.discovery}?tab=findings&finding=${id}`;
    case "discovered_account":
      return `${paths.discovery}?tab=accounts&search=${encodeURIComponent(name)}`;
    case "session":
      return `${paths.sessions}?session=${id}`;
    case "user":
      return null;
  }
}

/** Such as "12 of 300", or "12" without a total. */
export function affectedText({ is_assessed, affected, total }: RiskFactor): string {
  if (!is_assessed) return "Not assessed: there is no data yet";
  const count = affected.toLocaleString();
  return total === null ? `${count} affected` : `${count} of ${total.toLocaleString()} affected`;
}

/** The score after every item of these factors is fixed. */
export const without = (factors: readonly RiskFactor[], fixed: ReadonlySet<RiskFactorId>): RiskFactor[] =>
  factors.map((factor) => (fixed.has(factor.id) ? { ...factor, score: 0 } : factor));
