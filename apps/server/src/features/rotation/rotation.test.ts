// Tests rotations through the API against a real PostgreSQL server.
import {
  listAccountRotations,
  listAccountVersions,
  listCredentialRotations,
  readAccountDetails,
  readRotation,
  reconcileAccount,
  revealCredential,
  rotateAccount,
  rotateCredential,
  rotateSeveral,
  readRotationRun,
  cancelRotationRun,
  listRotationRuns,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aCredential, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";
import { onPostgresql } from "./testing/on-postgresql.ts";
import type { PostgresqlSetup } from "./testing/on-postgresql.ts";

let place: PostgresqlSetup;
let owner: TestPerson;
before(async () => {
  place = await onPostgresql();
  owner = await aPerson(place.app);
});
after(() => place.close());

describe("a rotation", () => {
  test("CRED-19, OPEN-54, OPEN-88, ACC-33: changes an account's password on its target, verifies it, and makes it the active secret", async () => {
    const { app } = place;
    const { account, role } = await place.anAccountThere(owner);
    const events = await liveEvents(app, owner);
    const asked = await app.call(rotateAccount, { params: { id: account.id }, as: owner.token });
    assert.equal(asked.body.message, `Rotation process initiated for "${account.name}"`, asked.text);
    const rotation = await place.settled(owner, asked.body.rotation_id);
    assert.equal(rotation.state, "rotated", JSON.stringify(rotation));
    const password = await place.passwordOf(owner, account.id);
    assert.deepEqual(
      [await place.logsIn(role.username, password), await place.logsIn(role.username, role.password)],
      [true, false],
    );
    const { body: details } = await app.call(readAccountDetails, { params: { id: account.id }, as: owner.token });
    assert.deepEqual([details.last_validation_status, details.open_rotation], ["valid", null]);
    assert.ok(details.last_rotated_at > account.last_rotated_at);
    await events.next(({ type, data }) => type === "rotation.changed" && data["state"] === "rotated");
    events.close();
    const { body: versions } = await app.call(listAccountVersions, { params: { id: account.id }, as: owner.token });
    assert.deepEqual(
      versions.versions.map(({ version, reason, is_candidate, retired_at }) => [
        version,
        reason,
        is_candidate,
        retired_at === null,
      ]),
      [
        [2, "rotated", false, true],
        [1, "created", false, false],
      ],
    );
    const { body: list } = await app.call(listAccountRotations, { params: { id: account.id }, as: owner.token });
    assert.deepEqual(
      list.rotations.map(({ id, because, by }) => [id, because, by]),
      [[rotation.id, "asked", "account"]],
    );
    assert.deepEqual(
      rotation.journal.map(({ step }) => step),
      ["planned", "stored", "sent", "answered", "promoted", "ended"],
    );
    await eventually(async () => {
      const told = await place.sql("select type from notifications where user_id = $1", owner.id);
      return told.some(({ type }) => type === "rotation_completed") ? true : null;
    });

    // INVARIANT: no secret appears in a journal line, an event, the audit trail, a notification or the log.
    const written = JSON.stringify([
      rotation,
      list,
      await place.sql("select * from rotations"),
      await place.sql("select * from rotation_lines"),
      await place.sql("select data from events"),
      await place.sql("select convert_from(canonical, 'UTF8') as entry from audit_entries"),
      await place.sql("select * from verification_attempts"),
      await place.sql("select * from notifications"),
      app.logLines,
    ]);
    for (const secret of [password, role.password]) assert.ok(!written.includes(secret), "a secret has left");
    assert.match(written, /rotation\.secret-used/);
    assert.match(written, /account\.rotated/);
  });

  test("records why it opens each secret: to compare, to send or to verify", async () => {
    const { account } = await place.anAccountThere(owner);
    await place.rotate(owner, account.id);
    const { id } = await place.rotate(owner, account.id);
    const rows = await place.sql(
      `select convert_from(canonical, 'UTF8')::jsonb -> 'details' as details from audit_entries
       where target_id = $1 and event = 'rotation.secret-used'`,
      account.id,
    );
    const used = rows.map(({ details }) => details).filter(({ rotation }) => rotation === id);
    const [asker] = await place.sql("select name from users where id = $1", owner.id);
    const by = { rotation: id, asked_by: asker.name };
    assert.deepEqual(
      new Set(used),
      new Set([
        { for: "compare", ...by, versions: [2, 1] },
        { for: "send", ...by, host: place.target.host, candidate: 3, proof: 3, version: 2 },
      ]),
    );
  });

  test("API-17: changes a user's own credential the same way and hides it from other users", async () => {
    const { app } = place;
    const role = await place.target.addRole();
    const fields = {
      ...databaseAt(place.target.port),
      username: role.username,
      database_name: "postgres",
      schema_name: "public",
    };
    const { id } = await aCredential(app, owner, { ...fields, value: role.password });
    const asked = await app.call(rotateCredential, { params: { id }, as: owner.token });
    assert.equal(asked.status, 202, asked.text);
    assert.equal((await place.settled(owner, asked.body.rotation_id)).state, "rotated");
    const { body } = await app.call(revealCredential, { params: { id }, body: {}, as: owner.token });
    assert.equal(await place.logsIn(role.username, body.value), true);
    const { body: list } = await app.call(listCredentialRotations, { params: { id }, as: owner.token });
    assert.equal(list.rotations.length, 1);
    const stranger = await aPerson(app);
    for (const endpoint of [rotateCredential, listCredentialRotations]) {
      assert.equal((await app.call(endpoint, { params: { id }, as: stranger.token })).status, 404);
    }
    const params = { id: asked.body.rotation_id };
    assert.equal((await app.call(readRotation, { params, as: stranger.token })).status, 404);
  });

  test("is refused to members who may not manage secrets, and the error says why a secret cannot be changed", async () => {
    const { app } = place;
    const { account, safe } = await place.anAccountThere(owner);
    const [stranger, reader] = [await aPerson(app), await aPerson(app)];
    await aMember(app, owner, safe, reader, ["list", "use", "retrieve"]);
    const params = { id: account.id };
    for (const endpoint of [rotateAccount, reconcileAccount]) {
      assert.equal((await app.call(endpoint, { params, as: stranger.token })).status, 404);
      assert.equal((await app.call(endpoint, { params, as: reader.token })).status, 403);
    }
    assert.equal((await app.call(listAccountRotations, { params, as: stranger.token })).status, 404);
    assert.equal((await app.call(listAccountRotations, { params, as: reader.token })).status, 200);
    const without = await app.call(reconcileAccount, { params, as: owner.token });
    assert.equal(without.status, 409);
    assert.match(without.text, /has no reconcile account/);
    const unsupported = await anAccount(app, owner, safe);
    const refused = await app.call(rotateAccount, { params: { id: unsupported.id }, as: owner.token });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /"rotation.not-supported"/);
  });
});

