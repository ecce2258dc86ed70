import { ValidationFilter } from "@strongroom/contract";
import { expect, test } from "vitest";
import { QUICK_FILTERS, appliedCount, dayOf, objectionTo, withDay } from "./search-filter.ts";
import { EMPTY_FILTER, filterIn, filterText } from "../validation-address.ts";

test("FILTER-01: each quick button turns its filter on and off", () => {
  expect(QUICK_FILTERS.map(({ label }) => label)).toEqual([
    "Failed Validation",
    "Pending Validation",
    "Active JIT Sessions",
    "Critical Failures",
  ]);
  const all = QUICK_FILTERS.reduce((filter, quick) => quick.toggled(filter), EMPTY_FILTER);
  expect(all).toMatchObject({ statuses: ["failed", "pending"], jit: ["active"], critical_only: true });
  expect(QUICK_FILTERS.every((quick) => quick.isOn(all))).toBe(true);
  expect(QUICK_FILTERS.reduce((filter, quick) => quick.toggled(filter), all)).toEqual(EMPTY_FILTER);
});

test("FILTER-09: counts each field once", () => {
  const filter = ValidationFilter.parse({ text: "db", statuses: ["failed", "pending"], recent_failures: true });
  expect([appliedCount(EMPTY_FILTER), appliedCount(filter)]).toEqual([0, 3]);
});

test("FILTER-06: a period includes its first and last day entirely, and cannot end before it starts", () => {
  const period = withDay(withDay({}, "from", "2026-01-05"), "to", "2026-01-07");
  expect([dayOf(period.from), dayOf(period.to), dayOf(undefined)]).toEqual(["2026-01-05", "2026-01-07", ""]);
  expect(Date.parse(period.to ?? "") - Date.parse(period.from ?? "")).toBe(3 * 86_400_000 - 1);
  expect(withDay(period, "to", "")).toEqual({ from: period.from });
  expect(objectionTo({ ...EMPTY_FILTER, created: period })).toBe(null);
  const backwards = withDay(period, "to", "2026-01-01");
  expect(objectionTo({ ...EMPTY_FILTER, created: backwards })).toBe("The end must not be before the start");
});

test("the address contains only the non-default parts of a filter, and an invalid filter reads as null", () => {
  const filter = ValidationFilter.parse({ text: "db", jit: ["active"] });
  const text = filterText(filter);
  expect(JSON.parse(text)).toEqual({ text: "db", jit: ["active"] });
  expect(filterIn(new URLSearchParams({ filter: text }))).toEqual(filter);
  for (const wrong of ["{", '{"jit":["never"]}', '{"more":1}']) {
    expect(filterIn(new URLSearchParams({ filter: wrong })), wrong).toBe(null);
  }
});
