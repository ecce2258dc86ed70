// The next steps, the most effective first (RISK-09).
import type { RiskRecommendation } from "@strongroom/contract";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { EFFORTS } from "./risk-labels.ts";

export interface RecommendationsCardProps {
  recommendations: readonly RiskRecommendation[];
  /** The overall score now. */
  score: number;
}

export function RecommendationsCard({ recommendations, score }: RecommendationsCardProps) {
  return (
    <SectionCard title="Recommendations" description="The step that lowers the score most comes first.">
      {recommendations.length === 0 ? (
        <NoRows>Nothing to do: no factor has affected items.</NoRows>
      ) : (
        <RowList label="Recommendations">
          {recommendations.map((step) => (
            <Row
              key={step.factor}
              name={
                <>
                  {step.title}
                  <SeverityBadge severity={step.priority} />
                </>
              }
            >
              <RowDetail>{step.description}</RowDetail>
              <RowDetail>
                {step.category} · Effort: {EFFORTS[step.effort]} · Cost: {EFFORTS[step.cost_impact]} · Score {score} →{" "}
                {step.score_if_done}
              </RowDetail>
            </Row>
          ))}
        </RowList>
      )}
    </SectionCard>
  );
}
