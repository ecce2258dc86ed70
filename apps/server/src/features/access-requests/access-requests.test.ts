// Asking for access, deciding on it, having it for a while, and losing it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aLending, requestsOf } from "./testing/lending.ts";

let app: TestApp;
let admin: TestPerson;
let requests: ReturnType<typeof requestsOf>;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
  requests = requestsOf(app);
});
after(() => app.close());

const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;

describe("a request for an account", () => {
  test("JIT-22: is approved by somebody else, and then lends the secret for the time that was asked for", async () => {
    const { account, asker, approvers } = await aLending(app);
    assert.equal((await requests.retrieve(asker, account)).status, 403);
    const asked = await requests.ask(asker, account, { durationMinutes: 30, ticket: "INC-7" });
    assert.equal(asked.status, 201, asked.text);
    assert.equal(asked.body.status, "pending");
    assert.deepEqual(asked.body.can, ["revoke"]);
    const approved = await requests.approve(approvers[0]!, asked.body, "Go ahead");
    assert.equal(approved.status, 200, approved.text);
    assert.equal(approved.body.status, "active");
    assert.equal(Date.parse(approved.body.expires_at!) - Date.parse(approved.body.starts_at!), 30 * 60_000);
    const retrieved = await requests.retrieve(asker, account);
    assert.equal(retrieved.status, 200, retrieved.text);
    assert.equal(retrieved.body.password, account.password);
    const back = await requests.revoke(asker, asked.body);
    assert.equal(back.status, 200, back.text);
    assert.equal(back.body.status, "revoked");
    assert.equal((await requests.retrieve(asker, account)).status, 403);
    assert.equal(codeOf(await requests.approve(admin, asked.body)), "access-request.wrong-state");
  });
});
