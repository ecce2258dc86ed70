// Tests the ranking of search results.
import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, ranked } from "./search.policy.ts";
import type { Hit } from "./searchable.ts";

const hit = (title: string, by: (string | null)[] = []): Hit => ({ id: title, title, detail: "", by, can: [] });

test("an exact name ranks first, then an exact host or user name, then prefixes, then substrings", () => {
  const hits = [
    hit("A note", ["deep in db1.example.com or so"]),
    hit("old db1"),
    hit("Third", ["db1.example.com", null]),
    hit("db1 primary"),
    hit("Second", ["DB1"]),
    hit("Db1"),
  ];
  const order = ranked("db1", [{ kind: "account", hits }]).map(({ title }) => title);
  assert.deepEqual(order, ["Db1", "Second", "db1 primary", "Third", "old db1", "A note"]);
  assert.equal(distance("ＤＢ１", hit("db1")), 0);
  assert.equal(distance("elsewhere", hit("db1")), 8);
});

test("names with words that begin with the search words rank before names that contain them elsewhere", () => {
  const hits = [hit("uproot the app-prod-02"), hit("app-prod-03 root"), hit("host", ["root", "app-prod-04"])];
  const order = ranked("root app-prod", [{ kind: "account", hits }]).map(({ title }) => title);
  assert.deepEqual(order, ["app-prod-03 root", "host", "uproot the app-prod-02"]);
});

test("the kind with the best match comes first, with at most six results, and shorter names before longer ones", () => {
  const many = Array.from({ length: 9 }, (_, number) => hit(`web ${"x".repeat(9 - number)}`));
  const results = ranked("web", [
    { kind: "account", hits: many },
    { kind: "safe", hits: [hit("Web")] },
    { kind: "user", hits: [] },
  ]);
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ["safe", ...Array.from({ length: 6 }, () => "account")],
  );
  assert.equal(results[1]?.title, "web x");
});
