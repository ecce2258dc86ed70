// Tests that the sweep does not expire runs that are slow to queue or whose rotations wait long.
import { rotateSeveral } from "@strongroom/contract";
import type { PlatformId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { PoolClient } from "pg";
import { MINUTE, fixedClock } from "#features/sign-in/testing/attempts.ts";
import { anAccount, aPlatform } from "#testing/accounts.ts";
import { aPerson, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

const SYSTEM = { system_type: "postgresql", connection_method: "SQL" } as const;
/** A port without a listener. */
const NOWHERE = { ...SYSTEM, hostname: "127.0.0.1", port: 1, database_name: "postgres", schema_name: "public" };

const clock = fixedClock(new Date());
let app: TestApp;
let owner: TestPerson;
let platform_id: PlatformId;
before(async () => {
  app = await testApp({ clock });
  owner = await aPerson(app);
  platform_id = (await aPlatform(app, SYSTEM)).id;
});
after(() => app.close());

const rows = async (text: string, ...values: unknown[]) => (await app.database.pool.query(text, values)).rows;

/** Locks the account's row as a worker does. */
async function held(id: string): Promise<PoolClient> {
  const holder = await app.database.pool.connect();
  await holder.query("begin");
  await holder.query("select from credentials where id = $1 for update", [id]);
  return holder;
}

async function unblock(holder: PoolClient): Promise<void> {
  await holder.query("rollback");
  holder.release();
}

const untilSomeoneWaits = () =>
  eventually(async () => {
    const waiting = await rows(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%credentials%'",
    );
    return waiting.length === 0 ? null : true;
  });

/** Runs the sweep and waits until it has expired an abandoned run. */
async function sweep(): Promise<void> {
  const [{ id }] = (await rows(
    `insert into rotation_runs (id, user_id, total, started_at, queueing_at)
     values (gen_random_uuid(), $1, 9, $2, $2) returning id`,
    owner.id,
    new Date(clock.now().getTime() - 61 * MINUTE),
  )) as [{ id: string }];
  const { database, jobs } = app.kernel;
  await database.transaction((tx) => jobs.enqueue(tx, "rotation.start-due", {}));
  await eventually(async () =>
    (await rows("select from rotation_runs where id = $1", id)).length === 0 ? true : null,
  );
}

const runOf = async (accountId: string) => {
  const found = await rows(
    `select run.status, run.total, run.queueing_at, run.id from rotation_runs run
     join rotations on rotations.run_id = run.id where rotations.credential_id = $1`,
    accountId,
  );
  return (found as { status: string; total: number; queueing_at: Date | null; id: string }[])[0];
};

test("a run that takes more than an hour to queue continues even when all rotations queued so far have ended", async () => {
  const safe = await aSafe(app, owner);
  const account = () => anAccount(app, owner, safe, { ...NOWHERE, platform_id });
  const [first, second, third] = [await account(), await account(), await account()];
  const holder = await held(second.id);
  const asked = app.call(rotateSeveral, {
    body: { account_ids: [first.id, second.id, third.id] },
    as: owner.token,
  });
  await untilSomeoneWaits();
  const startedAt = clock.now();
  clock.advance(50 * MINUTE);
  const next = await held(third.id);
  await unblock(holder);
  const { id } = await eventually(async () => {
    const run = await runOf(second.id);
    return run !== undefined && run.queueing_at! > startedAt ? run : null;
  });
  clock.advance(20 * MINUTE);
  await rows("update rotations set is_counted = true where run_id = $1", id);
  await sweep();
  assert.equal((await runOf(first.id))?.status, "running");
  await unblock(next);
  const reply = await asked;
  assert.deepEqual([reply.status, reply.body.queued, reply.body.failed], [202, 3, []], reply.text);
});

test("a fully queued run that waits for more than an hour ends only with its last rotation", async () => {
  // The previous test advanced the clock, so the owner signs in again.
  owner = { ...owner, token: await signIn(app, owner.email) };
  const safe = await aSafe(app, owner);
  const { id } = await anAccount(app, owner, safe, { ...NOWHERE, platform_id });
  const asked = await app.call(rotateSeveral, { body: { account_ids: [id] }, as: owner.token });
  assert.equal(asked.body.queued, 1, asked.text);
  clock.advance(90 * MINUTE);
  await sweep();
  const run = await runOf(id);
  assert.deepEqual([run?.status, run?.total, run?.queueing_at], ["running", 1, null]);
});
