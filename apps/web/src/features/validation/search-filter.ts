// The search's filter: its quick buttons, its dates, and how many of its parts are applied (FILTER-01 to FILTER-09).
import type { ValidationFilter } from "@strongroom/contract";
import { EMPTY_FILTER } from "./validation-address.ts";

export interface QuickFilter {
  label: string;
  isOn: (filter: ValidationFilter) => boolean;
  toggled: (filter: ValidationFilter) => ValidationFilter;
}

/** With the value, or without it when it is there. */
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

/** FILTER-09: each part that narrows counts once, however many values it has. */
export const appliedCount = (filter: ValidationFilter): number =>
  Object.entries(filter).filter(
    ([part, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY_FILTER[part as keyof ValidationFilter]),
  ).length;

type Period = ValidationFilter["created"];

const pad = (part: number): string => String(part).padStart(2, "0");

/** The day of a moment in the reader's own zone, as a date field holds it; empty when there is none. */
export function dayOf(moment: string | undefined): string {
  if (moment === undefined) return "";
  const date = new Date(moment);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** A period with another first or last day, of which it has the whole; an empty day takes the end away. */
export function withDay(period: Period, end: "from" | "to", day: string): Period {
  const { [end]: _, ...rest } = period;
  const at = new Date(`${day}T${end === "from" ? "00:00:00.000" : "23:59:59.999"}`);
  return Number.isNaN(at.getTime()) ? rest : { ...rest, [end]: at.toISOString() };
}

/** What the server would object to; null when it may be sent. */
export function objectionTo({ last_validated: validated, created }: ValidationFilter): string | null {
  const isWrong = ({ from, to }: Period) => from !== undefined && to !== undefined && from > to;
  return isWrong(validated) || isWrong(created) ? "The end must not be before the start" : null;
}
