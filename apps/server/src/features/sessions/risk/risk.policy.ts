// Decides the risk level of a session from its reasons, by the rules in docs/sessions.md. Pure.
import type { SessionRisk } from "@strongroom/contract";

export interface StartFacts {
  is_break_glass: boolean;
  /** The user's first session on this account. */
  is_first: boolean;
  is_production: boolean;
  /** Outside of the platform's usual hours; false without usual hours. */
  is_unusual_time: boolean;
}

const EMERGENCY = "Emergency access";
/** Prefix of the reasons that a gateway reports for a command. */
const RISKY_COMMAND = "Risky command: ";

export const startReasons = (facts: StartFacts): string[] => [
  ...(facts.is_break_glass ? [EMERGENCY] : []),
  ...(facts.is_first ? ["First session of this user on this account"] : []),
  ...(facts.is_unusual_time ? ["Outside usual hours"] : []),
  ...(facts.is_production ? ["Production system"] : []),
];

/** Emergency access and risky commands alone are a high risk; of the other reasons, any two are. */
export function riskLevelOf(reasons: readonly string[]): SessionRisk {
  if (reasons.length > 1 || reasons.some((each) => each === EMERGENCY || each.startsWith(RISKY_COMMAND))) return "high";
  return reasons.length === 1 ? "medium" : "low";
}
