// Tests on a real PostgreSQL that stored guesses are not sent to one login repeatedly.
import { verifyCredential } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { loginOf } from "./limit-rejections.ts";
import { aCredential, asStored } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

describe("a login", () => {
  const entry = {
    type: "postgresql",
    host: "db1",
    port: 5432,
    username: "ada",
    database_name: null,
    schema_name: null,
    connection_string: null,
    ssl_enabled: true,
    additional_params: {},
    host_key: null,
  };
  for (const spelling of [
    {},
    { username: "Ada" },
    { username: "CORP\\ada" },
    { username: "ada@corp.example" },
    { host: "DB1." },
    { port: null },
    { username: null, connection_string: "postgresql://ada@db1/shop" },
    { host: "other", port: 1, connection_string: "postgresql://db1:5432/shop" },
  ])
    test(`counts as one when written ${JSON.stringify(spelling)}`, () =>
      assert.equal(loginOf({ ...entry, ...spelling }), "db1:5432 ada"));

  test("is another one on another port or host, and none without a user name", () => {
    const others = [{ port: 5433 }, { host: "db2" }, { username: "bob" }];
    const logins = [{}, ...others].map((other) => loginOf({ ...entry, ...other }));
    assert.equal(new Set(logins).size, 4);
    assert.equal(loginOf({ ...entry, username: null }), null);
  });
});

describe("a login that was rejected three times", needs(postgresqlAvailable()), () => {
  let app: TestApp;
  let server: PostgresqlServer;
  before(async () => {
    [app, server] = await Promise.all([testApp(), startPostgresql()]);
  });
  after(() => Promise.all([app.close(), server.stop()]));

  const fieldsFor = (username: string, value: string) =>
    ({
      name: "A guess",
      type: "postgresql",
      host: server.host,
      port: server.port,
      username,
      value,
      database_name: "postgres",
      schema_name: "public",
    }) as const;

  async function attemptsAt(username: string): Promise<number> {
    const { rows } = await app.database.pool.query<{ count: number }>(
      "select count(*)::integer as count from verification_attempts where username = $1",
      [username],
    );
    return rows[0]!.count;
  }

  test("gets no other stored value for ten minutes, by whichever user, and then the right one works", async () => {
    const { username, password } = await server.addRole();
    const [guesser, other] = [await aPerson(app), await aPerson(app)];
    for (let guess = 1; guess <= 3; guess += 1) {
      const { id } = await aCredential(app, guesser, fieldsFor(username, randomBytes(9).toString("hex")));
      await eventually(async () => (await asStored(app, guesser, id)).last_verification_attempt);
    }
    const stored = await aCredential(app, other, fieldsFor(username, password));
    // A new credential would otherwise be verified by the schedule after an hour.
    await eventually(async () => {
      const { rows } = await app.database.pool.query(
        "select 1 from credentials where id = $1 and verify_after between now() + interval '9 minutes' and now() + interval '10 minutes'",
        [stored.id],
      );
      return rows[0] ?? null;
    });
    const refused = await app.call(verifyCredential, { params: { id: stored.id }, as: other.token });
    assert.deepEqual(
      [refused.status, (refused.body as { code?: string }).code],
      [409, "verification.rejected-too-often"],
    );
    assert.equal((await asStored(app, other, stored.id)).verification_status, "pending");
    assert.equal(await attemptsAt(username), 3);

    const unrelated = await server.addRole();
    const own = await aCredential(app, other, fieldsFor(unrelated.username, unrelated.password));
    const status = async () => (await asStored(app, other, own.id)).verification_status;
    await eventually(async () => ((await status()) === "verified" ? true : null));

    await app.database.pool.query(
      "update verification_attempts set started_at = started_at - interval '11 minutes' where username = $1",
      [username],
    );
    const verified = await app.call(verifyCredential, { params: { id: stored.id }, as: other.token });
    assert.equal(verified.body.data.outcome, "verified", verified.text);
  });

  test("does not limit a secret that worked, so a repaired password is verified immediately", async () => {
    const { username, password } = await server.addRole();
    const user = await aPerson(app);
    const { id } = await aCredential(app, user, fieldsFor(username, password));
    const verify = async () => (await app.call(verifyCredential, { params: { id }, as: user.token })).body.data.outcome;
    assert.equal(await verify(), "verified");
    await server.sql(`alter role ${username} password '${randomBytes(9).toString("hex")}'`);
    for (let rejection = 1; rejection <= 4; rejection += 1) assert.equal(await verify(), "rejected");
    await server.sql(`alter role ${username} password '${password}'`);
    assert.equal(await verify(), "verified");
  });
});
