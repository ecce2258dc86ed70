// Tests rotations after a check-in, a one-time password and the end of a grant, on a real target.
import {
  checkInAccount,
  exportEvidenceBundle,
  listAccountRotations,
  readCheckpoint,
  readRotation,
  retrieveAccount,
  retrieveAccountVersion,
  rotateAccount,
} from "@strongroom/contract";
import type { AccountId, Rotation } from "@strongroom/contract";
import { verifyExport } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { requestsOf } from "#features/access-requests/testing/requestable-account.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { onPostgresql } from "../testing/on-postgresql.ts";
import type { PostgresqlSetup } from "../testing/on-postgresql.ts";

let place: PostgresqlSetup;
let owner: TestPerson;
before(async () => {
  place = await onPostgresql();
  owner = await aPerson(place.app);
});
after(() => place.close());

/** Queues the schedule until it has started a rotation, and waits until that rotation ends. */
async function changedByItself(id: AccountId): Promise<Rotation> {
  const { database, jobs } = place.app.kernel;
  const started = await eventually(async () => {
    await database.transaction((tx) => jobs.enqueue(tx, "rotation.start-due", {}));
    const { rotations } = (await place.app.call(listAccountRotations, { params: { id }, as: owner.token })).body;
    return rotations[0] ?? null;
  });
  return place.settled(owner, started.id);
}

test("a check-in is followed by a rotation", async () => {
  const platform = { exclusive_check_out: true, rotate_after_check_in: true, rotate_automatically: false };
  const { account, role } = await place.anAccountThere(owner, { platform });
  const seen = await place.passwordOf(owner, account.id);
  const given = await place.app.call(checkInAccount, { params: { id: account.id }, as: owner.token });
  assert.equal(given.status, 200, given.text);
  const { state, because } = await changedByItself(account.id);
  assert.deepEqual([state, because], ["rotated", "check-in"]);
  assert.equal(await place.logsIn(role.username, seen), false);
});

test("a one-time password is rotated after a user retrieved it, and then stops working", async () => {
  const platform = { one_time_password: true, rotate_automatically: false };
  const { account, role } = await place.anAccountThere(owner, { platform });
  const seen = await place.passwordOf(owner, account.id);
  const { state, because } = await changedByItself(account.id);
  assert.deepEqual([state, because], ["rotated", "one-time"]);
  assert.equal(await place.logsIn(role.username, seen), false);
  // The rotation makes the account retrievable again.
  assert.notEqual(await place.passwordOf(owner, account.id), seen);
});

test("a candidate that a secret manager retrieved for a repair is rotated again once it is active", async () => {
  const { app } = place;
  const platform = { one_time_password: true, rotate_automatically: false };
  const { account } = await place.anAccountThere(owner, { platform, account: { port: 1 } });
  const params = { id: account.id };
  const { rotation_id: id } = (await app.call(rotateAccount, { params, as: owner.token })).body;
  await eventually(async () => {
    const { body } = await app.call(readRotation, { params: { id }, as: owner.token });
    return body.state === "waiting" && body.step === "stored" ? body : null;
  });
  const candidate = () =>
    app.call(retrieveAccountVersion, { params: { ...params, version: 2 }, body: {}, as: owner.token });
  const seen = await candidate();
  assert.equal(seen.status, 200, seen.text);
  assert.equal((await candidate()).body.password, seen.body.password, "a repair may need it again");
  await place.sql("update credentials set port = $2 where id = $1", account.id, place.target.port);
  await place.sql("update rotations set next_at = now() where id = $1", id);
  assert.equal((await place.settled(owner, id)).state, "rotated");
  const taken = await app.call(retrieveAccount, { params, body: {}, as: owner.token });
  assert.match(taken.text, /"account.one-time-taken"/);
  const next = await eventually(async () => {
    await app.kernel.database.transaction((tx) => app.kernel.jobs.enqueue(tx, "rotation.start-due", {}));
    const { rotations } = (await app.call(listAccountRotations, { params, as: owner.token })).body;
    return rotations[0]?.id === id ? null : rotations[0]!;
  });
  assert.deepEqual([(await place.settled(owner, next.id)).state, next.because], ["rotated", "one-time"]);
  assert.notEqual(await place.passwordOf(owner, account.id), seen.body.password);
});

test("when a grant ends, the secret retrieved under it is rotated, and the request's evidence covers the whole use", async () => {
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