describe("a run of rotations", () => {
  test("rotates the permitted secrets, names the others and reports its progress", async () => {
    const { app } = place;
    const { account, safe, platform } = await place.anAccountThere(owner);
    const accounts = [account.id];
    for (let i = 0; i < 3; i++) {
      const { username, password } = await place.target.addRole();
      const fields = { platform_id: platform.id, username, password };
      accounts.push((await place.anAccountThere(owner, { safe, account: fields })).account.id);
    }
    const foreign = (await place.anAccountThere(await aPerson(app))).account.id;
    const body = { account_ids: [...accounts, foreign] };
    const reply = await app.call(rotateSeveral, { body, as: owner.token });
    assert.equal(reply.status, 202, reply.text);
    assert.deepEqual([reply.body.queued, reply.body.failed.map(({ id }) => id)], [4, [foreign]]);
    const params = { id: reply.body.run_id! };
    const run = await eventually(async () => {
      const { body: now } = await app.call(readRotationRun, { params, as: owner.token });
      return now.status === "completed" ? now : null;
    });
    assert.deepEqual([run.total, run.done, run.rotated, run.failed], [4, 4, 4, 0]);
    const other = await aPerson(app);
    assert.equal((await app.call(readRotationRun, { params, as: other.token })).status, 404);
    assert.equal((await app.call(cancelRotationRun, { params, as: owner.token })).status, 409);
  });

  test("is listed for its requester while it runs; cancelling it stops all its rotations and notifies members", async () => {
    const { app } = place;
    const [person, member] = [await aPerson(app), await aPerson(app)];
    const nowhere = { port: 1 };
    const { account, safe } = await place.anAccountThere(person, { account: nowhere });
    await aMember(app, person, safe, member, ["list"]);
    const other = (await place.anAccountThere(person, { account: nowhere })).account;
    const own = await aCredential(app, person, { ...databaseAt(1), username: "app", value: "whatever" });
    const body = { account_ids: [account.id, other.id], credential_ids: [own.id] };
    const [events, heard] = [await liveEvents(app, person), await liveEvents(app, member)];
    const { body: started } = await app.call(rotateSeveral, { body, as: person.token });
    assert.equal(started.queued, 3, JSON.stringify(started));
    const runs = async (as: TestPerson) => (await app.call(listRotationRuns, { as: as.token })).body.runs;
    assert.deepEqual(
      (await runs(person)).map(({ id, total }) => [id, total]),
      [[started.run_id, 3]],
    );
    assert.deepEqual(await runs(member), []);
    const params = { id: started.run_id! };
    const stopped = await app.call(cancelRotationRun, { params, as: person.token });
    assert.equal(stopped.body.status, "cancelled", stopped.text);
    assert.deepEqual(await runs(person), []);
    // A rotation that has just been claimed cancels itself at its next step.
    const run = await eventually(async () => {
      const { body: now } = await app.call(readRotationRun, { params, as: person.token });
      return now.done === 3 ? now : null;
    });
    assert.deepEqual([run.total, run.rotated, run.failed, run.status], [3, 0, 3, "cancelled"]);
    const isEnd =
      (id: string) =>
      ({ type, data }: { type: string; data: Record<string, unknown> }) =>
        type === "rotation.changed" && data["secret_id"] === id && data["state"] === "cancelled";
    await heard.next(isEnd(account.id));
    await events.next(isEnd(other.id));
    await events.next(isEnd(own.id));
    events.close();
    heard.close();
  });

  test("queues no more rotations after it is cancelled while queueing", async () => {
    const { app } = place;
    const person = await aPerson(app);
    const nowhere = { port: 1 };
    const { account, safe } = await place.anAccountThere(person, { account: nowhere });
    const [second, third] = [
      (await place.anAccountThere(person, { safe, account: nowhere })).account,
      (await place.anAccountThere(person, { safe, account: nowhere })).account,
    ];
    const holder = await app.database.pool.connect();
    await holder.query("begin");
    await holder.query("select from credentials where id = $1 for update", [second.id]);
    const body = { account_ids: [account.id, second.id, third.id] };
    const asked = app.call(rotateSeveral, { body, as: person.token });
    // The first rotation is queued; the second waits for the row lock.
    const [queued] = await eventually(async () => {
      const rows = await place.sql("select run_id from rotations where credential_id = $1", account.id);
      return rows.length === 1 ? (rows as { run_id: string }[]) : null;
    });
    const params = { id: queued!.run_id as never };
    const stopped = await app.call(cancelRotationRun, { params, as: person.token });
    await holder.query("rollback");
    holder.release();
    assert.equal(stopped.body.status, "cancelled", stopped.text);
    const reply = await asked;
    assert.deepEqual([reply.status, reply.body.queued], [202, 1], reply.text);
    assert.deepEqual(
      reply.body.failed.map(({ id, code }) => [id, code]),
      [second, third].map(({ id }) => [id, "rotation.run-cancelled"]),
    );
    assert.deepEqual(await place.sql("select from rotations where credential_id in ($1, $2)", second.id, third.id), []);
  });

  test("ends with the rotations queued so far when its enqueuer dies", async () => {
    const { app } = place;
    const [one, none, young] = ["1", "2", "3"].map((digit) => `00000000-0000-7000-8000-00000000000${digit}`);
    const insert =
      "insert into rotation_runs (id, user_id, total, done, rotated, started_at, queueing_at) values ($1, $2, 9, $3, $3, now() - $4::interval, now() - $4::interval)";
    await place.sql(insert, one, owner.id, 1, "61 minutes");
    await place.sql(insert, none, owner.id, 0, "61 minutes");
    await place.sql(insert, young, owner.id, 1, "10 minutes");
    const { database, jobs } = app.kernel;
    await eventually(() => database.transaction((tx) => jobs.enqueue(tx, "rotation.start-due", {})));
    const read = (id: string | undefined) =>
      app.call(readRotationRun, { params: { id: id as never }, as: owner.token });
    await eventually(async () => ((await read(none)).status === 404 ? true : null));
    const { body: ended } = await read(one);
    assert.deepEqual([ended.status, ended.total, ended.done], ["completed", 1, 1]);
    const { body: running } = await read(young);
    assert.deepEqual([running.status, running.total], ["running", 9]);
  });
});
