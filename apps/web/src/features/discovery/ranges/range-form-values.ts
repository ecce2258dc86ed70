// Values and validation of the form that starts a range scan. Pure.
import { NewRangeScan, USUAL_PORTS } from "@strongroom/contract";
import { firstObjections } from "#shared/api/field-errors.ts";
import { partsOf } from "#shared/format/text.ts";
import type { Found } from "#shared/ui/search-select.tsx";
import { numberOr } from "../discovery-labels.ts";
import type { NewRange } from "./ranges.queries.ts";

export interface RangeFormValues {
  name: string;
  safe: Found | null;
  ranges: string;
  exclusions: string;
  ports: string;
  rate: string;
  timeout: string;
  linux: Found | null;
  database: Found | null;
  directory: Found | null;
  createsTargets: boolean;
}

const USUAL_RATE = 200;
const USUAL_TIMEOUT = 1000;

export const EMPTY_RANGE: RangeFormValues = {
  name: "",
  safe: null,
  ranges: "",
  exclusions: "",
  ports: USUAL_PORTS.join(", "),
  rate: String(USUAL_RATE),
  timeout: String(USUAL_TIMEOUT),
  linux: null,
  database: null,
  directory: null,
  createsTargets: false,
};

export function newRangeOf(values: RangeFormValues): NewRange {
  const rules = [
    ["linux", values.linux],
    ["database", values.database],
    ["active_directory", values.directory],
  ] as const;
  return {
    name: values.name,
    safeId: values.safe?.value ?? "",
    ranges: partsOf(values.ranges),
    exclusions: partsOf(values.exclusions),
    ports: partsOf(values.ports).map(Number),
    rate: numberOr(values.rate, USUAL_RATE),
    timeout: numberOr(values.timeout, USUAL_TIMEOUT),
    credentials: rules.flatMap(([targetType, found]) =>
      found === null ? [] : [{ targetType, credentialId: found.value }],
    ),
    createsTargets: values.createsTargets,
  };
}

/** The field of an error's path, such as `ports.0`. */
const fieldAt = (path: readonly PropertyKey[]): string => {
  const [first = ""] = path.map(String);
  return first === "safeId" ? "safe" : first;
};

export const checkRange = (values: RangeFormValues): Partial<Record<keyof RangeFormValues, string>> =>
  firstObjections(NewRangeScan, newRangeOf(values), fieldAt);
