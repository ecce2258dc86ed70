// A list of names and values: the plain presentation of one object's facts.
import type { ReactNode } from "react";
import classes from "./facts.module.css";

export interface Fact {
  name: string;
  value: ReactNode;
}

export interface FactsProps {
  facts: readonly Fact[];
  /** The values are short, so that narrower columns hold them. */
  areShort?: boolean;
}

export function Facts({ facts, areShort = false }: FactsProps) {
  return (
    <dl className={classes.facts} data-short={areShort}>
      {facts.map(({ name, value }) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
