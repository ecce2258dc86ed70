// What a token may do, in words.
import { expect, test } from "vitest";
import { warningOf } from "./scope-words.ts";

test("OPEN-19: who chooses what lets others in is told how far that reaches, and of nothing else", () => {
  expect(warningOf(["retrieve", "audit.read"])).toBeUndefined();
  expect(warningOf(["audit.read", "safe.share", "identity-provider.manage"])).toMatch(
    /^Give others access: members, owners, moves, where secrets go, Manage sign-in providers: .*as good as being one/,
  );
});
