// The last entries of each trend (RISK-02, RISK-10).
import { severityOfRisk, type FindingType, type RiskAssessment } from "@strongroom/contract";
import { asWords, counted } from "#shared/format/text.ts";
import { NoRows } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { LEVEL_COLORS } from "./risk-labels.ts";
import classes from "./risk.module.css";

const SHOWN = 7;

export function TrendsCard({ trends }: { trends: RiskAssessment["trends"] }) {
  const scores = trends.risk_score_trend.slice(-SHOWN);
  const findings = trends.findings_trend.slice(-SHOWN);
  return (
    <SectionCard title="Trends" description="The last 7 entries">
      <h3 className={classes.trendTitle}>Risk Score</h3>
      {scores.length === 0 ? (
        <NoRows>No scores recorded yet. Strongroom records one every day.</NoRows>
      ) : (
        <ul className={classes.trend}>
          {scores.map(({ date, score }) => (
            <li key={date} className={classes.trendEntry}>
              <span className={classes.trendDate}>{date}</span>
              <span className={classes.trendBar} aria-hidden>
                <span style={{ width: `${score}%`, backgroundColor: LEVEL_COLORS[severityOfRisk(score)] }} />
              </span>
              <span className={classes.trendValue}>{score}</span>
            </li>
          ))}
        </ul>
      )}
      <h3 className={classes.trendTitle}>New Findings</h3>
      {findings.length === 0 ? (
        <NoRows>No new findings in this time frame</NoRows>
      ) : (
        <ul className={classes.trend}>
          {findings.map(({ date, count, type }) => (
            <li key={`${date} ${type}`} className={classes.trendEntry}>
              <span className={classes.trendDate}>{date}</span>
              <span>{typeName(type)}</span>
              <span className={classes.trendValue} aria-label={counted(count, "finding")}>
                {count.toLocaleString()}
              </span>
            </li>
          ))}
        </ul>
      )}
    </SectionCard>
  );
}

const typeName = (type: FindingType): string => (type === "ssh_key" ? "SSH key" : asWords(type));
