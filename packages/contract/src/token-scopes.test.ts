// Tests that the predefined sets of scopes contain what their names say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints } from "./all.ts";
import { scopeOf } from "./endpoint.ts";
import { SCOPE_SETS, SCOPES_IN_SAFES, Scope, scopesIn } from "./token-scopes.ts";

const within = (set: keyof typeof SCOPE_SETS) => {
  const scopes = new Set(scopesIn([set]));
  return endpoints.filter(({ endpoint }) => scopes.has(scopeOf(endpoint)!));
};
const ofReading = new Set(["none", "validation.exported"]);

test("read-only changes nothing and reveals nothing", () => {
  const calls = within("read-only");
  assert.ok(calls.length >= 25);
  for (const { name, endpoint } of calls) {
    assert.ok(ofReading.has(endpoint.audit), name);
    assert.notEqual(endpoint.repliesSecret, true, name);
  }
});

test("verify and retrieve change nothing that is stored", () => {
  for (const { name, endpoint } of within("verify")) {
    const isRead = ofReading.has(endpoint.audit);
    assert.ok(isRead || /verif|validat/.test(`${endpoint.audit}${endpoint.path}`), name);
  }
  for (const { name, endpoint } of within("retrieve")) {
    assert.ok(ofReading.has(endpoint.audit) || /retrieved|checked-in/.test(endpoint.audit), name);
  }
});

test("no predefined set manages users, tokens or policies, exports the trail, or decides for others", () => {
  const named =
    /^(user|token|policy|seal|audit|audit-sink|identity-provider|access)\.|\.(manage|decide|export|create|delete)$/;
  for (const scopes of Object.values(SCOPE_SETS)) {
    assert.deepEqual(
      scopes.filter((scope) => named.test(scope)),
      [],
    );
  }
});

test("no predefined set gives access to other users", () => {
  const scopes = endpoints.flatMap(({ endpoint: { givesByToken } }) => givesByToken ?? []);
  assert.ok(scopes.includes("safe.share"));
  for (const set of Object.values(SCOPE_SETS)) {
    assert.deepEqual(
      scopes.filter((scope) => set.some((each) => each === scope)),
      [],
    );
  }
});

test("scopes for a token limited to safes only open calls about a safe or its content", () => {
  for (const scope of SCOPES_IN_SAFES) {
    assert.ok(Scope.options.includes(scope));
    const calls = endpoints.filter(({ endpoint }) => scopeOf(endpoint) === scope);
    for (const { name, endpoint } of calls) assert.match(endpoint.path, /^\/api\/v1\/(safes|accounts)\b/, name);
  }
});
