import { expect, test } from "vitest";
import { filterOf, isFiltered, tabOf } from "./account-filter.ts";

const of = (address: string) => new URLSearchParams(address);

test("ACC-06: the tab is All Accounts unless the address names another", () => {
  expect(tabOf(of(""))).toBe("all");
  expect(tabOf(of("tab=nonsense"))).toBe("all");
  expect(filterOf(of("tab=rotation-due"))).toEqual({ status: "rotation_due" });
  expect(filterOf(of("tab=active"))).toEqual({ status: "active" });
});

test("ACC-07: trims the search text and drops an empty one", () => {
  expect(filterOf(of("search=%20web1%20"))).toEqual({ search: "web1" });
  expect(filterOf(of("search=%20"))).toEqual({});
});

test("drops unknown values from the address", () => {
  const safe = "33333333-3333-4333-8333-333333333333";
  expect(filterOf(of(`safe=${safe}&platform=x&system=Linux&validation=invalid`))).toEqual({
    safe_id: safe,
    system_type: "Linux",
    validation_status: "invalid",
  });
  expect(filterOf(of("system=Toaster&validation=maybe"))).toEqual({});
});

test("reads tag, age and order, and drops what the server would refuse", () => {
  expect(filterOf(of("tag=PCI&age=90&sort=-name"))).toEqual({ tag: "pci", secret_age: 90, sort: "-name" });
  expect(filterOf(of("tag=a,b&age=0&sort=password"))).toEqual({});
  expect(filterOf(of("age=1.5"))).toEqual({});
});

test("an order is not an active filter", () => {
  expect(isFiltered(filterOf(of("sort=name")))).toBe(false);
  expect(isFiltered(filterOf(of("tag=pci")))).toBe(true);
});

test("a selected tab is not an active filter", () => {
  expect(isFiltered(filterOf(of("tab=active")))).toBe(false);
  expect(isFiltered(filterOf(of("tab=active&search=x")))).toBe(true);
});
