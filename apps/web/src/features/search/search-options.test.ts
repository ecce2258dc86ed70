import type { SearchKind, SearchResult } from "@strongroom/contract";
import { expect, test } from "vitest";
import { pagesFor } from "./product-pages.ts";
import { readQuery } from "./read-query.ts";
import { optionsFor } from "./search-options.ts";

const found = (kind: SearchKind, title: string, can: SearchResult["can"] = []): SearchResult => ({
  kind,
  id: `${kind}-${title}`,
  title,
  detail: "",
  can,
});

const shown = (typed: string, results: readonly SearchResult[]) => {
  const wish = readQuery(typed);
  const groups = optionsFor(wish, results, pagesFor(wish.text, "user"));
  return groups.map(({ label, options }) => `${label}: ${options.map((each) => each.label).join(", ")}`);
};

test.each([
  ["rotate web1", { text: "web1", act: "rotate" }],
  ["Rotate password of web 1", { text: "web 1", act: "rotate" }],
  ["request access to web1", { text: "web1", act: "request" }],
  ["ask for web1", { text: "web1", act: "request" }],
  ["validate  web1 ", { text: "web1", act: "verify" }],
  ["copy password of web1", { text: "web1", act: "copy" }],
  ["rotate", { text: "rotate", act: null }],
  ["rotator", { text: "rotator", act: null }],
] as const)("OPEN-28: %s is read as what to do and with what", (typed, wish) => expect(readQuery(typed)).toEqual(wish));

test("OPEN-28: things first, what can be done with the best of them next, pages last", () =>
  expect(
    shown("web", [
      found("account", "web1", ["copy", "rotate"]),
      found("account", "web2", ["copy"]),
      found("safe", "Website"),
    ]),
  ).toEqual(["Accounts: web1, web2", "Actions: Copy password of web1, Rotate web1", "Safes: Website"]));

test("OPEN-28: what can be done with a thing stands below its kind", () =>
  expect(shown("web", [found("safe", "Web"), found("account", "web1", ["copy"]), found("user", "Weber")])).toEqual([
    "Safes: Web",
    "Accounts: web1",
    "Actions: Copy password of web1",
    "Users: Weber",
  ]));

test("OPEN-28: who says what to do is offered it for everything that allows it, and nothing else", () =>
  expect(
    shown("request access to web", [
      found("account", "web1", ["request"]),
      found("account", "web2", ["copy"]),
      found("account", "web3", ["request"]),
    ]),
  ).toEqual(["Actions: Request access to web1, Request access to web3", "Accounts: web1, web2, web3"]));

test("OPEN-28: a page whose name is begun comes first, unless a thing has that very name", () => {
  expect(shown("audit", [found("safe", "Audit team")])).toEqual(["Pages: Audit Logs", "Safes: Audit team"]);
  expect(shown("safes", [found("safe", "Safes")])).toEqual(["Safes: Safes", "Pages: Safes"]);
});

test("pages that a role does not see are not offered", () => {
  const labels = (role: "user" | "manager") => pagesFor("group", role).map(({ label }) => label);
  expect([labels("user"), labels("manager")]).toEqual([[], ["Groups"]]);
});

test("of many kinds there are three of each", () => {
  const kinds: SearchKind[] = ["account", "safe", "user", "group"];
  const results = kinds.flatMap((kind) => [1, 2, 3, 4, 5].map((number) => found(kind, `x${number}`)));
  expect(shown("x", results)[0]).toBe("Accounts: x1, x2, x3");
});
