// The overall score, and what it would be after fixing the selected factors and items.
import { Button } from "@mantine/core";
import { severityOfRisk, type RiskAssessment } from "@strongroom/contract";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { LEVEL_COLORS } from "./risk-labels.ts";
import type { ScoreIfFixed } from "./use-score-if-fixed.ts";
import { fixedText, isNothing, type WhatIf } from "./what-if.ts";
import classes from "./risk.module.css";

export interface RiskScoreCardProps {
  assessment: RiskAssessment;
  whatIf: WhatIf;
  after: ScoreIfFixed;
  onReset: () => void;
}

export function RiskScoreCard({ assessment, whatIf, after, onReset }: RiskScoreCardProps) {
  const { overall_risk_score: score, risk_level: level, assessed_at } = assessment;
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
        {textOf(whatIf, after)}
      </p>
      {!isNothing(whatIf) && (
        <>
          {after.score !== null && <ScoreBar score={after.score} label="Score after fixing" />}
          <Button variant="default" size="compact-sm" mt="sm" onClick={onReset}>
            Reset
          </Button>
        </>
      )}
    </SectionCard>
  );
}

function textOf(whatIf: WhatIf, { score, error }: ScoreIfFixed): string {
  if (isNothing(whatIf)) return "Select factors, or items in their lists, to see the score after fixing them.";
  if (error !== null) return `Failed to calculate the score. ${error}`;
  if (score === null) return "Calculating the score…";
  return `${score} (${severityOfRisk(score)}) after fixing ${fixedText(whatIf)}.`;
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
