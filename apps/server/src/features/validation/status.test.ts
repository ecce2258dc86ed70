// Tests the status, history and failures endpoints of the discovery area's validation screen.
import { listValidationFailures, validationHistory, validationStatus } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aWorld, tried } from "./testing/world.ts";
import type { World } from "./testing/world.ts";

let app: TestApp;
let world: World;
before(async () => {
  app = await testApp();
  world = await aWorld(app);
});
after(() => app.close());

describe("API-95, VAL-51, VAL-72: the validation screen of the discovery area", () => {
  const status = async ({ token }: TestPerson) => (await app.call(validationStatus, { as: token })).body;

  test("the status shows running attempts on secrets that the caller can see, and ignores abandoned attempts", async () => {
    const { owner, outsider, works, refused } = world;
    const { rows } = await app.database.pool.query<{ last: Date; next: Date | null }>(
      "select max(last_verification_attempt) as last, min(verify_after) as next from credentials where safe_id = $1",
      [world.safe.id],
    );
    const at = (moment: Date | null | undefined) => moment?.toISOString() ?? null;
    const idle = {
      status: "idle",
      under_way: 0,
      last_attempt_at: at(rows[0]?.last),
      next_attempt_at: at(rows[0]?.next),
    };
    assert.deepEqual(await status(owner), idle);
    const begin = (id: string, lease: string) =>
      app.database.pool.query(
        `insert into verification_attempts (id, credential_id, revision, trigger, triggered_by, credential_name, type, method,
           started_at, lease_until)
         select gen_random_uuid(), id, login_revision, 'scheduled', 'Strongroom', name, type, 'linux', now(), now() + $2::interval
         from credentials where id = $1`,
        [id, lease],
      );
    await begin(works.id, "1 minute");
    await begin(refused.id, "-1 minute");
    assert.deepEqual(await status(owner), { ...idle, status: "running", under_way: 1 });
    const nothing = { status: "idle", under_way: 0, last_attempt_at: null, next_attempt_at: null };
    assert.deepEqual(await status(outsider), nothing);
    await app.database.pool.query("delete from verification_attempts where finished_at is null");
    const due = new Date("2100-01-01T00:00:00.000Z");
    await app.database.pool.query("update credentials set verify_after = $2 where id = $1", [works.id, due]);
    const { next_attempt_at } = await status(owner);
    assert.equal(next_attempt_at, at(rows[0]?.next) ?? due.toISOString());
  });

  test("history and failures show the name, host, user and result, for 50 attempts by default", async () => {
    const { owner, refused } = world;
    for (let hour = 0; hour < 50; hour += 1) await tried(app, refused, "rejected", 700);
    const history = await app.call(validationHistory, { as: owner.token });
    assert.equal(history.body.data.length, 50);
    const attempt = history.body.data.find(({ account_id }) => account_id === refused.id);
    const { account_name, hostname, username, system_type, status: went } = attempt!;
    assert.deepEqual(
      [account_name, hostname, username, system_type, went],
      [refused.name, "refused.example.com", "service", "Linux", "rejected"],
    );
    await app.database.pool.query("delete from verification_attempts where started_at < now() - interval '699 hours'");
    const { failures: high, total } = (
      await app.call(listValidationFailures, { query: { severity: "high" }, as: owner.token })
    ).body;
    assert.equal(total, 1);
    const { account_id, account_name: name, hostname: host, system_type: system, severity } = high[0]!;
    assert.deepEqual(
      [account_id, name, host, system, severity],
      [refused.id, refused.name, "refused.example.com", "Linux", "high"],
    );
  });

  test("VAL-64: an internal error is logged with its request id, and its cause is not returned", async () => {
    const { owner } = world;
    const lines = app.logLines.length;
    await app.database.pool.query("alter table verification_attempts rename to verification_attempts_away");
    const reply = await app.call(validationHistory, { as: owner.token });
    await app.database.pool.query("alter table verification_attempts_away rename to verification_attempts");
    assert.equal(reply.status, 500);
    assert.ok(!reply.text.includes("verification_attempts"), reply.text);
    const { request_id: id } = JSON.parse(reply.text) as { request_id: string };
    const logged = app.logLines.slice(lines).filter((line) => line.includes(id));
    assert.ok(
      logged.some((line) => line.includes("verification_attempts")),
      logged.join(""),
    );
  });
});
