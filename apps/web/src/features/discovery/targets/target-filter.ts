// The filter of the Discovery Targets tab: in the address and in calls. Pure.
import { DiscoveryTargetType, LastScan, TargetSort } from "@strongroom/contract";
import { choiceOf, searchOf } from "#shared/format/address.ts";
import { SCAN_BADGES, TYPE_LABELS } from "../discovery-labels.ts";
import type { TargetFilter } from "../discovery.queries.ts";

export const TYPE_CHOICES = [
  { value: "", label: "All types" },
  ...DiscoveryTargetType.options.map((value) => ({ value: value as string, label: TYPE_LABELS[value] })),
];

export const ACTIVE_CHOICES = [
  { value: "", label: "Active or not" },
  { value: "true", label: "Active" },
  { value: "false", label: "Inactive" },
];

export const LAST_SCAN_CHOICES = [
  { value: "", label: "Any last scan" },
  ...LastScan.options.map((value) => ({
    value: value as string,
    label: value === "never" ? "Never scanned" : `Last scan ${SCAN_BADGES[value].label.toLowerCase()}`,
  })),
];

/** The values of the controls; empty for all targets. */
export const chosenIn = (params: URLSearchParams) => ({
  type: choiceOf(params, "type", ["", ...DiscoveryTargetType.options]),
  active: choiceOf(params, "active", ["", "true", "false"]),
  last_scan: choiceOf(params, "last_scan", ["", ...LastScan.options]),
});

export function filterOf(params: URLSearchParams): TargetFilter {
  const { type, active, last_scan } = chosenIn(params);
  const search = searchOf(params);
  const sort = TargetSort.safeParse(params.get("sort")).data;
  return {
    ...(search === undefined ? {} : { search }),
    ...(type === "" ? {} : { type }),
    ...(active === "" ? {} : { active }),
    ...(last_scan === "" ? {} : { last_scan }),
    ...(sort === undefined ? {} : { sort }),
  };
}

export const isNarrowed = ({ sort: _order, ...filter }: TargetFilter): boolean => Object.keys(filter).length > 0;
