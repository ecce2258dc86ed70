// Compliance scores by framework, with the controls behind them (RISK-08).
import { ComplianceFramework, FRAMEWORK_NAMES, type ComplianceScore, type RiskAssessment } from "@strongroom/contract";
import { useId, useState } from "react";
import { counted } from "#shared/format/text.ts";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { CONTROL_STATUSES, FRAMEWORK_STATUSES } from "./risk-labels.ts";
import classes from "./risk.module.css";

export function ComplianceCard({ scores }: { scores: RiskAssessment["compliance_scores"] }) {
  return (
    <SectionCard
      title="Compliance"
      description="Assessed from the facts in Strongroom. Controls that need other evidence are not assessed and do not count."
    >
      <ul className={classes.factors}>
        {ComplianceFramework.options.map((framework) => (
          <Framework key={framework} name={FRAMEWORK_NAMES[framework]} score={scores[framework]} />
        ))}
      </ul>
    </SectionCard>
  );
}

function Framework({ name, score }: { name: string; score: ComplianceScore }) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { label, tone } = FRAMEWORK_STATUSES[score.status];
  const assessed = score.controls.filter(({ status }) => status !== "not_assessed").length;
  return (
    <li className={classes.factor}>
      <div className={classes.factorBody}>
        <div className={classes.factorHead}>
          <h3 className={classes.factorTitle}>
            {name} <Tag tone={tone}>{label}</Tag>
          </h3>
          <span className={classes.factorScore}>{score.score === null ? "–" : `${score.score}%`}</span>
        </div>
        <p className={classes.factorFacts}>
          <span>
            {assessed} of {counted(score.controls.length, "control")} assessed
          </span>
          <span>{counted(score.violations.length, "violation")}</span>
        </p>
        <DisclosureButton
          label={isOpen ? "Hide controls" : "Show controls"}
          name={`${isOpen ? "Hide" : "Show"} controls of ${name}`}
          isOpen={isOpen}
          onChange={setIsOpen}
          controls={id}
        />
        <div id={id}>
          {isOpen && (
            <RowList label={`Controls of ${name}`}>
              {score.controls.map((control) => (
                <Row
                  key={control.id}
                  name={
                    <>
                      {control.id} {control.title}
                      <Tag tone={CONTROL_STATUSES[control.status].tone}>{CONTROL_STATUSES[control.status].label}</Tag>
                    </>
                  }
                >
                  <RowDetail>{control.evidence}</RowDetail>
                </Row>
              ))}
            </RowList>
          )}
        </div>
      </div>
    </li>
  );
}
