// Tests that a fault of this server during a verification is not shown as a fault of the target.
import { listValidationAttempts } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { INTERNAL_ERROR, VERIFY_EVERY_MS, changesAfter } from "#features/verification/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { stands, tried } from "./testing/world.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test("an internal error keeps the status of a secret and schedules the next verification", async () => {
  const owner = await aPerson(app);
  const account = await anAccount(app, owner, await aSafe(app, owner));
  await stands(app, account, "verified");
  const { rows } = await app.database.pool.query<SecretRow>("select * from credentials where id = $1", [account.id]);
  const at = new Date("2026-11-23T12:00:00.000Z");
  const message = "Strongroom could not run the check.";
  const result = { outcome: "unreachable", code: INTERNAL_ERROR, message, durationMs: 3 } as const;
  assert.deepEqual(
    changesAfter(rows[0]!, { ...result, hostKey: null, isAlarm: false, expiresAt: null }, at, VERIFY_EVERY_MS),
    { last_verification_attempt: at, verification_error: message, verify_after: new Date("2026-11-24T12:00:00.000Z") },
  );
});

test("VAL-52: an attempt with an internal error is listed and filtered as untested, not as unreachable", async () => {
  const owner = await aPerson(app);
  const account = await anAccount(app, owner, await aSafe(app, owner));
  await tried(app, account, "unreachable", 1);
  await tried(app, account, "unreachable", 2);
  await app.database.pool.query(
    "update verification_attempts set code = $2 where credential_id = $1 and started_at < now() - interval '90 minutes'",
    [account.id, INTERNAL_ERROR],
  );
  const listed = async (status?: "failed" | "unreachable" | "never_validated") => {
    const query = status === undefined ? {} : { status };
    const { body } = await app.call(listValidationAttempts, { query, as: owner.token });
    return body.attempts.map((each) => [each.status, each.error_category]);
  };
  const [unreachable, ours] = [
    ["unreachable", "network"],
    ["never_validated", "internal"],
  ];
  assert.deepEqual(await listed(), [unreachable, ours]);
  assert.deepEqual(await listed("failed"), [unreachable]);
  assert.deepEqual(await listed("unreachable"), [unreachable]);
  assert.deepEqual(await listed("never_validated"), [ours]);
});
