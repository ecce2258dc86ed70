import { expect, test } from "vitest";
import { CHANGE_KINDS, EMPTY_CHANGE, changeOf, kindsFor } from "./change-form-values.ts";

const full = {
  ...EMPTY_CHANGE,
  safe: "s",
  who: "group:g",
  member: "m",
  group: "g",
  person: "p",
  platform: "f",
  level: "team" as const,
};

test("nothing is asked while something is still to be chosen; each kind becomes its change", () => {
  for (const kind of CHANGE_KINDS) {
    expect(changeOf(kind, EMPTY_CHANGE), kind).toBeNull();
    expect(changeOf(kind, full)?.kind).toBe(kind);
  }
  expect(changeOf("member-added", full)).toEqual({
    kind: "member-added",
    safe_id: "s",
    member: { group_id: "g", role: "user" },
  });
  expect(changeOf("member-added", { ...full, who: "user:u" })).toMatchObject({ member: { user_id: "u" } });
});

test("without a first level there is no second", () => {
  const change = changeOf("platform-approvals", { ...full, level1: 0, level2: 2 });
  expect(change).toMatchObject({ approvals_level_1: 0, approvals_level_2: 0 });
});

test("of a safe only what is to be another is asked about", () => {
  expect(changeOf("safe-changed", { ...full, level: null })).toBeNull();
  expect(changeOf("safe-changed", { ...full, level: null, status: "archived" })).toEqual({
    kind: "safe-changed",
    safe_id: "s",
    status: "archived",
  });
});

test("who is no administrator asks about safes and their members alone", () => {
  expect(kindsFor(true)).toHaveLength(CHANGE_KINDS.length);
  expect(kindsFor(false)).toEqual(["member-added", "member-updated", "member-removed", "safe-changed"]);
});
