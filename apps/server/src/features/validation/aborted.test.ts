// An attempt that Strongroom did not finish is shown as aborted and counts in no figure of its target.
import {
  accountValidationHistory,
  listValidationAttempts,
  listValidationFailures,
  readValidationDashboard,
  readVerificationRun,
  validateAccount,
  verifyCredential,
  verifyMultiple,
} from "@strongroom/contract";
import type { AttemptStatusFilter } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { stands, tried } from "./testing/world.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** While `work` runs, the server cannot read any stored secret, so every verification fails with an internal error. */
async function withoutSecrets<T>(work: () => Promise<T>): Promise<T> {
  await app.database.pool.query("alter table secret_versions rename column envelope to unreadable");
  try {
    return await work();
  } finally {
    await app.database.pool.query("alter table secret_versions rename column unreadable to envelope");
  }
}

const INTERNAL = "Strongroom could not run the check because of an internal error. The status is unchanged.";

/** Changes the type directly: a created PostgreSQL secret would be verified immediately. */
async function makeVerifiable(id: string): Promise<void> {
  const change = "update credentials set type = 'postgresql', host = '127.0.0.1', port = 1 where id = $1";
  await app.database.pool.query(change, [id]);
}

async function rejectedAccount(): Promise<{ owner: TestPerson; id: Awaited<ReturnType<typeof anAccount>>["id"] }> {
  const owner = await aPerson(app);
  const account = await anAccount(app, owner, await aSafe(app, owner));
  await makeVerifiable(account.id);
  await stands(app, account, "rejected");
  return { owner, id: account.id };
}

describe("an internal error during a validation", () => {
  test("the reply reports the attempt as aborted, and the account keeps its status and its reason", async () => {
    const { owner, id } = await rejectedAccount();
    const read = async () =>
      (
        await app.database.pool.query("select verification_status, verification_error from credentials where id = $1", [
          id,
        ])
      ).rows[0];
    const earlier = await read();
    const { body } = await withoutSecrets(() => app.call(validateAccount, { params: { id }, as: owner.token }));
    assert.deepEqual(
      [body.success, body.outcome, body.validation_status, body.validation_message],
      [false, "aborted", "invalid", INTERNAL],
    );
    assert.deepEqual(await read(), earlier);
  });

  test("the reply to a credential's owner reports the attempt as aborted", async () => {
    const owner = await aPerson(app);
    const { id } = await aCredential(app, owner);
    await makeVerifiable(id);
    const { body } = await withoutSecrets(() => app.call(verifyCredential, { params: { id }, as: owner.token }));
    assert.deepEqual([body.success, body.data.outcome, body.data.code], [false, "aborted", "internal-error"]);
  });

  test("ACC-86, VAL-52: the account's history, the list of attempts and its filters show the attempt as aborted", async () => {
    const { owner, id } = await rejectedAccount();
    await withoutSecrets(() => app.call(validateAccount, { params: { id }, as: owner.token }));
    const { body } = await app.call(accountValidationHistory, { params: { id }, as: owner.token });
    const shown = body.history.map((each) => [each.validation_status, each.outcome]);
    assert.deepEqual(shown, [
      ["aborted", "aborted"],
      ["failed", "rejected"],
    ]);
    const listed = async (status?: AttemptStatusFilter) => {
      const query = status === undefined ? {} : { status };
      const reply = await app.call(listValidationAttempts, { query, as: owner.token });
      return reply.body.attempts.map((each) => [each.status, each.error_category]);
    };
    const [theirs, ours] = [
      ["rejected", "authentication"],
      ["aborted", "internal"],
    ];
    assert.deepEqual(await listed(), [ours, theirs]);
    assert.deepEqual(await listed("failed"), [theirs]);
    for (const status of ["unreachable", "misconfigured", "never_validated"] as const)
      assert.deepEqual(await listed(status), []);
    assert.deepEqual(await listed("aborted"), [ours]);
  });

  test("counts in no figure, and a failure keeps its category and its count", async () => {
    const { owner, id } = await rejectedAccount();
    await tried(app, { id }, "rejected", 1);
    const figures = async () => {
      const { body } = await app.call(readValidationDashboard, { query: { range: "24h" }, as: owner.token });
      const { body: failing } = await app.call(listValidationFailures, { as: owner.token });
      return {
        statistics: body.validation_statistics,
        statuses: body.status_distribution,
        failures: failing.failures.map((failure) => ({ ...failure, last_failed_at: null })),
      };
    };
    const earlier = await figures();
    await withoutSecrets(() => app.call(validateAccount, { params: { id }, as: owner.token }));
    assert.deepEqual(await figures(), earlier);
  });
});

test("an internal error in a run does not count as failed", async () => {
  const owner = await aPerson(app);
  const { id } = await aCredential(app, owner);
  await makeVerifiable(id);
  const run = await withoutSecrets(async () => {
    const started = await app.call(verifyMultiple, { body: { credential_ids: [id] }, as: owner.token });
    return await eventually(async () => {
      const params = { id: started.body.run_id };
      const { body } = await app.call(readVerificationRun, { params, as: owner.token });
      return body.status === "running" ? null : body;
    });
  });
  assert.deepEqual([run.status, run.done, run.verified, run.failed], ["completed", 1, 0, 0]);
});

test("an attempt whose server died is aborted", async () => {
  const { owner, id } = await rejectedAccount();
  await app.database.pool.query(
    `insert into verification_attempts (id, credential_id, user_id, revision, trigger, triggered_by, credential_name, type, method, started_at, lease_until)
     select gen_random_uuid(), id, user_id, login_revision, 'manual', 'x', name, type, 'linux', now() - interval '1 minute', now() - interval '1 second'
     from credentials where id = $1`,
    [id],
  );
  await app.call(validateAccount, { params: { id }, as: owner.token });
  const { body } = await app.call(accountValidationHistory, { params: { id }, as: owner.token });
  assert.ok(
    body.history.some(({ outcome, error_message: text }) => outcome === "aborted" && text?.includes("stopped")),
  );
});
