// Reads the dashboard's range, tab, view and filters from the address.
import {
  AttemptStatusFilter,
  SYSTEM_FAMILIES,
  Severity,
  SystemFamily,
  VALIDATION_RANGES,
  ValidationFilter,
  type ValidationRange,
} from "@strongroom/contract";
import { searchOf } from "#shared/format/address.ts";

export const DASHBOARD_TABS = ["overview", "accounts", "jit", "audit", "search"] as const;
export type DashboardTab = (typeof DASHBOARD_TABS)[number];

export const ACCOUNT_VIEWS = ["overview", "attempts", "failures"] as const;
export type AccountView = (typeof ACCOUNT_VIEWS)[number];

/** The range in the address, or the user's default. */
export const rangeOf = (params: URLSearchParams, part: string, usual: ValidationRange): ValidationRange =>
  VALIDATION_RANGES.find((range) => range === params.get(part)) ?? usual;

export const RANGE_CHOICES = [...VALIDATION_RANGES];

/** VAL-15 to VAL-18; ignores invalid values. */
export const tableFilterOf = (params: URLSearchParams) => ({
  search: searchOf(params),
  system: SystemFamily.safeParse(params.get("system")).data,
  status: AttemptStatusFilter.safeParse(params.get("status")).data,
  severity: Severity.safeParse(params.get("severity")).data,
});

/** VAL-17, OPEN-123. */
export const SYSTEM_CHOICES = [
  { value: "", label: "All systems" },
  ...SYSTEM_FAMILIES.map((family) => ({ value: family as string, label: family as string })),
];

export const EMPTY_FILTER: ValidationFilter = ValidationFilter.parse({});

/** The search's filter; null when it is missing or invalid. */
export function filterIn(params: URLSearchParams): ValidationFilter | null {
  const text = params.get("filter");
  if (text === null) return null;
  try {
    return ValidationFilter.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Encodes only the fields that differ from an empty filter, to keep the address short. */
export function filterText(filter: ValidationFilter): string {
  const said = Object.entries(filter).filter(
    ([part, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY_FILTER[part as keyof ValidationFilter]),
  );
  return JSON.stringify(Object.fromEntries(said));
}
