// What a token may do, in words.
import { expect, test } from "vitest";
import { warningOf } from "./scope-words.ts";

test("OPEN-19: who chooses what lets others in is told how far that reaches, and of nothing else", () => {
  expect(warningOf(["retrieve", "audit.read"])).toBeUndefined();
  expect(warningOf(["audit.read", "safe.manage", "identity-provider.manage"])).toMatch(
    /^Manage safes and their members, Manage sign-in providers: .*as good as being one/,
  );
});
