// Tests rotations of an account whose active version was tampered with in the database.
import {
  AccountEdit,
  listAccountRotations,
  readRotation,
  retrieveAccountVersion,
  rotateAccount,
  updateAccount,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { eventually } from "#testing/waiting.ts";
import { DATABASE, onPostgresql } from "./testing/on-postgresql.ts";
import type { PostgresqlSetup } from "./testing/on-postgresql.ts";

let place: PostgresqlSetup;
let owner: TestPerson;
before(async () => {
  place = await onPostgresql();
  owner = await aPerson(place.app);
});
after(() => place.close());

test("a rotation whose process died after the change ends with the verified secret even if the row was changed", async () => {
  const { account, role } = await place.anAccountThere(owner, { account: { port: 1 } });
  const asked = await place.app.call(rotateAccount, { params: { id: account.id }, as: owner.token });
  const params = { id: asked.body.rotation_id };
  await eventually(async () => {
    const { body } = await place.app.call(readRotation, { params, as: owner.token });
    return body.state === "waiting" && body.step === "stored" ? body : null;
  });
  await place.sql("update rotations set next_at = null where id = $1", params.id);
  // Simulates a change that reached the target before the process could record it. The row is then set to the
  // candidate.
  await place.sql(
    "update credentials set port = $2, secret_version = 2, active_count = 9 where id = $1",
    account.id,
    place.target.port,
  );
  const version = { params: { id: account.id, version: 2 }, body: {}, as: owner.token };
  const candidate = (await place.app.call(retrieveAccountVersion, version)).body.password;
  await place.setPassword(role.username, candidate);
  await place.dieAfterSending(params.id);
  assert.equal((await place.settled(owner, params.id)).state, "rotated");
  assert.equal(await place.passwordOf(owner, account.id), candidate);
  assert.equal(await place.logsIn(role.username, candidate), true);
});

test("a scheduled rotation of a changed row sends nothing, states the reason, and works after the secret is stored again", async () => {
  const platform = { rotate_every_days: 30, rotation_jitter_minutes: 0 };
  const { account, role } = await place.anAccountThere(owner, { platform });
  await place.sql("update credentials set active_mac = sha256('') where id = $1", account.id);
  await place.sql("update accounts set rotated_at = now() - interval '31 days' where id = $1", account.id);
  const { database, jobs } = place.app.kernel;
  await eventually(() => database.transaction((tx) => jobs.enqueue(tx, "rotation.start-due", {})));
  const { id } = await eventually(async () => {
    const params = { id: account.id };
    const { body } = await place.app.call(listAccountRotations, { params, as: owner.token });
    return body.rotations[0] ?? null;
  });
  const stopped = await place.settled(owner, id);
  assert.deepEqual([stopped.state, stopped.code], ["attention", "misconfigured"]);
  assert.match(stopped.message, /was changed in the database/);
  assert.equal(await place.logsIn(role.username, role.password), true);
  const versions = await place.sql("select version from secret_versions where credential_id = $1", account.id);
  assert.equal(versions.length, 1, "no version was created");

  const body = AccountEdit.parse({
    ...DATABASE,
    name: account.name,
    hostname: account.hostname_ip,
    port: place.target.port,
    username: role.username,
    platform_id: account.platform_id,
    password: role.password,
  });
  const edited = await place.app.call(updateAccount, { params: { id: account.id }, body, as: owner.token });
  assert.equal(edited.status, 200, edited.text);
  assert.equal((await place.rotate(owner, account.id)).state, "rotated");
});
