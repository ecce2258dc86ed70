// The search filter: quick buttons, dates, and the number of applied fields (FILTER-01 to FILTER-09).
import type { ValidationFilter } from "@strongroom/contract";
import { EMPTY_FILTER } from "../validation-address.ts";

export interface QuickFilter {
  label: string;
  isOn: (filter: ValidationFilter) => boolean;
  toggled: (filter: ValidationFilter) => ValidationFilter;
}

/** Adds the value, or removes it if present. */
const flipped = <T>(values: readonly T[], value: T): T[] =>
  values.includes(value) ? values.filter((each) => each !== value) : [...values, value];

const ofStatus = (label: string, status: ValidationFilter["statuses"][number]): QuickFilter => ({
  label,
  isOn: ({ statuses }) => statuses.includes(status),
  toggled: (filter) => ({ ...filter, statuses: flipped(filter.statuses, status) }),
});

/** FILTER-01. */
export const QUICK_FILTERS: readonly QuickFilter[] = [
  ofStatus("Failed Validation", "failed"),
  ofStatus("Pending Validation", "pending"),
  {
    label: "Active JIT Sessions",
    isOn: ({ jit }) => jit.includes("active"),
    toggled: (filter) => ({ ...filter, jit: flipped(filter.jit, "active") }),
  },
  {
    label: "Critical Failures",
    isOn: ({ critical_only: isOn }) => isOn,
    toggled: (filter) => ({ ...filter, critical_only: !filter.critical_only }),
  },
];

/** FILTER-09: counts each active field once, however many values it has. */
export const appliedCount = (filter: ValidationFilter): number =>
  Object.entries(filter).filter(
    ([part, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY_FILTER[part as keyof ValidationFilter]),
  ).length;

type Period = ValidationFilter["created"];

const pad = (part: number): string => String(part).padStart(2, "0");

/** Formats a moment for a date input, in the local time zone; empty without a moment. */
export function dayOf(moment: string | undefined): string {
  if (moment === undefined) return "";
  const date = new Date(moment);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Sets the first or last day of a period, which includes the whole day; an empty day removes that bound. */
export function withDay(period: Period, end: "from" | "to", day: string): Period {
  const { [end]: _, ...rest } = period;
  const at = new Date(`${day}T${end === "from" ? "00:00:00.000" : "23:59:59.999"}`);
  return Number.isNaN(at.getTime()) ? rest : { ...rest, [end]: at.toISOString() };
}

/** The validation error of the periods; null when the filter is valid. */
export function objectionTo({ last_validated: validated, created, expires }: ValidationFilter): string | null {
  const isWrong = ({ from, to }: Period) => from !== undefined && to !== undefined && from > to;
  return [validated, created, expires].some(isWrong) ? "The end must not be before the start" : null;
}
