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

test("builds the change of each kind, and null while the form is incomplete", () => {
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

test("drops level 2 approvals when level 1 needs none", () => {
  const change = changeOf("platform-approvals", { ...full, level1: 0, level2: 2 });
  expect(change).toMatchObject({ approvals_level_1: 0, approvals_level_2: 0 });
});

test("a safe change includes only the changed fields", () => {
  expect(changeOf("safe-changed", { ...full, level: null })).toBeNull();
  expect(changeOf("safe-changed", { ...full, level: null, status: "archived" })).toEqual({
    kind: "safe-changed",
    safe_id: "s",
    status: "archived",
  });
});

test("offers non-administrators only changes of safes and memberships", () => {
  expect(kindsFor(true)).toHaveLength(CHANGE_KINDS.length);
  expect(kindsFor(false)).toEqual(["member-added", "member-updated", "member-removed", "safe-changed"]);
});
