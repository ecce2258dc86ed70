// The overall score, and what it would be after fixing the selected factors.
import { Button } from "@mantine/core";
import { overallRisk, severityOfRisk, type RiskAssessment, type RiskFactorId } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { LEVEL_COLORS, without } from "./risk-labels.ts";
import classes from "./risk.module.css";

export interface RiskScoreCardProps {
  assessment: RiskAssessment;
  /** The factors that the reader imagines as fixed. */
  fixed: ReadonlySet<RiskFactorId>;
  onReset: () => void;
}

export function RiskScoreCard({ assessment, fixed, onReset }: RiskScoreCardProps) {
  const { overall_risk_score: score, risk_level: level, risk_factors: factors, assessed_at } = assessment;
  const after = overallRisk(without(factors, fixed));
  return (
    <SectionCard
      title="Overall Risk"
      description={
        <>
          Assessed <RelativeTime moment={assessed_at} isInSentence />
        </>
      }
    >
      <div className={classes.score}>
        <p className={classes.figure}>
          {score}
          <span className={classes.of}>of 100</span>
        </p>
        <SeverityBadge severity={level} />
      </div>
      <ScoreBar score={score} label="Overall risk score" />
      <p className={classes.note} aria-live="polite">
        {fixed.size === 0
          ? "Select factors below to see the score after fixing them."
          : `${after} (${severityOfRisk(after)}) after fixing ${counted(fixed.size, "factor")}.`}
      </p>
      {fixed.size > 0 && (
        <>
          <ScoreBar score={after} label="Score after fixing" />
          <Button variant="default" size="compact-sm" mt="sm" onClick={onReset}>
            Reset
          </Button>
        </>
      )}
    </SectionCard>
  );
}

export function ScoreBar({ score, label }: { score: number; label: string }) {
  return (
    <div
      className={classes.track}
      role="meter"
      aria-label={label}
      aria-valuenow={score}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div
        className={classes.fill}
        style={{ width: `${score}%`, backgroundColor: LEVEL_COLORS[severityOfRisk(score)] }}
      />
    </div>
  );
}
