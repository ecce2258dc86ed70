// Tests the CPM dashboard and validation endpoints with real attempts.
import {
  listAttention,
  readCpmStatus,
  validationHistory,
  validationStatistics,
  verifyCredential,
} from "@strongroom/contract";
import { startHostile } from "@strongroom/connectors/testing";
import type { HostileServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aCredential, databaseAt } from "#testing/credentials.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { healthOf } from "./cpm.policy.ts";

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

/**
 * Creates a credential that fails verification, one that cannot be verified, one that was never verified, and another
 * user's failing credential.
 */
async function aMixedVault(): Promise<TestPerson> {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  for (const [person, fields] of [
    [owner, { ...databaseAt(target.port), name: "Broken" }],
    [other, { ...databaseAt(target.port), name: "Foreign" }],
    [owner, { type: "application", name: "Untried" }],
  ] as const) {
    const { id } = await aCredential(app, person, fields);
    const reply = await app.call(verifyCredential, { params: { id }, as: person.token });
    assert.equal(reply.status, 200, reply.text);
  }
  await aCredential(app, owner, { name: "Never" });
  return owner;
}

describe("API-18, CPM-09: the status", () => {
  test("counts only what the caller may see", async () => {
    const owner = await aMixedVault();
    const { body } = await app.call(readCpmStatus, { as: owner.token });
    const { lastVerificationRun: _last, nextScheduledRun: _next, systemUptime: _uptime, ...counts } = body;
    assert.deepEqual(counts, {
      verifiedCredentials: 0,
      totalCredentials: 3,
      failedCredentials: 1,
      rejectedCredentials: 0,
      unreachableCredentials: 1,
      misconfiguredCredentials: 0,
      pendingCredentials: 0,
      untestedCredentials: 2,
      activeJobs: 0,
      status: "warning",
    });
    assert.equal(body.lastVerificationRun, null);
    assert.ok(body.nextScheduledRun !== null && body.nextScheduledRun > new Date().toISOString());
    assert.ok(body.systemUptime >= 0);
  });

  test("is healthy for an empty vault, without a scheduled run", async () => {
    const { body } = await app.call(readCpmStatus, { as: (await aPerson(app)).token });
    assert.deepEqual([body.status, body.totalCredentials, body.nextScheduledRun], ["healthy", 0, null]);
  });

  test("CPM-10: is `healthy` without failures, `warning` if some secrets fail, and `failed` if most fail or there is an alarm", () => {
    assert.equal(healthOf({ total: 10, failed: 0 }, false), "healthy");
    assert.equal(healthOf({ total: 10, failed: 5 }, false), "warning");
    assert.equal(healthOf({ total: 10, failed: 6 }, false), "failed");
    assert.equal(healthOf({ total: 10, failed: 1 }, true), "failed");
  });
});

test("API-19, CPM-11: attention lists failures with their reason and time, the most severe first", async () => {
  const owner = await aMixedVault();
  const second = await aCredential(app, owner, { name: "Refused" });
  await app.database.pool.query(
    "update credentials set verification_status = 'rejected', verification_error = 'No.', rejected_revision = login_revision, last_verification_attempt = now() where id = $1",
    [second.id],
  );
  const { body } = await app.call(listAttention, { as: owner.token });
  assert.deepEqual(
    body.credentials.map((each) => [each.name, each.severity, each.status]),
    [
      ["Refused", "high", "rejected"],
      ["Broken", "medium", "unreachable"],
    ],
  );
  assert.ok(body.credentials.every((each) => each.reason.length > 2 && each.lastAttempt !== null));
});

test("attention lists failures in visible safes and rotations that are waiting for a decision, each once", async () => {
  const [owner, outsider] = [await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  const [failing, waiting] = [
    await anAccount(app, owner, safe, { name: "Failing" }),
    await anAccount(app, owner, safe, { name: "Waiting" }),
  ];
  await app.database.pool.query(
    `update credentials set verification_status = 'unreachable', verification_error = 'No answer.', last_verification_attempt = now()
     where id = any($1)`,
    [[failing.id, waiting.id]],
  );
  await app.database.pool.query(
    `insert into rotations (id, credential_id, credential_name, because, step, journal, needs_attention, message, started_at)
     values (gen_random_uuid(), $1, 'Waiting', 'asked', 'doubtful', '{}', true, 'Both passwords were refused.', now())`,
    [waiting.id],
  );
  const { body } = await app.call(listAttention, { as: owner.token });
  assert.deepEqual(
    body.credentials.map(({ name, is_account, severity, reason }) => [name, is_account, severity, reason]),
    [
      ["Waiting", true, "high", "Both passwords were refused."],
      ["Failing", true, "medium", "No answer."],
    ],
  );
  assert.equal(body.total, 2);
  assert.deepEqual((await app.call(listAttention, { as: outsider.token })).body, { credentials: [], total: 0 });
  const status = await app.call(readCpmStatus, { as: owner.token });
  assert.deepEqual([status.body.totalCredentials, status.body.failedCredentials, status.body.status], [2, 2, "failed"]);
});

describe("DASH-13, DASH-14: the validation figures", () => {
  test("distinguish verified, pending, failed and untested, and rate the attempts of the last day", async () => {
    const owner = await aMixedVault();
    const { body } = await app.call(validationStatistics, { as: owner.token });
    const { average_validation_time, ...counts } = body;
    const attempts = body.last_24h_attempts;
    assert.ok(attempts === 1 || attempts === 2, "the first verification may be shared with the one that was asked for");
    assert.deepEqual(counts, {
      total_accounts: 3,
      verified: 0,
      pending: 0,
      failed: 1,
      rejected: 0,
      unreachable: 1,
      misconfigured: 0,
      never_validated: 2,
      success_rate: 0,
      last_24h_attempts: attempts,
      last_24h_successes: 0,
      last_24h_failures: attempts,
    });
    assert.ok(average_validation_time >= 0);
  });

  test("list recent attempts on the caller's own credentials only, newest first", async () => {
    const owner = await aMixedVault();
    const { body } = await app.call(validationHistory, { query: { limit: 50 }, as: owner.token });
    assert.deepEqual([...new Set(body.data.map((each) => each.account_name))], ["Untried", "Broken"]);
    const times = body.data.map((each) => each.started_at);
    assert.deepEqual(times, times.toSorted().toReversed());
    const one = await app.call(validationHistory, { query: { limit: 1 }, as: owner.token });
    assert.equal(one.body.data.length, 1);
  });
});
