import { describe, expect, test } from "vitest";
import { withItem, withoutItem } from "#shared/api/pages.ts";
import { TYPE_FILTERS, filterOf, matches, withFilter, withNewCredential } from "./credential-filter.ts";
import { aCredential } from "../testing/a-credential.ts";

const of = (text: string) => filterOf(new URLSearchParams(text));

describe("the vault's filter in the address", () => {
  test("VAULT-04: offers these types in this order", () => {
    expect(TYPE_FILTERS.map(({ label }) => label)).toEqual([
      "All Types",
      "Password",
      "SSH Key",
      "API Token",
      "Certificate",
      "Database",
    ]);
  });

  test("the filter is empty for an empty address", () => {
    expect(of("")).toEqual({});
    expect(of("search=%20&type=")).toEqual({});
  });

  test("the filter contains search and type", () => {
    expect(of("search=%20orders%20&type=database")).toEqual({ search: "orders", type: "database" });
  });

  test("treats an unknown type as all types", () => {
    expect(of("type=floppy")).toEqual({});
  });

  test("setting one part keeps the others, and clearing a part removes it from the address", () => {
    const params = new URLSearchParams("type=ssh&tab=1");
    expect(withFilter(params, "search", " db ").toString()).toBe("type=ssh&tab=1&search=db");
    expect(withFilter(params, "type", "").toString()).toBe("tab=1");
    expect(params.toString()).toBe("type=ssh&tab=1");
  });
});

const orders = aCredential({ name: "Orders", username: "app" });
const billing = aCredential({ name: "Billing", type: "mysql" });
const pages = [
  { data: [orders], next_cursor: "1" },
  { data: [billing], next_cursor: null },
];

describe("cached pages of the vault", () => {
  test("the pages show a changed credential without refetching, and the other page stays unchanged", () => {
    const renamed = { ...billing, name: "Invoices" };
    const changed = withItem(pages, renamed);
    expect(changed.map((page) => page.data.map(({ name }) => name))).toEqual([["Orders"], ["Invoices"]]);
    expect(changed[0]).toBe(pages[0]);
  });

  test("the pages stay unchanged when they do not contain the changed credential", () => {
    expect(withItem(pages, aCredential())).toBe(pages);
    expect(withoutItem(pages, aCredential().id)).toBe(pages);
  });

  test("the pages drop a deleted credential", () => {
    expect(withoutItem(pages, orders.id).flatMap((page) => page.data)).toEqual([billing]);
  });

  test("a new credential comes first, and is added only once", () => {
    const added = aCredential({ name: "New" });
    const grown = withNewCredential(pages, added, {});
    expect(grown.flatMap((page) => page.data)[0]).toBe(added);
    expect(withNewCredential(grown, added, {})).toBe(grown);
  });

  test("a new credential that does not match the filter is not added", () => {
    expect(withNewCredential(pages, aCredential({ name: "New" }), { search: "old" })).toBe(pages);
  });
});

describe("matching a credential with the filter", () => {
  test("VAULT-05: matches part of the name or username, ignoring case", () => {
    expect(matches(orders, { search: "RDER" })).toBe(true);
    expect(matches(orders, { search: "APP" })).toBe(true);
    expect(matches(orders, { search: "db01" })).toBe(false);
    expect(matches(aCredential({ name: "x", username: null }), { search: "app" })).toBe(false);
  });

  test("VAULT-06, OPEN-45: matches the exact type, or any database type", () => {
    expect(matches(billing, { type: "password" })).toBe(false);
    expect(matches(aCredential({ type: "ssh" }), { type: "ssh" })).toBe(true);
    expect(matches(billing, { type: "database" })).toBe(true);
    expect(matches(aCredential({ type: "ssh" }), { type: "database" })).toBe(false);
  });
});
