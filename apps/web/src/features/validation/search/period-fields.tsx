// The fields of a period of days in the filter panel (FILTER-06).
import { TextInput } from "@mantine/core";
import type { ValidationFilter } from "@strongroom/contract";
import classes from "./filter-panel.module.css";
import { dayOf, withDay } from "./search-filter.ts";

type Period = ValidationFilter["created"];

export interface PeriodFieldsProps {
  label: string;
  period: Period;
  onChange: (period: Period) => void;
}

export function PeriodFields({ label, period, onChange }: PeriodFieldsProps) {
  const day = (end: "from" | "to", word: string) => (
    <TextInput
      type="date"
      aria-label={`${label} ${word}`}
      value={dayOf(period[end])}
      onChange={(event) => onChange(withDay(period, end, event.currentTarget.value))}
    />
  );
  return (
    <fieldset className={classes.period}>
      <legend>{label}</legend>
      <div className={classes.days}>
        {day("from", "from")}
        {day("to", "to")}
      </div>
    </fieldset>
  );
}
