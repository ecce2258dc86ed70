// Tests GET /api/v1/connectors, which returns the descriptions behind the forms.
import { connectors } from "@strongroom/connectors";
import { listConnectors } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => (app = await testApp()));
after(() => app.close());

test("every signed-in user reads the descriptions of all connectors", async () => {
  await firstAdmin(app);
  const { token } = await aPerson(app, "user");
  const { status, body } = await app.call(listConnectors, { as: token });
  assert.equal(status, 200);
  const redis = body.connectors.find(({ id }) => id === "redis");
  assert.deepEqual(redis?.protocols, [{ value: "redis", label: "Redis", port: 6379 }]);
  assert.deepEqual(redis.capabilities, { can_change: true, can_reconcile: true, can_list_accounts: true });
  assert.deepEqual(
    body.connectors.map(({ id }) => id),
    connectors.map(({ id }) => id),
  );
  assert.equal((await app.call(listConnectors)).status, 401);
});
