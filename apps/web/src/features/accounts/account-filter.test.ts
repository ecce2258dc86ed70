import { expect, test } from "vitest";
import { filterOf, isNarrowed, tabOf } from "./account-filter.ts";

const of = (address: string) => new URLSearchParams(address);

test("ACC-06: the tab is All Accounts unless the address names another", () => {
  expect(tabOf(of(""))).toBe("all");
  expect(tabOf(of("tab=nonsense"))).toBe("all");
  expect(filterOf(of("tab=rotation-due"))).toEqual({ status: "rotation_due" });
  expect(filterOf(of("tab=active"))).toEqual({ status: "active" });
});

test("ACC-07: what is searched for is trimmed, and nothing at all is no search", () => {
  expect(filterOf(of("search=%20web1%20"))).toEqual({ search: "web1" });
  expect(filterOf(of("search=%20"))).toEqual({});
});

test("what the address does not know is not asked of the server", () => {
  const safe = "33333333-3333-4333-8333-333333333333";
  expect(filterOf(of(`safe=${safe}&platform=x&system=Linux&validation=invalid`))).toEqual({
    safe_id: safe,
    system_type: "Linux",
    validation_status: "invalid",
  });
  expect(filterOf(of("system=Toaster&validation=maybe"))).toEqual({});
});

test("a tab alone does not count as narrowed", () => {
  expect(isNarrowed(filterOf(of("tab=active")))).toBe(false);
  expect(isNarrowed(filterOf(of("tab=active&search=x")))).toBe(true);
});
