// Tests that permissions are denied by default.
import { Permission, ROLES } from "@strongroom/contract";
import type { SessionId, UserId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../http/refuse.ts";
import type { Actor } from "./actor.ts";
import { createAuthority } from "./authorise.ts";

const anActor = (role: Actor["role"]): Actor => ({
  id: "0190c0de-0000-7000-8000-000000000001" as UserId,
  sessionId: "0190c0de-0000-7000-8000-000000000002" as SessionId,
  email: "a@example.com",
  name: "A",
  provedUntil: new Date(0),
  isPending: false,
  closure: null,
  token: null,
  role,
});

const refusedWith = (status: number) => (error: unknown) => error instanceof Refusal && error.status === status;

test("OPEN-19: denies a permission that no role has to every role", () => {
  const authority = createAuthority();
  for (const permission of Permission.options) {
    for (const role of ROLES) assert.throws(() => authority.require(permission, anActor(role)), refusedWith(403));
  }
});

test("allows a permission only to its roles, and asks anonymous callers to sign in", () => {
  const authority = createAuthority();
  authority.grant({ "user.manage": ["admin"] });
  authority.require("user.manage", anActor("admin"));
  assert.throws(() => authority.require("user.manage", anActor("manager")), refusedWith(403));
  assert.throws(() => authority.require("user.manage", null), refusedWith(401));
  assert.throws(() => authority.require("signed-in", null), refusedWith(401));
  authority.require("public", null);
});

test("rejects a permission that two features define", () => {
  const authority = createAuthority();
  authority.grant({ "user.manage": ["admin"] });
  assert.throws(() => authority.grant({ "user.manage": ["user"] }), /two features/);
});
