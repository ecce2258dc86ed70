// Tests testing a login before it is stored, on a real PostgreSQL: results, limits, permissions, and what is recorded.
import { listAccounts, listPlatforms, testAccountLogin } from "@strongroom/contract";
import type { Platform, Safe } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let owner: TestPerson;
let safe: Safe;
let platform: Platform;
before(async () => {
  app = await testApp();
  owner = await aPerson(app);
  safe = await aSafe(app, owner);
  const { body } = await app.call(listPlatforms, { query: { system_type: "postgresql" }, as: owner.token });
  platform = body.platforms[0]!;
});
after(() => app.close());

interface Login {
  host: string;
  port: number;
  username: string;
  password: string;
}

const tried = ({ host, port, username, password }: Login, as = owner) =>
  app.call(testAccountLogin, {
    body: {
      name: "Not stored",
      hostname: host,
      port: String(port),
      username,
      password,
      platform_id: platform.id,
      safe_id: safe.id,
      system_type: "postgresql",
      connection_method: "SQL",
      database_name: "postgres",
      schema_name: "public",
    },
    as: as.token,
  });

async function entriesOf(event: string): Promise<{ result: string; details: Record<string, unknown> }[]> {
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where event = $1 and target_id = $2 order by id",
    [event, safe.id],
  );
  return rows.map(({ text }) => JSON.parse(text));
}

describe("testing a login on a real PostgreSQL", needs(postgresqlAvailable()), () => {
  let server: PostgresqlServer;
  before(async () => {
    server = await startPostgresql();
  });
  after(() => server.stop());

  const loginOf = async (): Promise<Login> => ({ host: server.host, port: server.port, ...(await server.addRole()) });

  test("a right password is verified and a wrong one rejected; both are recorded, and nothing is stored", async () => {
    const login = await loginOf();
    const right = await tried(login);
    assert.deepEqual([right.status, right.body.outcome], [200, "verified"], right.text);
    const wrong = await tried({ ...login, password: "Wr0ng-password" });
    assert.deepEqual([wrong.status, wrong.body.outcome], [200, "rejected"], wrong.text);
    for (const reply of [right, wrong])
      for (const secret of [login.password, "Wr0ng-password"]) assert.ok(!reply.text.includes(secret));

    const entries = await entriesOf("account.login-tested");
    assert.deepEqual(
      entries.map(({ result, details }) => [result, details["outcome"], details["username"]]),
      [
        ["success", "verified", login.username],
        ["failure", "rejected", login.username],
      ],
    );
    assert.equal((await entriesOf("verification.started")).length, 2);
    const { rows } = await app.database.pool.query(
      "select row_to_json(tests)::text as row from account_login_tests tests",
    );
    for (const secret of [login.password, "Wr0ng-password"])
      assert.ok(!JSON.stringify([entries, rows]).includes(secret));
    const stored = await app.call(listAccounts, { query: { search: "Not stored" }, as: owner.token });
    assert.deepEqual(stored.body.data, []);
  });

  test("after three rejections of a login no user's test reaches the target, even with concurrent calls", async () => {
    const login = await loginOf();
    const wrong = { ...login, password: "Wr0ng-password" };
    const replies = await Promise.all(Array.from({ length: 6 }, () => tried(wrong)));
    const statuses = replies.map(({ status }) => status).toSorted((one, other) => one - other);
    assert.deepEqual(statuses, [200, 200, 200, 409, 409, 409]);
    const other = await aPerson(app);
    await aMember(app, owner, safe, other, "manager");
    const blocked = await tried(login, other);
    assert.deepEqual([blocked.status, (blocked.body as { code?: string }).code], [409, "account.tested-too-often"]);
    const rejected = server.log().split(`password authentication failed for user "${login.username}"`).length - 1;
    assert.equal(rejected, 3);
  });

  test("all spellings of a login count together", async () => {
    const [person, login] = [await aPerson(app), await loginOf()];
    await aMember(app, owner, safe, person, "manager");
    const { username } = login;
    const spellings = [username.toUpperCase(), `CORP\\${username}`, `${username}@corp.example`];
    for (const spelling of spellings)
      assert.equal((await tried({ ...login, username: spelling }, person)).body.outcome, "rejected");
    const blocked = await tried(login, person);
    assert.deepEqual([blocked.status, (blocked.body as { code?: string }).code], [409, "account.tested-too-often"]);
  });

  test("verified tests do not count", async () => {
    const [person, login] = [await aPerson(app), await loginOf()];
    await aMember(app, owner, safe, person, "manager");
    for (let turn = 0; turn < 5; turn += 1) assert.equal((await tried(login, person)).body.outcome, "verified");
  });
});

test("only users who may add accounts to the safe can test a login, and others learn nothing about the safe", async () => {
  const [member, stranger] = [await aPerson(app), await aPerson(app)];
  await aMember(app, owner, safe, member, "user");
  const login = { host: "db1.example.com", port: 5432, username: "app", password: "a password" };
  assert.deepEqual([(await tried(login, member)).status, (await tried(login, stranger)).status], [403, 404]);
  const { rows } = await app.database.pool.query("select from account_login_tests where user_id = any($1::uuid[])", [
    [member.id, stranger.id],
  ]);
  assert.equal(rows.length, 0);
});
