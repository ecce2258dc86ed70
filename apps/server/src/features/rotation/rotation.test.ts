// What people see of a rotation, on a real PostgreSQL server: it changes there, is proved by a login, and then stands here.
import {
  listAccountRotations,
  listAccountVersions,
  listCredentialRotations,
  readAccountDetails,
  readRotation,
  retrieveAccount,
  revealCredential,
  rotateAccount,
  rotateCredential,
} from "@strongroom/contract";
import type { AccountId, RotationId } from "@strongroom/contract";
import { startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { anAccount, aPlatform } from "#testing/accounts.ts";
import { aCredential, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";

let app: TestApp;
let target: PostgresqlServer;
before(async () => {
  [app, target] = await Promise.all([testApp(), startPostgresql()]);
});
after(async () => {
  await app.close();
  await target.stop();
});

const ENDED = ["rotated", "cancelled", "superseded", "attention"];

/** The rotation once it has ended or needs a person. */
async function settled(person: TestPerson, id: RotationId) {
  return eventually(async () => {
    const { body } = await app.call(readRotation, { params: { id }, as: person.token });
    return ENDED.includes(body.state) ? body : null;
  });
}

async function logsIn(username: string, password: string): Promise<boolean> {
  const client = new pg.Client({
    host: target.host,
    port: target.port,
    user: username,
    password,
    database: "postgres",
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const SYSTEM = { system_type: "postgresql", connection_method: "SQL" } as const;
const DATABASE = { ...SYSTEM, database_name: "postgres", schema_name: "public" } as const;

/** An account on the target, in a safe of this person. */
async function onTarget(owner: TestPerson, platform: Parameters<typeof aPlatform>[1] = {}, clause?: string) {
  const role = await target.addRole(clause);
  const safe = await aSafe(app, owner);
  const { id: platform_id } = await aPlatform(app, { ...SYSTEM, ...platform });
  const { username, password } = role;
  const place = { hostname: target.host, port: target.port };
  const account = await anAccount(app, owner, safe, { ...DATABASE, ...place, username, password, platform_id });
  return { account, safe, role };
}

async function passwordOf(person: TestPerson, id: AccountId): Promise<string> {
  const { body } = await app.call(retrieveAccount, { params: { id }, body: {}, as: person.token });
  return body.password;
}

describe("a rotation", () => {
  test("OPEN-54, ACC-33: an account's password is changed on its system, proved there, and is then the one in force", async () => {
    const owner = await aPerson(app);
    const { account, role } = await onTarget(owner);
    const events = await liveEvents(app, owner);
    const asked = await app.call(rotateAccount, { params: { id: account.id }, as: owner.token });
    assert.equal(asked.status, 202, asked.text);
    assert.equal(asked.body.message, `Rotation process initiated for "${account.name}"`);
    const rotation = await settled(owner, asked.body.rotation_id);
    assert.equal(rotation.state, "rotated", JSON.stringify(rotation));
    const password = await passwordOf(owner, account.id);
    assert.notEqual(password, role.password);
    assert.equal(await logsIn(role.username, password), true);
    assert.equal(await logsIn(role.username, role.password), false);
    const { body: details } = await app.call(readAccountDetails, { params: { id: account.id }, as: owner.token });
    assert.equal(details.last_validation_status, "valid");
    assert.equal(details.open_rotation, null);
    await events.next(({ type, data }) => type === "rotation.changed" && data["state"] === "rotated");
    await events.close();
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
      list.rotations.map(({ id }) => id),
      [rotation.id],
    );
  });

  test("API-17: a person's own credential is changed the same way", async () => {
    const owner = await aPerson(app);
    const role = await target.addRole();
    const fields = {
      ...databaseAt(target.port),
      username: role.username,
      database_name: "postgres",
      schema_name: "public",
    };
    const { id } = await aCredential(app, owner, { ...fields, value: role.password });
    const asked = await app.call(rotateCredential, { params: { id }, as: owner.token });
    assert.equal(asked.status, 202, asked.text);
    assert.equal((await settled(owner, asked.body.rotation_id)).state, "rotated");
    const { body } = await app.call(revealCredential, { params: { id }, body: {}, as: owner.token });
    assert.equal(await logsIn(role.username, body.value), true);
    const { body: list } = await app.call(listCredentialRotations, { params: { id }, as: owner.token });
    assert.equal(list.rotations.length, 1);
    const stranger = await aPerson(app);
    for (const endpoint of [rotateCredential, listCredentialRotations]) {
      assert.equal((await app.call(endpoint, { params: { id }, as: stranger.token })).status, 404);
    }
    assert.equal(
      (await app.call(readRotation, { params: { id: asked.body.rotation_id }, as: stranger.token })).status,
      404,
    );
  });
});
