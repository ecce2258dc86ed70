import { describe, expect, test } from "vitest";
import { TYPE_FILTERS, filterOf, withFilter } from "./credential-filter.ts";

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
