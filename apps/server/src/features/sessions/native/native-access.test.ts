// A native client authenticates once and starts sessions later: each start depends on what its token may do then.
import { createToken } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { sessionContextOf } from "../session-context.ts";
import { aGateway, anSshAccount } from "../testing/opening.ts";
import type { TestGateway } from "../testing/opening.ts";
import { createNativeAccess } from "./native-access.ts";

const CLIENT = { address: "192.0.2.7", agent: "test" };

describe("a connected native client", () => {
  let app: TestApp;
  let gateway: TestGateway;
  before(async () => {
    app = await testApp();
    gateway = await aGateway(app);
  });
  after(async () => {
    gateway.server.close();
    await app.close();
  });

  async function aConnection() {
    const { user, account } = await anSshAccount(app);
    const body = { name: "ssh", scopes: ["privileged-session.start" as const], expires_in_days: 1 };
    const made = await app.call(createToken, { body, as: user.token });
    assert.equal(made.status, 201, made.text);
    const access = createNativeAccess(sessionContextOf(app.kernel), gateway.id, "https://vault.example.com");
    const actor = await access.byToken(made.body.token, CLIENT);
    assert.ok(actor);
    return {
      start: () => access.start(actor, account.id, {}, CLIENT),
      change: (what: string) => app.database.pool.query(`update tokens set ${what} where user_id = $1`, [user.id]),
    };
  }

  test("starts sessions as long as its token is accepted", async () => {
    const { start } = await aConnection();
    assert.ok((await start()).ticket);
    assert.ok((await start()).ticket);
  });

  for (const [name, what, code] of [
    ["is revoked", "revoked_at = now()", "token.unknown"],
    ["is limited to another network", "networks = '{203.0.113.0/24}'", "token.network-not-allowed"],
    ["loses the scope", "scopes = '{account.list}'", "token.scope-missing"],
  ] as const) {
    test(`starts no session once its token ${name}`, async () => {
      const { start, change } = await aConnection();
      await change(what);
      await assert.rejects(start(), { code });
    });
  }
});
