import { expect, test } from "vitest";
import { strengthOf, weakSecretNote } from "./password-strength.ts";

test.each([
  ["", "too short"],
  ["xk7qmz2", "too short"],
  ["12345678901234", "weak"],
  ["aaaaaaaaaaaaaaaa", "weak"],
  ["strongroom2026", "weak"],
  ["dana.test-1990", "weak"],
  ["Password2026", "weak"],
  ["xk7qmz2vfw", "fair"],
  ["xk7qmz2vfwprtn", "good"],
  ["correct horse battery staple", "good"],
] as const)("%j is %s", (password, strength) => {
  expect(strengthOf(password, ["dana@example.test", "test"])).toBe(strength);
});

test("shows a note for a weak secret only", () => {
  expect(weakSecretNote("password1")).toMatch(/easy to guess/);
  expect(weakSecretNote("")).toBeUndefined();
  expect(weakSecretNote("xk7qmz2vfwprtn")).toBeUndefined();
});
