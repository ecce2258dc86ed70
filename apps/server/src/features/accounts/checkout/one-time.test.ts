// Tests one-time passwords: each version is given to one user, and only platforms with rotatable systems offer them.
import {
  createPlatform,
  listPlatformCapabilities,
  readAccount,
  readAccountDetails,
  retrieveAccount,
  retrieveAccountVersion,
  updatePlatform,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, aPolicy, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { actingOn } from "../testing/acting.ts";

let app: TestApp;
let other: TestApp;
before(async () => {
  app = await testApp();
  other = await testApp({
    database: { ...app, connection: app.database.connection, drop: async () => {} },
    dataFolder: app.dataFolder,
  });
});
after(async () => {
  await other.stopOnly();
  await app.close();
});

const SQL = { system_type: "postgresql", connection_method: "SQL" } as const;
const codeOf = (reply: { body: unknown }) => (reply.body as { code?: string }).code;

async function aScene() {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, { ...SQL, one_time_password: true });
  const account = await anAccount(app, owner, safe, {
    ...SQL,
    platform_id: platform.id,
    database_name: "postgres",
    schema_name: "public",
    hostname: "127.0.0.1",
    port: 1,
  });
  const people: TestPerson[] = [];
  for (let made = 0; made < 4; made++) {
    const person = await aPerson(app);
    await aMember(app, owner, safe, person, "user");
    people.push(person);
  }
  const params = { id: account.id };
  const retrieve = (who: TestPerson, at = app) => at.call(retrieveAccount, { params, body: {}, as: who.token });
  return { owner, safe, account, people, params, retrieve };
}

describe("a one-time password", () => {
  test("is given to exactly one of 20 parallel retrievals on two processes", async () => {
    const { account, people, retrieve } = await aScene();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => retrieve(people[n % people.length]!, n % 2 === 0 ? app : other)),
    );
    const given = replies.filter(({ status }) => status === 200);
    assert.deepEqual(
      given.map(({ body }) => body.password),
      [account.password],
    );
    const refused = replies.filter(({ status }) => status !== 200);
    for (const reply of refused) {
      assert.deepEqual([reply.status, codeOf(reply)], [409, "account.one-time-taken"], reply.text);
      assert.ok(!reply.text.includes(account.password));
    }
  });

  test("is refused to everyone once taken, even to the user who took it and by version number; only secret managers learn who took it", async () => {
    const { owner, people, params, retrieve } = await aScene();
    const [taker, another] = people as [TestPerson, TestPerson];
    assert.equal((await retrieve(taker)).status, 200);
    assert.match((await retrieve(taker)).text, /You have already retrieved/);
    const { email } = taker;
    const name = email.split("@")[0]!;
    const byAnother = await retrieve(another);
    assert.equal(byAnother.status, 409);
    assert.ok(!byAnother.text.includes(name), byAnother.text);
    assert.ok((await retrieve(owner)).text.includes(name));
    const version = { params: { ...params, version: 1 }, body: {}, as: taker.token };
    assert.equal(codeOf(await app.call(retrieveAccountVersion, version as never)), "account.one-time-taken");
  });

  test("is not used up by reading the account", async () => {
    const { owner, people, params, retrieve, account } = await aScene();
    for (const { token: as } of [owner, people[0]!]) {
      const read = await app.call(readAccount, { params, as });
      assert.deepEqual([read.status, read.body.password], [200, null]);
      assert.equal((await app.call(readAccountDetails, { params, as })).status, 200);
    }
    assert.equal((await retrieve(people[0]!)).body.password, account.password);
  });

  test("stays taken until a new password is active, and the account cannot be moved in the meantime", async () => {
    const { owner, people, account, retrieve } = await aScene();
    assert.equal((await retrieve(people[0]!)).status, 200);
    const acting = actingOn(app);
    const elsewhere = await aSafe(app, owner);
    assert.equal(codeOf(await acting.move(owner, account, elsewhere)), "account.one-time-taken");
    assert.equal((await retrieve(people[1]!)).status, 409);
    const stored = await acting.update(owner, account, { password: "another secret entirely" });
    assert.equal(stored.status, 200, stored.text);
    assert.equal((await retrieve(people[1]!)).body.password, "another secret entirely");
    assert.equal((await retrieve(people[0]!)).status, 409);
  });

  test("stays taken: an edit to a system without rotation or a platform with different rules is refused", async () => {
    const { owner, people, account, retrieve } = await aScene();
    assert.equal((await retrieve(people[0]!)).status, 200);
    const acting = actingOn(app);
    const { id: platform_id } = await aPlatform(app, SQL);
    const edits = [{ system_type: "Application", connection_method: "HTTPS" }, { platform_id }] as const;
    for (const edit of edits) {
      const edited = await acting.update(owner, account, edit);
      assert.deepEqual([edited.status, codeOf(edited)], [409, "account.one-time-taken"], edited.text);
    }
    assert.equal(codeOf(await retrieve(owner)), "account.one-time-taken");
    assert.equal((await acting.update(owner, account, { ...edits[0], password: "a new secret" })).status, 200);
  });

  test("is not sent to a different target once it was taken, not even by its automatic rotation", async () => {
    const { owner, people, account, retrieve } = await aScene();
    const acting = actingOn(app);
    assert.equal((await acting.update(owner, account, { port: 3 })).status, 200);
    assert.equal((await acting.update(owner, account, {})).status, 200);
    assert.equal((await retrieve(people[0]!)).status, 200);
    const ways = [
      { hostname: "mine.example" },
      { port: 2 },
      { ssl_enabled: true },
      { additional_params: { sslmode: "disable" } },
    ] as const;
    for (const way of ways) {
      const edited = await acting.update(owner, account, way);
      assert.deepEqual([edited.status, codeOf(edited)], [409, "account.one-time-taken"], edited.text);
    }
    const renamed = await acting.update(owner, account, { name: "Another name" });
    assert.equal(renamed.status, 200, renamed.text);
    const both = await acting.update(owner, account, { ...ways[0], password: "a new secret" });
    assert.equal(both.status, 200, both.text);
  });
});

test("the capabilities name the kinds of system whose passwords can be rotated", async () => {
  const { token: as } = await aPerson(app);
  const { capabilities } = (await app.call(listPlatformCapabilities, { as })).body;
  const methodsOf = (system: string) =>
    capabilities.filter(({ system_type }) => system_type === system).map(({ connection_method }) => connection_method);
  assert.ok(methodsOf("postgresql").includes("SQL"));
  assert.ok(!methodsOf("Application").includes("HTTPS"));
});

test("a platform offers one-time passwords only if a connector can rotate them", async () => {
  const { token: as } = await firstAdmin(app);
  const body = { ...aPolicy, name: "Cannot be changed", one_time_password: true };
  const made = await app.call(createPlatform, { body, as });
  assert.deepEqual([made.status, codeOf(made)], [422, "platform.one-time-unsupported"]);
  const platform = await aPlatform(app, SQL);
  const params = { id: platform.id };
  const on = { ...aPolicy, ...SQL, name: platform.name, one_time_password: true };
  assert.equal((await app.call(updatePlatform, { params, body: on, as })).status, 200);
  const wrong = { ...on, system_type: "Application" as const, connection_method: "HTTPS" as const };
  assert.equal((await app.call(updatePlatform, { params, body: wrong, as })).status, 422);
});
