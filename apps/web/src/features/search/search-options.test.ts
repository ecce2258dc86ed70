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
  const groups = optionsFor(wish, results, pagesFor(wish.text, "manager"));
  return groups.map(({ label, options }) => `${label}: ${options.map((each) => each.label).join(", ")}`);
};

test.each([
  ["rotate web1", { text: "web1", act: "rotate" }],
  ["Rotate password of web 1", { text: "web 1", act: "rotate" }],
  ["request access to web1", { text: "web1", act: "request" }],
  ["ask for web1", { text: "web1", act: "request" }],
  ["validate  web1 ", { text: "web1", act: "verify" }],
  ["connect to web1", { text: "web1", act: "connect" }],
  ["copy password of web1", { text: "web1", act: "copy" }],
  ["rotate", { text: "rotate", act: null }],
  ["rotator", { text: "rotator", act: null }],
] as const)("OPEN-28: parses %s into an action and a text", (typed, wish) => expect(readQuery(typed)).toEqual(wish));

test("OPEN-28: lists results first, then actions on the best one, then pages", () =>
  expect(
    shown("web", [
      found("account", "web1", ["copy", "rotate"]),
      found("account", "web2", ["copy"]),
      found("safe", "Website"),
    ]),
  ).toEqual(["Accounts: web1, web2", "Actions: Copy password of web1, Rotate web1", "Safes: Website"]));

test("OPEN-28: lists actions below the results of the same kind", () =>
  expect(shown("web", [found("safe", "Web"), found("account", "web1", ["copy"]), found("user", "Weber")])).toEqual([
    "Safes: Web",
    "Accounts: web1",
    "Actions: Copy password of web1",
    "Users: Weber",
  ]));

test("OPEN-28: a typed action is offered only for results that allow it", () =>
  expect(
    shown("request access to web", [
      found("account", "web1", ["request"]),
      found("account", "web2", ["copy"]),
      found("account", "web3", ["request"]),
    ]),
  ).toEqual(["Actions: Request access to web1, Request access to web3", "Accounts: web1, web2, web3"]));

test("OPEN-28: a page whose name starts with the text comes first, unless a result has exactly that name", () => {
  expect(shown("audit", [found("safe", "Audit team")])).toEqual(["Pages: Audit Logs", "Safes: Audit team"]);
  expect(shown("safes", [found("safe", "Safes")])).toEqual(["Safes: Safes", "Pages: Safes"]);
});

test("a session result opens Session Monitoring with only that session", () => {
  const session = { ...found("privileged-session", "ben on web1"), id: "0199" };
  const [group] = optionsFor(readQuery("ben"), [session], []);
  expect(group?.label).toBe("Sessions");
  expect(group?.options[0]).toMatchObject({ label: "ben on web1", to: "/sessions?search=0199" });
});

test("offers only pages that the role can open", () => {
  const labels = (role: "user" | "manager") => pagesFor("group", role).map(({ label }) => label);
  expect([labels("user"), labels("manager")]).toEqual([[], ["Groups"]]);
});

test("limits each kind to three results when many kinds match", () => {
  const kinds: SearchKind[] = ["account", "safe", "user", "group"];
  const results = kinds.flatMap((kind) => [1, 2, 3, 4, 5].map((number) => found(kind, `x${number}`)));
  expect(shown("x", results)[0]).toBe("Accounts: x1, x2, x3");
});
