import { ATTEMPT_SORT_FIELDS, listValidationAttempts } from "@strongroom/contract";
import type { AttemptSort, AttemptSortField, ValidationAttempt } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { addFillers, tried } from "../testing/world.ts";

let app: TestApp;
let owner: TestPerson;
let firstId: string;
before(async () => {
  app = await testApp();
  owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const names = ["beta", "Alpha", "gamma"];
  const accounts = [];
  for (const name of names) accounts.push(await anAccount(app, owner, safe, { name, hostname: `${name}.example.com` }));
  const [beta, alpha, gamma] = accounts;
  firstId = beta!.id;
  await tried(app, beta!, "verified", 4);
  await tried(app, alpha!, "rejected", 3);
  await tried(app, gamma!, "unreachable", 2);
  await tried(app, alpha!, "verified", 1);
  // The durations differ in their number of digits; the last attempt is still in progress.
  for (const [outcome, duration] of [
    ["verified", 90],
    ["rejected", 1200],
    ["unreachable", 7],
  ])
    await app.database.pool.query(
      "update verification_attempts set duration_ms = $3 where credential_id = any($1) and outcome = $2",
      [accounts.map(({ id }) => id), outcome, duration],
    );
  await app.database.pool.query(
    `update verification_attempts set finished_at = null, outcome = null, duration_ms = null
     where credential_id = $1 and outcome = 'verified'`,
    [alpha!.id],
  );
});
after(() => app.close());

async function sortedBy(sort: AttemptSort | undefined): Promise<ValidationAttempt[]> {
  const rows: ValidationAttempt[] = [];
  let cursor: string | undefined;
  do {
    const reply = await app.call(listValidationAttempts, { query: { sort, limit: 2, cursor }, as: owner.token });
    assert.equal(reply.status, 200, reply.text);
    rows.push(...reply.body.attempts);
    cursor = reply.body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

const EXPECTED: Record<AttemptSortField, (string | number | null)[]> = {
  name: ["Alpha", "Alpha", "beta", "gamma"],
  result: ["pending", "rejected", "unreachable", "verified"],
  started: ["beta", "Alpha", "gamma", "Alpha"],
  duration: [null, 7, 90, 1200],
};
const SHOWN: Record<AttemptSortField, (attempt: ValidationAttempt) => string | number | null> = {
  name: ({ account_name }) => account_name,
  result: ({ status }) => status,
  started: ({ account_name }) => account_name,
  duration: ({ duration_ms }) => duration_ms,
};

async function assertOrders(): Promise<void> {
  for (const field of ATTEMPT_SORT_FIELDS) {
    const ascending = await sortedBy(field);
    assert.deepEqual(ascending.map(SHOWN[field]), EXPECTED[field], field);
    assert.deepEqual(await sortedBy(`-${field}`), ascending.toReversed(), `-${field}`);
  }
  assert.deepEqual(await sortedBy(undefined), await sortedBy("-started"));
}

test("attempts are sorted by each field in both directions over pages, with few accounts and with many", async () => {
  await assertOrders();
  const removeFillers = await addFillers(app, { id: firstId });
  await assertOrders();
  await removeFillers();
});

test("the list of attempts rejects unknown fields and cursors of another order", async () => {
  const unknown = await app.call(listValidationAttempts, { query: { sort: "message" as never }, as: owner.token });
  assert.equal(unknown.status, 400);
  const page = await app.call(listValidationAttempts, { query: { sort: "name", limit: 1 }, as: owner.token });
  const query = { sort: "started" as const, cursor: page.body.next_cursor! };
  assert.equal((await app.call(listValidationAttempts, { query, as: owner.token })).status, 400);
});
