// The overall score after the selected fixes. The page calculates whole factors; the server calculates single items.
import { overallRisk, type RiskAssessment } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { without } from "./risk-labels.ts";
import { scorePreview, type RiskSelection } from "./risk.queries.ts";
import type { WhatIf } from "./what-if.ts";

export interface ScoreIfFixed {
  /** Null until the server replies. */
  score: number | null;
  /** Null without an error. */
  error: string | null;
}

export function useScoreIfFixed(assessment: RiskAssessment, selection: RiskSelection, whatIf: WhatIf): ScoreIfFixed {
  const isAsked = whatIf.items.length > 0;
  const query = useQuery({ ...scorePreview(selection, whatIf), enabled: isAsked });
  if (!isAsked) {
    return { score: overallRisk(without(assessment.risk_factors, new Set(whatIf.factors))), error: null };
  }
  if (query.isError) return { score: null, error: messageOf(query.error) };
  return { score: query.data?.data?.score_if_fixed ?? null, error: null };
}
