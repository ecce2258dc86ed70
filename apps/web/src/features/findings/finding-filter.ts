// The filter of the Security Findings tab: in the address, in calls and in exports (FIND-08).
import { FindingSeverity, FindingStatus, FindingType, type UserId } from "@strongroom/contract";
import type { ExportFilters, FindingFilter } from "./findings.queries.ts";

export interface ChosenFilter {
  severity: FindingSeverity[];
  findingType: FindingType[];
  status: FindingStatus[];
  /** The lowest and the highest score. */
  risk: [number, number];
  /** Empty when it is too short for a search. */
  search: string;
  isMine: boolean;
  isAll: boolean;
}

const SHORTEST_SEARCH = 2;

const several = <T extends string>(params: URLSearchParams, part: string, choices: readonly T[]): T[] =>
  choices.filter((choice) => (params.get(part) ?? "").split(",").includes(choice));

export function chosenIn(params: URLSearchParams): ChosenFilter {
  const [least, most] = (params.get("risk") ?? "0-100").split("-").map(Number);
  const bound = (value: number | undefined, usual: number) =>
    value !== undefined && value >= 0 && value <= 100 ? Math.round(value) : usual;
  const search = (params.get("search") ?? "").trim();
  return {
    severity: several(params, "severity", FindingSeverity.options),
    findingType: several(params, "type", FindingType.options),
    status: several(params, "findingStatus", FindingStatus.options),
    risk: [bound(least, 0), bound(most, 100)],
    search: search.length < SHORTEST_SEARCH ? "" : search,
    isMine: params.get("mine") === "true",
    isAll: params.get("all") === "true",
  };
}

const commonFilterOf = ({ search, isMine, risk: [least, most] }: ChosenFilter, userId: string) => ({
  ...(search === "" ? {} : { search }),
  ...(isMine ? { assigneeId: userId as UserId } : {}),
  ...(least === 0 ? {} : { minRiskScore: least }),
  ...(most === 100 ? {} : { maxRiskScore: most }),
});

export function filterOf(chosen: ChosenFilter, userId: string): FindingFilter {
  const { severity, findingType, status, isAll } = chosen;
  return {
    ...(severity.length === 0 ? {} : { severity: severity.join(",") }),
    ...(findingType.length === 0 ? {} : { findingType: findingType.join(",") }),
    ...(status.length === 0 ? {} : { status: status.join(",") }),
    ...commonFilterOf(chosen, userId),
    ...(isAll ? { includeBelowThreshold: "true" } : {}),
  };
}

export function exportFilterOf(chosen: ChosenFilter, userId: string): ExportFilters {
  const { severity, findingType, status, isAll } = chosen;
  const lists = { severity, findingType, status };
  return { ...lists, ...commonFilterOf(chosen, userId), ...(isAll ? { includeBelowThreshold: true } : {}) };
}
