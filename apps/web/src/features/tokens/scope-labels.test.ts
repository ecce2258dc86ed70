// Tests the labels of token scopes.
import { expect, test } from "vitest";
import { warningOf } from "./scope-labels.ts";

test("OPEN-19: scopes that can grant access to others show a warning, and other scopes show none", () => {
  expect(warningOf(["retrieve", "audit.read"])).toBeUndefined();
  expect(warningOf(["audit.read", "safe.share", "identity-provider.manage"])).toMatch(
    /^Give others access: members, owners, moves, secret destinations, Manage sign-in providers: .*administrator access/,
  );
});
