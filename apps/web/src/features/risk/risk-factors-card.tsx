// The risk factors, each with its score and the list of its items (RISK-07).
import { Checkbox } from "@mantine/core";
import type { RiskFactor, RiskFactorId } from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link } from "react-router";
import { capitalised } from "#shared/format/text.ts";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { LIKELIHOODS, affectedText, pathOfItem } from "./risk-labels.ts";
import { ScoreBar } from "./risk-score-card.tsx";
import { factorItems, type RiskSelection } from "./risk.queries.ts";
import classes from "./risk.module.css";

export interface RiskFactorsCardProps {
  factors: readonly RiskFactor[];
  selection: RiskSelection;
  fixed: ReadonlySet<RiskFactorId>;
  onFix: (fixed: ReadonlySet<RiskFactorId>) => void;
}

export function RiskFactorsCard({ factors, selection, fixed, onFix }: RiskFactorsCardProps) {
  return (
    <SectionCard title="Risk Factors" description="Select factors to see the overall score after fixing them.">
      <ul className={classes.factors}>
        {factors.map((factor) => (
          <Factor
            key={factor.id}
            factor={factor}
            selection={selection}
            isFixed={fixed.has(factor.id)}
            onFix={(isFixed) =>
              onFix(new Set(isFixed ? [...fixed, factor.id] : [...fixed].filter((id) => id !== factor.id)))
            }
          />
        ))}
      </ul>
    </SectionCard>
  );
}

interface FactorProps {
  factor: RiskFactor;
  selection: RiskSelection;
  isFixed: boolean;
  onFix: (isFixed: boolean) => void;
}

function Factor({ factor, selection, isFixed, onFix }: FactorProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { factor: title, description, score, impact, likelihood, affected, is_assessed } = factor;
  return (
    <li className={classes.factor}>
      <Checkbox
        checked={isFixed}
        disabled={score === 0}
        onChange={(event) => onFix(event.currentTarget.checked)}
        aria-label={`Imagine ${title.toLowerCase()} as fixed`}
        mt={2}
      />
      <div className={classes.factorBody}>
        <div className={classes.factorHead}>
          <h3 className={classes.factorTitle}>{title}</h3>
          <span className={classes.factorScore}>{is_assessed ? score : "–"}</span>
        </div>
        {is_assessed && <ScoreBar score={score} label={`Score of ${title.toLowerCase()}`} />}
        <p className={classes.note}>{description}</p>
        <p className={classes.factorFacts}>
          <span>{affectedText(factor)}</span>
          {is_assessed && (
            <>
              <span>Impact: {capitalised(impact)}</span>
              <span>Likelihood: {LIKELIHOODS[likelihood]}</span>
            </>
          )}
        </p>
        {affected > 0 && (
          <>
            <DisclosureButton
              label={isOpen ? "Hide list" : "Show list"}
              name={`${isOpen ? "Hide" : "Show"} list: ${title}`}
              isOpen={isOpen}
              onChange={setIsOpen}
              controls={id}
            />
            <div id={id}>{isOpen && <Items factor={factor} selection={selection} />}</div>
          </>
        )}
      </div>
    </li>
  );
}

function Items({ factor, selection }: { factor: RiskFactor; selection: RiskSelection }) {
  const query = useInfiniteQuery(factorItems(factor.id, selection));
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const items = pages.flatMap(({ data }) => data);
        if (items.length === 0) return <NoRows>Nothing is affected now</NoRows>;
        return (
          <>
            <RowList label={factor.factor}>
              {items.map((item) => {
                const path = pathOfItem(item);
                return (
                  <Row key={item.id} name={path === null ? item.name : <Link to={path}>{item.name}</Link>}>
                    <RowDetail>
                      {[item.place, item.detail].filter((text) => text !== "").join(" · ")}
                      {item.since !== null && (
                        <>
                          {" · "}
                          <RelativeTime moment={item.since} />
                        </>
                      )}
                    </RowDetail>
                  </Row>
                );
              })}
            </RowList>
            <LoadMore of={query} />
          </>
        );
      }}
    </Loaded>
  );
}
