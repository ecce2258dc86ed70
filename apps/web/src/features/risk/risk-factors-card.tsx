// The risk factors, each with its score and the list of its items (RISK-07).
import { Checkbox } from "@mantine/core";
import { MOST_FIXED_ITEMS, type RiskFactor, type RiskItem } from "@strongroom/contract";
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
import type { ScoreIfFixed } from "./use-score-if-fixed.ts";
import { fixedItemsOf, fixedText, withFactor, withItems, type WhatIf } from "./what-if.ts";
import classes from "./risk.module.css";

export interface RiskFactorsCardProps {
  factors: readonly RiskFactor[];
  selection: RiskSelection;
  whatIf: WhatIf;
  after: ScoreIfFixed;
  onChange: (whatIf: WhatIf) => void;
}

export function RiskFactorsCard({ factors, ...rest }: RiskFactorsCardProps) {
  return (
    <SectionCard
      title="Risk Factors"
      description="Select factors, or items in their lists, to see the overall score after fixing them."
    >
      <ul className={classes.factors}>
        {factors.map((factor) => (
          <Factor key={factor.id} factor={factor} {...rest} />
        ))}
      </ul>
    </SectionCard>
  );
}

interface FactorProps extends Omit<RiskFactorsCardProps, "factors"> {
  factor: RiskFactor;
}

function Factor(props: FactorProps) {
  const { factor, whatIf, onChange } = props;
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { factor: title, description, score, impact, likelihood, affected, is_assessed } = factor;
  return (
    <li className={classes.factor}>
      <Checkbox
        checked={whatIf.factors.includes(factor.id)}
        disabled={score === 0}
        onChange={(event) => onChange(withFactor(whatIf, factor.id, event.currentTarget.checked))}
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
            <div id={id}>{isOpen && <Items {...props} />}</div>
          </>
        )}
      </div>
    </li>
  );
}

function Items(props: FactorProps) {
  const { factor, selection, whatIf, onChange } = props;
  const query = useInfiniteQuery(factorItems(factor.id, selection));
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const items = pages.flatMap(({ data }) => data);
        if (items.length === 0) return <NoRows>Nothing is affected now</NoRows>;
        const isWhole = whatIf.factors.includes(factor.id);
        const fixed = fixedItemsOf(whatIf, factor.id);
        const isFull = whatIf.items.length >= MOST_FIXED_ITEMS;
        const toggle = (ids: readonly string[], isFixed: boolean) =>
          onChange(withItems(whatIf, factor.id, ids, isFixed));
        return (
          <>
            <ItemSelection {...props} items={items} fixed={fixed} onToggle={toggle} />
            <RowList label={factor.factor}>
              {items.map((item) => {
                const path = pathOfItem(item);
                return (
                  <Row
                    key={item.id}
                    icon={
                      <Checkbox
                        checked={isWhole || fixed.has(item.id)}
                        disabled={isWhole || (isFull && !fixed.has(item.id))}
                        onChange={(event) => toggle([item.id], event.currentTarget.checked)}
                        aria-label={`Imagine ${item.name}, ${item.place} as fixed`}
                        mt={2}
                      />
                    }
                    name={path === null ? item.name : <Link to={path}>{item.name}</Link>}
                  >
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

interface ItemSelectionProps extends FactorProps {
  items: readonly RiskItem[];
  fixed: ReadonlySet<string>;
  onToggle: (ids: readonly string[], isFixed: boolean) => void;
}

/** Selects all shown items, and repeats the score beside them, because the card with the score may be out of view. */
function ItemSelection({ factor, whatIf, after, items, fixed, onToggle }: ItemSelectionProps) {
  const isWhole = whatIf.factors.includes(factor.id);
  const count = items.filter(({ id }) => fixed.has(id)).length;
  const isAll = isWhole || count === items.length;
  return (
    <div className={classes.selectItems}>
      <Checkbox
        checked={isAll}
        indeterminate={!isAll && count > 0}
        disabled={isWhole}
        onChange={() =>
          onToggle(
            items.map(({ id }) => id),
            !isAll,
          )
        }
        label={`Select all ${items.length} shown`}
      />
      {fixed.size > 0 && (
        <span className={classes.itemScore}>
          Overall score after fixing {fixedText(whatIf)}: {after.score ?? "–"}
        </span>
      )}
      {whatIf.items.length >= MOST_FIXED_ITEMS && (
        <span className={classes.itemScore}>No more than {MOST_FIXED_ITEMS} items can be selected.</span>
      )}
    </div>
  );
}
