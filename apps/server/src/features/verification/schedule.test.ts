// Tests that the schedule verifies due credentials, skips others and ends abandoned attempts.
import { readCredentialHistory } from "@strongroom/contract";
import { startHostile } from "@strongroom/connectors/testing";
import type { HostileServer } from "@strongroom/connectors/testing";
import { sql } from "kysely";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aCredential, asStored, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { createVerificationContext } from "./context.ts";
import { runSchedule } from "./verification.jobs.ts";

let app: TestApp;
let target: HostileServer;
before(async () => {
  app = await testApp();
  target = await startHostile("closes");
});
after(async () => {
  await app.close();
  await target.stop();
});

const noAccounts = {
  factsOf: async () => null,
  isPasswordUnknown: async () => false,
  audiencesOf: async () => new Map(),
  verifiableBy: () => sql`(select null::uuid where false)`,
};
const keep = () => runSchedule(createVerificationContext(app.kernel, noAccounts));

/** Stores a credential without the automatic verification; it is due when `dueIn` is negative. */
async function stored(owner: TestPerson, dueIn: string, changes = "", type = "postgresql") {
  const fields = { ...databaseAt(target.port), type: "application" } as const;
  const credential = await aCredential(app, owner, fields);
  await app.database.pool.query(
    `update credentials set type = $3, verify_after = now() + $2::interval ${changes} where id = $1`,
    [credential.id, dueIn, type],
  );
  return credential;
}

const scheduled = async (id: string) =>
  (
    await app.database.pool.query(
      "select outcome from verification_attempts where credential_id = $1 and trigger = 'scheduled'",
      [id],
    )
  ).rows;

test("a due credential is verified once across all processes, and is due again a day later", async () => {
  const owner = await aPerson(app);
  const [due, later] = [await stored(owner, "-1 minute"), await stored(owner, "1 hour")];
  await Promise.all([keep(), keep()]);
  const tried = await eventually(async () => {
    const now = await asStored(app, owner, due.id);
    return now.last_verification_attempt === null ? null : now;
  });
  assert.equal(tried.verification_status, "unreachable");
  assert.equal((await scheduled(due.id)).length, 1);
  assert.equal((await asStored(app, owner, later.id)).last_verification_attempt, null);
  const { rows } = await app.database.pool.query(
    "select verify_after - last_verification_attempt = interval '1 day' as is_tomorrow from credentials where id = $1",
    [due.id],
  );
  assert.equal(rows[0].is_tomorrow, true);
});

test("a rejected credential is skipped, and a credential that cannot be verified is not scheduled again", async () => {
  const owner = await aPerson(app);
  const refused = await stored(owner, "-1 minute", ", rejected_revision = login_revision");
  const unsupported = await stored(owner, "-1 minute", "", "api");
  await keep();
  await eventually(async () => {
    const { rows } = await app.database.pool.query("select status from verification_runs where user_id = $1", [
      owner.id,
    ]);
    // There are two runs if the server's own schedule ran in between.
    return rows.length > 0 && rows.every(({ status }) => status === "completed") ? true : null;
  });
  assert.deepEqual([await scheduled(refused.id), await scheduled(unsupported.id)], [[], []]);
  assert.equal((await asStored(app, owner, unsupported.id)).verification_status, "untested");
});

test("the schedule ends and audits an abandoned attempt and keeps the verification status", async () => {
  const owner = await aPerson(app);
  const credential = await stored(owner, "1 hour", ", verification_status = 'verified', verified_at = now()");
  await app.database.pool.query(
    `insert into verification_attempts (id, credential_id, user_id, revision, trigger, triggered_by, credential_name, type, method, started_at, lease_until)
     select gen_random_uuid(), id, user_id, login_revision, 'bulk', 'x', name, type, 'postgresql', now() - interval '1 minute', now() - interval '1 second'
     from credentials where id = $1`,
    [credential.id],
  );
  await keep();
  const { rows } = await app.database.pool.query(
    "select code, finished_at is not null as is_ended from verification_attempts where credential_id = $1",
    [credential.id],
  );
  assert.deepEqual(rows, [{ code: "interrupted", is_ended: true }]);
  const after = await asStored(app, owner, credential.id);
  assert.equal(after.verification_status, "verified");
  const history = await app.call(readCredentialHistory, { params: { id: credential.id }, as: owner.token });
  assert.deepEqual(
    [history.body.history[0]?.event, history.body.history[0]?.result],
    ["credential.verified", "warning"],
  );
});

test("attempts and runs are kept for 90 days", async () => {
  const owner = await aPerson(app);
  const credential = await stored(owner, "1 hour");
  const insert = async (age: string) => {
    const run = crypto.randomUUID();
    await app.database.pool.query(
      "insert into verification_runs (id, user_id, scope, status, total, requested_by, started_at, completed_at) values ($1, $2, 'all', 'completed', 1, 'null', now() - $3::interval, now() - $3::interval)",
      [run, owner.id, age],
    );
    await app.database.pool.query(
      `insert into verification_attempts (id, credential_id, user_id, revision, trigger, run_id, triggered_by, credential_name, type, method, started_at, lease_until, finished_at, outcome)
       select gen_random_uuid(), id, user_id, 1, 'bulk', $2, 'x', name, type, 'postgresql', now() - $3::interval, now(), now() - $3::interval, 'verified' from credentials where id = $1`,
      [credential.id, run, age],
    );
    return run;
  };
  const [recent] = [await insert("89 days"), await insert("91 days")];
  await keep();
  const { rows } = await app.database.pool.query("select id from verification_runs where user_id = $1", [owner.id]);
  assert.deepEqual(rows, [{ id: recent }]);
  const attempts = await app.database.pool.query("select run_id from verification_attempts where user_id = $1", [
    owner.id,
  ]);
  assert.deepEqual(attempts.rows, [{ run_id: recent }]);
});
