// Tests how users store, read, update and delete their own credentials over HTTP.
import {
  CredentialEdit,
  CREDENTIAL_TYPES,
  createCredential,
  deleteCredential,
  listCredentials,
  readCredential,
  readCredentialHistory,
  revealCredential,
  updateCredential,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aCredential, aSecret, asStored } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const good = () =>
  ({
    name: "Billing database",
    type: "postgresql",
    value: aSecret(),
    database_name: "billing",
    schema_name: "public",
  }) as const;

describe("storing a credential", () => {
  test("CRED-01, CRED-05, CRED-08, CRED-10, CRED-13, API-09, API-10, OPEN-47: returns every field except the secret, and the status pending", async () => {
    const owner = await aPerson(app);
    const body = {
      ...good(),
      username: "app",
      host: "db.example.com",
      port: 5432,
      environment: "staging",
      ssl_enabled: true,
      additional_params: { application_name: "billing", tls: { mode: "verify-full" } },
    } as const;
    const reply = await app.call(createCredential, { body, as: owner.token });
    assert.equal(reply.status, 201, reply.text);
    const { value, ...shown } = body;
    const { id, created_at, updated_at, ...rest } = reply.body;
    assert.deepEqual(rest, {
      ...shown,
      user_id: owner.id,
      status: "pending",
      verification_status: "pending",
      verified_at: null,
      last_verification_attempt: null,
      verification_error: null,
      host_key_alarm: null,
      last_accessed: null,
      connector: { name: "PostgreSQL", is_proven: true, can_change: true, can_reconcile: true },
      connection_string: null,
    });
    assert.equal(created_at, updated_at);
    assert.ok(!reply.text.includes(value));
    const { status, verification_status, last_verification_attempt, verification_error } = reply.body;
    // The first verification may have finished in between.
    const untried = { status, verification_status, last_verification_attempt, verification_error };
    assert.deepEqual({ ...(await asStored(app, owner, id)), ...untried }, reply.body);
  });

  test("CRED-02, CRED-06, CRED-07, CRED-37, OPEN-51: applies defaults to omitted and empty fields", async () => {
    const owner = await aPerson(app);
    const body = {
      name: "Bare",
      value: aSecret(),
      username: "",
      host: " ",
      port: "",
      additional_params: null,
    } as never;
    const { body: stored } = await app.call(createCredential, { body, as: owner.token });
    const { type, environment, username, host, port, ssl_enabled, additional_params } = stored;
    assert.deepEqual(
      { type, environment, username, host, port, ssl_enabled, additional_params },
      {
        type: "password",
        environment: "production",
        username: null,
        host: null,
        port: null,
        ssl_enabled: false,
        additional_params: {},
      },
    );
  });

  test("CRED-03, CRED-04, OPEN-46: accepts every type, including those of the detail screen", async () => {
    const owner = await aPerson(app);
    for (const type of CREDENTIAL_TYPES) {
      const stored = await aCredential(app, owner, { type, database_name: "d", schema_name: "s" });
      assert.equal((await asStored(app, owner, stored.id)).type, type);
    }
    assert.ok(["application", "api", "server"].every((type) => CREDENTIAL_TYPES.includes(type as never)));
  });

  const refusals: [name: string, fields: object, path: string][] = [
    ["CRED-26: a name has at least 3 characters", { name: "ab" }, "name"],
    ["CRED-26: a name has at most 100 characters", { name: "x".repeat(101) }, "name"],
    ["CRED-28: a username has at least 2 characters", { username: "x" }, "username"],
    ["CRED-28: a username has at most 50 characters", { username: "x".repeat(51) }, "username"],
    ["CRED-29: a port is 65535 at most", { port: 65_536 }, "port"],
    ["CRED-29: a port is 1 at least", { port: 0 }, "port"],
    ["CRED-30: a secret is required", { value: undefined }, "value"],
    ["CRED-30: a secret has at least 8 characters", { value: "1234567" }, "value"],
    ["CRED-31: the environment is one of three", { environment: "test" }, "environment"],
    ["CRED-32: a database has a name", { database_name: null }, "database_name"],
    ["CRED-33: a PostgreSQL database has a schema", { schema_name: "" }, "schema_name"],
    ["CRED-34: additional parameters are an object", { additional_params: "{}" }, "additional_params"],
    ["CRED-03: the type is a known one", { type: "carrier-pigeon" }, "type"],
    ["OPEN-82: a connection string is a URL", { connection_string: "host=db" }, "connection_string"],
    ["a connection string holds no password", { connection_string: "postgres://a:b@db/x" }, "connection_string"],
    [
      "additional parameters hold no password",
      { additional_params: { deep: [{ password: "x" }] } },
      "additional_params",
    ],
  ];
  for (const [name, fields, path] of refusals) {
    test(`${name}, and the error names the field without its value`, async () => {
      const owner = await aPerson(app);
      const body = { ...good(), ...fields };
      const reply = await app.call(createCredential, { body: body, as: owner.token });
      assert.equal(reply.status, 400, reply.text);
      const problem = reply.body as unknown as { code: string; errors: { path: string }[] };
      assert.equal(problem.code, "request.invalid");
      assert.ok(
        problem.errors.some((error) => error.path.startsWith(path)),
        reply.text,
      );
      if (typeof body.value === "string") assert.ok(!reply.text.includes(body.value));
      const list = await app.call(listCredentials, { as: owner.token });
      assert.deepEqual(list.body.data, []);
    });
  }

  test("allows two credentials with the same name", async () => {
    const owner = await aPerson(app);
    await aCredential(app, owner, { name: "Twin" });
    await aCredential(app, owner, { name: "Twin" });
    const list = await app.call(listCredentials, { as: owner.token });
    assert.deepEqual(
      list.body.data.map((each) => each.name),
      ["Twin", "Twin"],
    );
  });

  test("returns the secret later exactly as it was given", async () => {
    const owner = await aPerson(app);
    for (const value of [
      "  spaces kept  ",
      "пароль-пароль",
      "a\r\nb\tc\u0000d e",
      "🔑🔒🔑🔒🔑🔒🔑🔒",
      "x".repeat(65_536),
    ]) {
      const stored = await app.call(createCredential, { body: { ...good(), value }, as: owner.token });
      if (stored.status === 400) {
        assert.ok(value.includes("\u0000"), stored.text);
        continue;
      }
      const reply = await app.call(revealCredential, { params: { id: stored.body.id }, body: {}, as: owner.token });
      assert.equal(reply.body.value, value);
    }
  });
});

