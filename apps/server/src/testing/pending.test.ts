// Makes every call of the contract as a user who is waiting for activation.
import { createToken, currentSession, deleteUser, setUserStatus } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPendingPerson, activate, firstAdmin, signIn } from "./people.ts";
import { sampleBody } from "./sample-bodies.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

const SOME_ID = "0190c0de-0000-7000-8000-00000000dead";

/** Calls open to pending users. Add new ones here deliberately. */
const OPEN = [
  "addFactor",
  "beginFactor",
  "beginStepUp",
  "cancelRecovery",
  "changePassword",
  "checkEvents",
  "clearNotifications",
  "createCredential",
  "currentSession",
  "deleteCredential",
  "dismissNotification",
  "endOtherSessions",
  "endOwnSession",
  "listConnectors",
  "listCredentialVersions",
  "listCredentials",
  "listFactors",
  "listNotifications",
  "listOwnSessions",
  "logout",
  "readAllNotifications",
  "readCredential",
  "readCredentialHistory",
  "readDashboardPreferences",
  "readNotification",
  "readNotificationPreferences",
  "readOwnProfile",
  "readVaultClosure",
  "removeFactor",
  "renameOneself",
  "renewRecoveryCodes",
  "reportActivity",
  "revealCredential",
  "revealCredentialVersion",
  "stepUp",
  "streamEvents",
  "updateCredential",
  "updateDashboardPreferences",
  "updateNotificationPreferences",
];

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const closed = endpoints.filter(({ endpoint }) => endpoint.needs !== "public" && endpoint.whilePending !== true);
const paramsOf = ({ endpoint: { path } }: NamedEndpoint) => ({
  ...Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, SOME_ID])),
  ...(path.includes("/:version/") ? { version: "1" } : {}),
});
const send = (named: NamedEndpoint, as: string) =>
  app.call(named.endpoint, { params: paramsOf(named), body: sampleBody(named), as });
const codeOf = (reply: { body: unknown }) => (reply.body as { code?: string }).code;

test("the calls open to pending users are exactly the listed ones", () => {
  const open = endpoints.filter(({ endpoint }) => endpoint.whilePending === true).map(({ name }) => name);
  assert.deepEqual(open.toSorted(), OPEN);
});

test("no call open to pending users needs a permission beyond their own vault", () => {
  const needs = new Set(
    endpoints.filter(({ endpoint }) => endpoint.whilePending === true).map(({ endpoint }) => endpoint.needs),
  );
  needs.delete("signed-in");
  assert.deepEqual(
    [...needs].toSorted(),
    ["create", "delete", "list", "read", "reveal", "update"].map((verb) => `credential.${verb}`),
  );
});

describe("a pending user", () => {
  test("is refused at every other call with account.awaiting-activation, whatever their role", async () => {
    const waiting = await aPendingPerson(app);
    for (const role of ["user", "admin"]) {
      await app.database.pool.query("update users set role = $2 where id = $1", [waiting.id, role]);
      for (const named of closed) {
        const reply = await send(named, waiting.token);
        assert.deepEqual([reply.status, codeOf(reply)], [403, "account.awaiting-activation"], named.name);
      }
    }
  });

  test("has no API token, not even one written directly into the database", async () => {
    const waiting = await aPendingPerson(app);
    await activate(app, waiting);
    const body = { name: "Script", scopes: ["read-only" as const], expires_in_days: 7 };
    const made = await app.call(createToken, { body, as: waiting.token });
    assert.equal(made.status, 201, made.text);
    await app.database.pool.query("update users set status = 'pending' where id = $1", [waiting.id]);
    for (const { endpoint } of endpoints.filter((each) => each.endpoint.method === "GET").slice(0, 200)) {
      if (endpoint.needs === "public" || endpoint.path.includes(":")) continue;
      assert.ok([401, 403].includes((await app.call(endpoint, { as: made.body.token })).status), endpoint.path);
    }
  });

  test("sees that the account is pending, and every call opens in the same session after activation", async () => {
    const waiting = await aPendingPerson(app);
    const isPending = async () => (await app.call(currentSession, { as: waiting.token })).body.is_pending;
    assert.equal(await isPending(), true);
    await activate(app, waiting);
    assert.equal(await isPending(), false);
    for (const name of ["listSafes", "readDashboardStats", "listOwnTokens"]) {
      const named = endpoints.find((each) => each.name === name)!;
      assert.equal((await send(named, waiting.token)).status, 200, name);
    }
  });

  test("stays refused after signing in again, and is not disabled but deleted", async () => {
    const waiting = await aPendingPerson(app);
    const token = await signIn(app, waiting.email);
    assert.equal(codeOf(await send(closed[0]!, token)), "account.awaiting-activation");
    const { token: as } = await firstAdmin(app);
    const params = { id: waiting.id };
    const enabling = await app.call(setUserStatus, { params, body: { status: "active" }, as });
    assert.deepEqual([enabling.status, codeOf(enabling)], [409, "user.awaiting-activation"]);
    const disabling = await app.call(setUserStatus, { params, body: { status: "disabled" }, as });
    assert.deepEqual([disabling.status, codeOf(disabling)], [409, "user.awaiting-activation"]);
    assert.equal((await app.call(currentSession, { as: token })).status, 200);
    assert.equal((await app.call(deleteUser, { params, as })).status, 200);
    assert.equal((await app.call(currentSession, { as: token })).status, 401);
  });
});
