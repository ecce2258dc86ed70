// Tests runs: they count each credential once, limit logins per host, can be cancelled and survive restarts.
import {
  cancelVerificationRun,
  readVerificationRun,
  runCpmVerification,
  verifyAll,
  verifyMultiple,
} from "@strongroom/contract";
import type { RunId, VerificationRun } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aCredential, asStored, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";
import { aTarget } from "../testing/held-target.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** Stores credentials without the automatic verification. */
async function stored(owner: TestPerson, port: number, count: number, on: TestApp = app): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const fields = { ...databaseAt(port), type: "application", name: `Number ${index}` } as const;
    ids.push((await aCredential(on, owner, fields)).id);
  }
  await on.database.pool.query("update credentials set type = 'postgresql' where id = any($1)", [ids]);
  return ids;
}

async function ended(owner: TestPerson, id: RunId, on: TestApp = app): Promise<VerificationRun> {
  return eventually(async () => {
    const { body } = await on.call(readVerificationRun, { params: { id }, as: owner.token });
    return body.status === "running" ? null : body;
  });
}

describe("a run", () => {
  test("API-16, OPEN-59: verify-all verifies and counts everything the caller may verify, and reports its progress", async (context) => {
    const [owner, other] = [await aPerson(app), await aPerson(app)];
    const target = await aTarget(context);
    const ids = await stored(owner, target.port, 7);
    const [foreign] = await stored(other, target.port, 1);
    const nothingTries = await aCredential(app, owner, { type: "api" });
    const events = await liveEvents(app, owner);
    const started = await app.call(verifyAll, { as: owner.token });
    assert.equal(started.status, 202, started.text);
    assert.equal(started.body.queued, 8);
    const run = await ended(owner, started.body.run_id);
    assert.deepEqual([run.status, run.total, run.done, run.verified, run.failed], ["completed", 8, 8, 0, 7]);
    assert.notEqual(run.completed_at, null);
    for (const id of ids) assert.equal((await asStored(app, owner, id as never)).verification_status, "unreachable");
    assert.equal((await asStored(app, owner, nothingTries.id)).last_verification_attempt, null);
    assert.equal((await asStored(app, other, foreign as never)).last_verification_attempt, null);
    const { rows } = await app.database.pool.query(
      "select trigger, triggered_by from verification_attempts where run_id = $1",
      [run.id],
    );
    assert.equal(rows.length, 7);
    assert.ok(rows.every((row) => row.trigger === "bulk"));
    const last = await events.next(
      (event) => event.type === "verification.run-progressed" && event.data["is_completed"] === true,
    );
    assert.deepEqual(last.data, { run_id: run.id, total: 8, done: 8, is_completed: true });
    events.close();
  });

  test("OPEN-59: twenty simultaneous verify-all requests return the same run", async (context) => {
    const owner = await aPerson(app);
    const target = await aTarget(context);
    await stored(owner, target.port, 3);
    target.hold();
    const ask = (index: number) => app.call(index % 2 === 0 ? verifyAll : runCpmVerification, { as: owner.token });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)));
    assert.deepEqual([...new Set(replies.map(({ status, body }) => `${status} ${body.queued}`))], ["202 3"]);
    const ids = new Set(replies.map(({ body }) => body.run_id));
    assert.equal(ids.size, 1);
    target.unblock();
    const [id] = ids;
    assert.deepEqual((await ended(owner, id!)).done, 3);
    const { rows } = await app.database.pool.query("select from verification_runs where user_id = $1", [owner.id]);
    assert.equal(rows.length, 1);
    const next = await app.call(verifyAll, { as: owner.token });
    assert.notEqual(next.body.run_id, id, "when it has ended, the next one is another");
    await ended(owner, next.body.run_id);
  });

  test("OPEN-59: POST /cpm/verify starts the same run", async (context) => {
    const owner = await aPerson(app);
    const target = await aTarget(context);
    await stored(owner, target.port, 2);
    const started = await app.call(runCpmVerification, { as: owner.token });
    assert.equal(started.status, 202, started.text);
    assert.equal((await ended(owner, started.body.run_id)).done, 2);
  });

  test("is completed immediately when there are no credentials", async () => {
    const owner = await aPerson(app);
    const started = await app.call(verifyAll, { as: owner.token });
    assert.equal(started.body.queued, 0);
    assert.equal(
      (await app.call(readVerificationRun, { params: { id: started.body.run_id }, as: owner.token })).body.status,
      "completed",
    );
  });

  test("API-15: verify-multiple verifies only the selected credentials", async (context) => {
    const owner = await aPerson(app);
    const target = await aTarget(context);
    const [first, second, third] = await stored(owner, target.port, 3);
    const body = { credential_ids: [first, third, first] as never[] };
    const started = await app.call(verifyMultiple, { body, as: owner.token });
    assert.equal(started.body.queued, 2, started.text);
    await ended(owner, started.body.run_id);
    assert.equal((await asStored(app, owner, second as never)).last_verification_attempt, null);
    assert.notEqual((await asStored(app, owner, third as never)).last_verification_attempt, null);
  });

  test("is refused as a whole if it contains another user's credential, as if that credential did not exist", async (context) => {
    const [owner, other] = [await aPerson(app), await aPerson(app, "admin")];
    const target = await aTarget(context);
    const [own] = await stored(other, target.port, 1);
    const [foreign] = await stored(owner, target.port, 1);
    const ask = (id: string | undefined) =>
      app.call(verifyMultiple, { body: { credential_ids: [own, id] as never[] }, as: other.token });
    const [refused, missing] = [await ask(foreign), await ask(crypto.randomUUID())];
    assert.equal(refused.status, 404);
    assert.deepEqual({ ...refused.body, request_id: 0 }, { ...missing.body, request_id: 0 });
    assert.equal(target.connections(), 0);
  });

  test("cannot be read or cancelled by another user, who gets a 404", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app, "admin")];
    const { body } = await app.call(verifyAll, { as: owner.token });
    for (const endpoint of [readVerificationRun, cancelVerificationRun] as const) {
      const reply = await app.call(endpoint as typeof readVerificationRun, {
        params: { id: body.run_id },
        as: other.token,
      });
      assert.equal(reply.status, 404, reply.text);
    }
  });

  test("sends no more than two logins to one host at a time", async (context) => {
    const owner = await aPerson(app);
    const target = await aTarget(context);
    await stored(owner, target.port, 6);
    target.hold();
    const runs = [await app.call(verifyAll, { as: owner.token }), await app.call(verifyAll, { as: owner.token })];
    await eventually(async () => (target.open() === 2 ? true : null));
    // Once all but two of the run's jobs have ended or wait, every worker has looked for another item.
    await eventually(async () => {
      const { rows } = await app.database.pool.query(
        "select count(*) as busy from jobs.job where name = 'verification.run' and state = 'active'",
      );
      return Number(rows[0].busy) <= 2 ? true : null;
    });
    assert.equal(target.open(), 2);
    target.unblock();
    for (const run of runs) assert.equal((await ended(owner, run.body.run_id)).done, 6);
    assert.equal(target.most(), 2);
  });

  test("can be cancelled: running logins end, and no others start", async (context) => {
    const owner = await aPerson(app);
    const target = await aTarget(context);
    await stored(owner, target.port, 6);
    target.hold();
    const started = await app.call(verifyAll, { as: owner.token });
    await eventually(async () => (target.open() === 2 ? true : null));
    const params = { id: started.body.run_id };
    const cancelled = await app.call(cancelVerificationRun, { params, as: owner.token });
    assert.equal(cancelled.body.status, "cancelled", cancelled.text);
    target.unblock();
    const run = await eventually(async () => {
      const { body } = await app.call(readVerificationRun, { params, as: owner.token });
      return body.done === 2 ? body : null;
    });
    assert.equal(run.status, "cancelled");
    assert.equal(target.connections(), 2);
    const again = await app.call(cancelVerificationRun, { params, as: owner.token });
    assert.equal(again.status, 409);
  });

  test("obeys the lockout budget: a rejected credential counts as failed and is not verified", async (context) => {
    const owner = await aPerson(app);
    const target = await aTarget(context);
    const [id] = await stored(owner, target.port, 1);
    await app.database.pool.query(
      "update credentials set rejected_revision = login_revision, verification_status = 'rejected' where id = $1",
      [id],
    );
    const all = await app.call(verifyAll, { as: owner.token });
    const run = await ended(owner, all.body.run_id);
    assert.deepEqual([run.done, run.failed], [1, 1]);
    assert.equal(target.connections(), 0);
    const picked = await app.call(verifyMultiple, { body: { credential_ids: [id] as never[] }, as: owner.token });
    await ended(owner, picked.body.run_id);
    assert.equal(target.connections(), 1);
  });
});

test("a run continues in another process when its own process stops, and counts each credential once", async (context) => {
  const first = await testApp();
  const owner = await aPerson(first);
  const target = await aTarget(context);
  await stored(owner, target.port, 5, first);
  target.hold();
  const started = await first.call(verifyAll, { as: owner.token });
  await eventually(async () => (target.open() === 2 ? true : null));
  const left = await first.stopOnly();
  target.unblock();
  await left.database.database.pool.query(
    "update verification_run_items set claimed_until = now() where claimed_until is not null",
  );
  const second = await testApp({ database: left.database, dataFolder: left.dataFolder });
  const run = await ended(owner, started.body.run_id, second);
  assert.deepEqual([run.status, run.total, run.done, run.failed], ["completed", 5, 5, 5]);
  await second.close();
});