describe("updating a credential", () => {
  test("API-11: can change every field, and keeps the secret when no value is given", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, good());
    const body = {
      ...good(),
      name: "Renamed",
      type: "mysql",
      host: "other.example.com",
      environment: "development",
      value: undefined,
    } as const;
    const edit = { params: { id: stored.id }, body: CredentialEdit.parse(body), as: owner.token };
    const reply = await app.call(updateCredential, edit);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.name, "Renamed");
    assert.equal(reply.body.environment, "development");
    assert.ok(reply.body.updated_at >= stored.updated_at);
    const revealed = await app.call(revealCredential, { params: { id: stored.id }, body: {}, as: owner.token });
    assert.equal(revealed.body.value, stored.value);
  });

  test("adds a version for a new secret and keeps the previous version, sealed", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, good());
    const value = aSecret();
    const body = CredentialEdit.parse({ ...good(), value });
    await app.call(updateCredential, { params: { id: stored.id }, body, as: owner.token });
    const revealed = await app.call(revealCredential, { params: { id: stored.id }, body: {}, as: owner.token });
    assert.equal(revealed.body.value, value);
    const versions = await app.database.db
      .selectFrom("secret_versions")
      .select(["version", "reason", "created_by", "retired_at"])
      .where("credential_id", "=", stored.id)
      .orderBy("version")
      .execute();
    assert.deepEqual(
      versions.map((each) => [each.version, each.reason, each.created_by, each.retired_at !== null]),
      [
        [1, "created", owner.id, true],
        [2, "edited", owner.id, false],
      ],
    );
  });

  test("OPEN-133: records the previous and new destination of the login, and never the secret", async () => {
    const owner = await aPerson(app);
    const before = { host: "db1.example.com", port: 5432, username: "app", environment: "staging" } as const;
    const made = await aCredential(app, owner, before);
    const value = aSecret();
    const change = (body: object) =>
      app.call(updateCredential, {
        params: { id: made.id },
        body: CredentialEdit.parse({ name: made.name, type: made.type, ...before, ...body }),
        as: owner.token,
      });
    await change({ host: "db2.example.com", username: "billing", port: null, value });
    await change({ host: "db2.example.com", username: "billing", port: null, environment: "production" });
    const { rows } = await app.database.pool.query(
      `select convert_from(canonical, 'UTF8')::jsonb -> 'details' as details from audit_entries
       where target_id = $1 and event = 'credential.updated' order by id`,
      [made.id],
    );
    const [first, second] = rows.map(({ details }) => details);
    assert.deepEqual(first.from, { host: "db1.example.com", port: 5432, username: "app" });
    assert.deepEqual(first.to, { host: "db2.example.com", port: null, username: "billing" });
    assert.deepEqual([first.secret_changed, second.changed], [true, ["environment"]]);
    assert.deepEqual(["from" in second, "to" in second], [false, false]);
    assert.ok(!JSON.stringify(rows).includes(value) && !JSON.stringify(rows).includes(made.value));
  });

  test("loses no version when several updates run concurrently", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, good());
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        app.call(updateCredential, {
          params: { id: stored.id },
          body: CredentialEdit.parse({ ...good(), value: `secret number ${index}` }),
          as: owner.token,
        }),
      ),
    );
    assert.deepEqual(
      replies.map((reply) => reply.status),
      Array(8).fill(200),
    );
    const { rows } = await app.database.pool.query(
      "select version from secret_versions where credential_id = $1 order by version",
      [stored.id],
    );
    assert.deepEqual(
      rows.map((row) => row.version),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    const revealed = await app.call(revealCredential, { params: { id: stored.id }, body: {}, as: owner.token });
    assert.match(revealed.body.value, /^secret number \d$/);
  });

  test("records the names of the changed fields and whether the secret changed", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, good());
    await app.call(updateCredential, {
      params: { id: stored.id },
      body: CredentialEdit.parse({ ...good(), name: "Renamed", host: "new.example.com" }),
      as: owner.token,
    });
    const history = await app.call(readCredentialHistory, { params: { id: stored.id }, as: owner.token });
    const entry = history.body.history.find((each) => each.event === "credential.updated");
    assert.deepEqual(entry?.metadata["changed"], ["name", "host"]);
    assert.equal(entry?.metadata["secret_changed"], true);
  });

  test("changes nothing when the same parameters come in a different order", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, { ...good(), additional_params: { a: 1, b: { c: [1, 2], d: null } } });
    const params = { b: { d: null, c: [1, 2] }, a: 1 };
    const body = CredentialEdit.parse({ ...good(), value: undefined, additional_params: params });
    await app.call(updateCredential, { params: { id: stored.id }, body, as: owner.token });
    const history = await app.call(readCredentialHistory, { params: { id: stored.id }, as: owner.token });
    const entry = history.body.history.find((each) => each.event === "credential.updated");
    assert.deepEqual(entry?.metadata["changed"], []);
  });
});

