// What somebody has seen is changed afterwards: after a check-in, a one-time password, and the end of a grant, on a real system.
import { checkInAccount, exportEvidenceBundle, listAccountRotations, readCheckpoint } from "@strongroom/contract";
import type { AccountId, Rotation } from "@strongroom/contract";
import { verifyExport } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { requestsOf } from "#features/access-requests/testing/lending.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { onPostgresql } from "./testing/on-postgresql.ts";
import type { Place } from "./testing/on-postgresql.ts";

let place: Place;
let owner: TestPerson;
before(async () => {
  place = await onPostgresql();
  owner = await aPerson(place.app);
});
after(() => place.close());

/** The schedule looks until it has begun one, and that has ended. */
async function changedByItself(id: AccountId): Promise<Rotation> {
  const { database, jobs } = place.app.kernel;
  const begun = await eventually(async () => {
    await database.transaction((tx) => jobs.enqueue(tx, "rotation.start-due", {}));
    const { rotations } = (await place.app.call(listAccountRotations, { params: { id }, as: owner.token })).body;
    return rotations[0] ?? null;
  });
  return place.settled(owner, begun.id);
}

test("a password that was checked out is another one after the check-in", async () => {
  const platform = { exclusive_check_out: true, rotate_after_check_in: true, rotate_automatically: false };
  const { account, role } = await place.anAccountThere(owner, { platform });
  const seen = await place.passwordOf(owner, account.id);
  const given = await place.app.call(checkInAccount, { params: { id: account.id }, as: owner.token });
  assert.equal(given.status, 200, given.text);
  const { state, because } = await changedByItself(account.id);
  assert.deepEqual([state, because], ["rotated", "check-in"]);
  assert.equal(await place.logsIn(role.username, seen), false);
});

test("a one-time password is good for whoever took it out until it is changed", async () => {
  const platform = { one_time_password: true, rotate_automatically: false };
  const { account, role } = await place.anAccountThere(owner, { platform });
  const seen = await place.passwordOf(owner, account.id);
  const { state, because } = await changedByItself(account.id);
  assert.deepEqual([state, because], ["rotated", "one-time"]);
  assert.equal(await place.logsIn(role.username, seen), false);
  // The change opened it for the next retrieval.
  assert.notEqual(await place.passwordOf(owner, account.id), seen);
});

test("what was retrieved under a grant is changed when that ends, and the evidence of the request tells it to the end", async () => {
  const { app } = place;
  const platform = { approvals_level_1: 1, rotate_after_check_in: true, rotate_automatically: false };
  const { account, role, safe } = await place.anAccountThere(owner, { platform });
  const [asker, approver] = [await aPerson(app), await aPerson(app)];
  await aMember(app, owner, safe, asker, ["list"]);
  await aMember(app, owner, safe, approver, "approver");
  const requests = requestsOf(app);
  const asked = (await requests.ask(asker, account)).body;
  await requests.approve(approver, asked);
  const { password } = (await requests.retrieve(asker, account)).body;
  await requests.revoke(approver, asked);
  const { state, because } = await changedByItself(account.id);
  assert.deepEqual([state, because], ["rotated", "grant-ended"]);
  assert.equal(await place.logsIn(role.username, password), false);

  const { token } = await firstAdmin(app);
  await eventually(async () => ((await app.call(readCheckpoint, { as: token })).body.pending === 0 ? true : null));
  const query = { about: "access-request", id: asked.id } as const;
  const bundle = await app.call(exportEvidenceBundle, { query, as: token });
  const { verifier_key } = (await app.call(readCheckpoint, { as: token })).body;
  const lines = bundle.text.trimEnd().split("\n");
  assert.equal((await verifyExport(lines, verifier_key)).isIntact, true);
  const told = lines.flatMap((line) => (JSON.parse(line) as { entry?: { event: string } }).entry?.event ?? []);
  const expected = ["created", "approved", "revoked"].map((word) => `access-request.${word}`);
  for (const event of [...expected, "account.retrieved", "account.rotated"]) assert.ok(told.includes(event), event);
});