describe("deleting a credential", () => {
  test("API-12, OPEN-57: erases its secrets immediately, returns 404 afterwards, and keeps the audit trail", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, good());
    await app.call(updateCredential, {
      params: { id: stored.id },
      body: CredentialEdit.parse({ ...good(), value: aSecret() }),
      as: owner.token,
    });
    const reply = await app.call(deleteCredential, { params: { id: stored.id }, as: owner.token });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.message, '"Billing database" deleted successfully');

    const left = await app.database.db
      .selectFrom("secret_versions")
      .selectAll()
      .where("credential_id", "=", stored.id)
      .execute();
    assert.deepEqual(left, []);
    for (const endpoint of [readCredential, deleteCredential, readCredentialHistory] as const) {
      assert.equal(
        (await app.call(endpoint as typeof readCredential, { params: { id: stored.id }, as: owner.token })).status,
        404,
      );
    }
    const list = await app.call(listCredentials, { query: { search: "Billing" }, as: owner.token });
    assert.deepEqual(list.body.data, []);
    const recorded = await app.database.db
      .selectFrom("audit_entries")
      .select("result")
      .where("target_id", "=", stored.id)
      .where("event", "=", "credential.deleted")
      .execute();
    assert.ok(recorded.some((entry) => entry.result === "success"));
  });
});

describe("the history of a credential", () => {
  test("API-14, CRED-11: lists actions newest first, with user, reason and address, page by page", async () => {
    const owner = await aPerson(app);
    // Credentials of this type are not verified automatically, so no entries are added in between.
    const stored = await aCredential(app, owner);
    await app.call(revealCredential, {
      params: { id: stored.id },
      body: { reason: "Incident 4711" },
      as: owner.token,
      from: "192.0.2.7",
    });
    const first = await app.call(readCredentialHistory, {
      params: { id: stored.id },
      query: { limit: 1 },
      as: owner.token,
    });
    const [entry] = first.body.history;
    assert.equal(entry?.action, "Credential revealed");
    assert.equal(entry?.result, "success");
    assert.equal(entry?.user.id, owner.id);
    assert.equal(entry?.metadata["reason"], "Incident 4711");
    assert.equal(entry?.metadata["ip"], "192.0.2.7");
    const cursor = first.body.next_cursor ?? undefined;
    const second = await app.call(readCredentialHistory, {
      params: { id: stored.id },
      query: { limit: 1, cursor },
      as: owner.token,
    });
    assert.deepEqual(
      second.body.history.map((each) => each.event),
      ["credential.created"],
    );
  });

  test("includes refused attempts of other users", async () => {
    const owner = await aPerson(app);
    const stranger = await aPerson(app, "admin");
    const stored = await aCredential(app, owner, good());
    const reply = await app.call(revealCredential, { params: { id: stored.id }, body: {}, as: stranger.token });
    assert.equal(reply.status, 404);
    const history = await app.call(readCredentialHistory, { params: { id: stored.id }, as: owner.token });
    // The first verification may have finished in between.
    const entry = history.body.history.find(({ event }) => event === "credential.revealed");
    assert.deepEqual([entry?.result, entry?.user.id], ["failure", stranger.id]);
  });
});
