// Tests over HTTP what verifying a credential on real targets returns, stores, records and publishes.
import {
  CredentialEdit,
  createCredential,
  readCredentialHistory,
  updateCredential,
  validationHistory,
  verifyCredential,
} from "@strongroom/contract";
import type { Credential } from "@strongroom/contract";
import { needs, postgresqlAvailable, startHostile, startPostgresql, startTcp } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { aCredential, aSecret, asStored, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const verify = (person: TestPerson, id: string) => app.call(verifyCredential, { params: { id: id }, as: person.token });

/** Waits until the automatic verification has ended. */
const settled = (person: TestPerson, id: Credential["id"]): Promise<Credential> =>
  eventually(async () => {
    const stored = await asStored(app, person, id);
    return stored.last_verification_attempt === null ? null : stored;
  });

async function entriesOf(id: string, event: string) {
  const { rows } = await app.database.pool.query(
    "select result, convert_from(canonical, 'UTF8')::jsonb as entry from audit_entries where target_id = $1 and event = $2 order by id",
    [id, event],
  );
  return rows as {
    result: string;
    entry: { reason?: string; actor: Record<string, string>; details: Record<string, unknown> };
  }[];
}

describe("on a real PostgreSQL", needs(postgresqlAvailable()), () => {
  let server: PostgresqlServer;
  before(async () => {
    server = await startPostgresql();
  });
  after(() => server.stop());

  const fieldsFor = (role: { username: string; password: string }) =>
    ({
      name: "Real database",
      type: "postgresql",
      host: server.host,
      port: server.port,
      username: role.username,
      value: role.password,
      database_name: "postgres",
      schema_name: "public",
    }) as const;

  test("OPEN-50: a new credential is verified automatically", async () => {
    const owner = await aPerson(app);
    const events = await liveEvents(app, owner);
    const stored = await aCredential(app, owner, fieldsFor(await server.addRole()));
    assert.equal(stored.verification_status, "pending");
    const verified = await settled(owner, stored.id);
    assert.equal(verified.verification_status, "verified", verified.verification_error ?? "");
    const [entry] = await entriesOf(stored.id, "credential.verified");
    assert.equal(entry?.result, "success");
    assert.deepEqual(entry?.entry.actor, { system: "verification" });
    assert.equal(entry?.entry.details["source"], "first");
    const told = await events.next((event) => event.type === "verification.completed");
    assert.deepEqual(told.data, {
      credential_id: stored.id,
      name: "Real database",
      outcome: "verified",
      message: told.data["message"],
      is_alarm: false,
    });
    events.close();
  });

  test("CRED-14, CRED-16, CRED-17: a successful login marks the credential as verified, with its time", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, fieldsFor(await server.addRole()));
    const reply = await verify(owner, stored.id);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.success, true);
    assert.equal(reply.body.error, null);
    assert.equal(reply.body.data.outcome, "verified");
    const after = await asStored(app, owner, stored.id);
    assert.equal(after.status, "verified");
    assert.equal(after.verification_status, "verified");
    assert.equal(after.verified_at, reply.body.data.verified_at);
    assert.equal(after.last_verification_attempt, reply.body.data.attempted_at);
    assert.equal(after.verification_error, null);
  });

  test("CRED-15, CRED-16: a rejected login marks the credential as failed with the reason and keeps the time of the last success", async () => {
    const owner = await aPerson(app);
    const role = await server.addRole();
    const stored = await aCredential(app, owner, fieldsFor(role));
    const good = await verify(owner, stored.id);
    await server.sql(`alter role ${role.username} password 'another one'`);
    const reply = await verify(owner, stored.id);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.success, false);
    assert.equal(reply.body.data.outcome, "rejected");
    assert.equal(reply.body.data.code, "wrong-password");
    assert.equal(reply.body.data.error, reply.body.error);
    const after = await asStored(app, owner, stored.id);
    assert.equal(after.verification_status, "rejected");
    assert.equal(after.status, "failed");
    assert.equal(after.verified_at, good.body.data.verified_at);
    assert.equal(after.last_verification_attempt, reply.body.data.attempted_at);
    assert.equal(after.verification_error, reply.body.error);
  });

  test("CRED-12: the history lists the attempt as Credential Verification, with duration, source, host and type", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, fieldsFor(await server.addRole()));
    await settled(owner, stored.id);
    await verify(owner, stored.id);
    const history = await app.call(readCredentialHistory, { params: { id: stored.id }, as: owner.token });
    const [entry] = history.body.history;
    assert.equal(entry?.action, "Credential Verification");
    assert.equal(entry?.result, "success");
    assert.equal(entry?.user.id, owner.id);
    assert.equal(entry?.metadata["source"], "manual");
    assert.equal(entry?.metadata["host"], server.host);
    assert.equal(entry?.metadata["verification_type"], "postgresql");
    assert.equal(typeof entry?.metadata["duration"], "number");
    assert.deepEqual(
      history.body.history.map((each) => each.event),
      ["credential.verified", "credential.verified", "credential.created"],
    );
    const attempts = await app.call(validationHistory, { as: owner.token });
    assert.deepEqual(
      attempts.body.data.map((each) => [each.account_name, each.status, each.triggered_by]),
      [
        ["Real database", "verified", "person"],
        ["Real database", "verified", "first"],
      ].map(([name, status, by]) => [name, status, by === "person" ? (entry?.user.name ?? "") : by]),
    );
  });

  test("CRED-38: the connection string determines where the verification logs in", async () => {
    const owner = await aPerson(app);
    const role = await server.addRole();
    const stored = await aCredential(app, owner, {
      ...fieldsFor(role),
      host: "192.0.2.1",
      connection_string: `postgresql://${server.host}:${server.port}/postgres`,
    });
    assert.equal((await verify(owner, stored.id)).body.data.outcome, "verified");
    const [started] = await entriesOf(stored.id, "verification.started");
    assert.equal(started?.entry.details["host"], server.host, "the trail names where the secret went");
  });

  test("the lockout budget: after one rejected login, only a user's request sends the secret again, until the secret changes", async () => {
    const owner = await aPerson(app);
    const role = await server.addRole();
    const fields = fieldsFor(role);
    const stored = await aCredential(app, owner, { ...fields, value: "a wrong password" });
    assert.equal((await settled(owner, stored.id)).verification_status, "rejected");
    const { rows } = await app.database.pool.query("select verify_after from credentials where id = $1", [stored.id]);
    assert.equal(rows[0].verify_after, null);
    assert.equal((await verify(owner, stored.id)).body.data.outcome, "rejected");

    await app.call(updateCredential, {
      params: { id: stored.id },
      body: CredentialEdit.parse(fields),
      as: owner.token,
    });
    const verified = await eventually(async () => {
      const now = await asStored(app, owner, stored.id);
      return now.verification_status === "verified" ? now : null;
    });
    assert.notEqual(verified.verified_at, null);
  });

  test("a secret that cannot be opened is not sent, and the verification fails with that reason", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, fieldsFor(await server.addRole()));
    await settled(owner, stored.id);
    await app.database.pool.query(
      "update secret_versions set envelope = set_byte(envelope, 90, get_byte(envelope, 90) # 1) where credential_id = $1",
      [stored.id],
    );
    const before = server.log();
    const reply = await verify(owner, stored.id);
    assert.equal(reply.body.data.code, "secret-unreadable");
    assert.equal(server.log(), before);
  });
});

describe("on targets that misbehave", () => {
  const at = (port: number, fields: object = {}) => ({ ...databaseAt(port), name: "Bad target", ...fields });

  test("verifying an unreachable target fails with a clear reason, and the secret appears nowhere", async (context) => {
    const owner = await aPerson(app);
    const hostile = await aClosedTarget(context);
    const stored = await aCredential(app, owner, at(hostile.port));
    const reply = await verify(owner, stored.id);
    assert.equal(reply.body.data.outcome, "unreachable", reply.text);
    const after = await asStored(app, owner, stored.id);
    assert.equal(after.verification_status, "unreachable");
    assert.equal(after.verification_error, reply.body.error);
    assert.ok(!reply.text.includes(stored.value));
  });

  test("addresses of cloud credential services are refused", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, at(5432, { host: "169.254.169.254" }));
    const reply = await verify(owner, stored.id);
    assert.equal(reply.body.data.outcome, "misconfigured");
    assert.equal(reply.body.data.code, "address-forbidden");
  });

  for (const type of ["application", "api"] as const) {
    test(`a credential of type ${type} cannot be verified yet: it is untested with a clear reason and nothing is sent`, async (context) => {
      const owner = await aPerson(app);
      const hostile = await aClosedTarget(context);
      const stored = await aCredential(app, owner, { ...at(hostile.port), type });
      const reply = await verify(owner, stored.id);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.success, false);
      assert.equal(reply.body.data.outcome, "unsupported");
      assert.equal(reply.body.data.verification_status, "untested");
      const after = await asStored(app, owner, stored.id);
      assert.equal(after.status, "pending");
      assert.equal(after.last_verification_attempt, reply.body.data.attempted_at);
      assert.equal(hostile.connections(), 0);
      assert.deepEqual(await entriesOf(stored.id, "verification.started"), []);
      assert.deepEqual(
        (await entriesOf(stored.id, "credential.verified")).map((each) => each.result),
        ["info"],
      );
    });
  }

  async function aClosedTarget(context: TestContext) {
    const target = await startHostile("closes");
    context.after(() => target.stop());
    return target;
  }

  /** A target that keeps each connection waiting until it is released. */
  async function aSlowTarget(context: TestContext) {
    const waiting: Socket[] = [];
    const target = await startTcp((socket) => waiting.push(socket));
    // A separate connection, because pool connections show their last query, and this check must not replace it.
    const watcher = await app.database.listenConnection();
    context.after(() => Promise.all([target.stop(), watcher.end()]));
    const { rows } = await watcher.query("select clock_timestamp() as now");
    return {
      ...target,
      /** Waits until this many other callers poll for the end of the attempt. */
      othersWait: (count: number) =>
        eventually(async () => {
          const looking = await watcher.query(
            `select from pg_stat_activity where datname = current_database() and query like '%is_abandoned%'
             and query_start > $1 and pid <> pg_backend_pid()`,
            [rows[0].now],
          );
          return looking.rows.length >= count ? true : null;
        }),
      caller: () => eventually(async () => waiting[0] ?? null),
      unblock: () => {
        for (const socket of waiting.splice(0)) socket.destroy();
      },
    };
  }

  /** Stores a credential without the automatic verification, which would keep it busy. */
  async function quiet(owner: TestPerson, port: number) {
    const stored = await aCredential(app, owner, { ...at(port), type: "application" });
    await app.database.pool.query("update credentials set type = 'postgresql' where id = $1", [stored.id]);
    return stored;
  }

  test("the use of the secret is committed to the audit trail before the target is contacted", async (context) => {
    const owner = await aPerson(app);
    const target = await aSlowTarget(context);
    const stored = await quiet(owner, target.port);
    const reply = verify(owner, stored.id);
    await target.caller();
    const [started] = await entriesOf(stored.id, "verification.started");
    assert.equal(started?.entry.actor["id"], owner.id);
    assert.deepEqual(await entriesOf(stored.id, "credential.verified"), []);
    target.unblock();
    await reply;
    assert.equal((await entriesOf(stored.id, "credential.verified")).length, 1);
  });

  test("two simultaneous verifications share one login, and both callers receive and record its result", async (context) => {
    const owner = await aPerson(app);
    const target = await aSlowTarget(context);
    const stored = await quiet(owner, target.port);
    const replies = [verify(owner, stored.id), verify(owner, stored.id)];
    await target.caller();
    await target.othersWait(1);
    target.unblock();
    const [first, other] = await Promise.all(replies);
    assert.equal(first?.status, 200, first?.text);
    assert.deepEqual(other?.body, first?.body);
    assert.equal(target.connections(), 1);
    const entries = await entriesOf(stored.id, "credential.verified");
    assert.deepEqual(
      entries.map((each) => each.entry.details["is_shared"] ?? false).toSorted((a, b) => Number(a) - Number(b)),
      [false, true],
    );
  });

  test("two simultaneous verifications in different processes share one login", async (context) => {
    const owner = await aPerson(app);
    const target = await aSlowTarget(context);
    const stored = await quiet(owner, target.port);
    const second = await testApp({
      database: { database: app.database, connection: app.database.connection, drop: async () => {} },
      dataFolder: app.dataFolder,
    });
    try {
      const first = verify(owner, stored.id);
      await target.caller();
      const other = second.call(verifyCredential, { params: { id: stored.id }, as: owner.token });
      await target.othersWait(1);
      target.unblock();
      assert.deepEqual((await other).body, (await first).body);
      assert.equal(target.connections(), 1);
    } finally {
      await second.stopOnly();
    }
  });

  test("INVARIANT: a result that arrives after the secret or its target changed does not apply to the stored secret", async (context) => {
    const owner = await aPerson(app);
    const target = await aSlowTarget(context);
    const stored = await quiet(owner, target.port);
    const reply = verify(owner, stored.id);
    await target.caller();
    const body = CredentialEdit.parse({ ...at(target.port), type: "application", value: aSecret() });
    await app.call(updateCredential, { params: { id: stored.id }, body, as: owner.token });
    target.unblock();
    assert.equal((await reply).body.data.outcome, "unreachable");
    const after = await asStored(app, owner, stored.id);
    assert.equal(after.verification_status, "untested");
    assert.equal(after.verification_error, null);
    assert.equal(after.last_verification_attempt, null);
    const [entry] = await entriesOf(stored.id, "credential.verified");
    assert.equal(entry?.entry.details["is_outdated"], true);
  });

  test("an attempt whose process died is taken over after its lease expires, and the audit trail records it as interrupted", async (context) => {
    const owner = await aPerson(app);
    const hostile = await aClosedTarget(context);
    const stored = await quiet(owner, hostile.port);
    await app.database.pool.query(
      `insert into verification_attempts (id, credential_id, user_id, revision, trigger, triggered_by, credential_name, type, method, started_at, lease_until)
       select gen_random_uuid(), id, user_id, login_revision, 'manual', 'x', name, type, 'postgresql', now() - interval '1 minute', now() - interval '1 second'
       from credentials where id = $1`,
      [stored.id],
    );
    const reply = await verify(owner, stored.id);
    assert.equal(reply.body.data.outcome, "unreachable");
    const entries = await entriesOf(stored.id, "credential.verified");
    assert.deepEqual(
      entries.map((each) => each.entry.reason),
      ["interrupted", reply.body.data.code],
    );
  });
});

describe("certificates", () => {
  test("a value that is not a certificate fails with that reason, and no connection is opened", async () => {
    const owner = await aPerson(app);
    const body = { name: "No certificate", type: "certificate", value: "this is not PEM" } as const;
    const created = await app.call(createCredential, { body, as: owner.token });
    const after = await settled(owner, created.body.id);
    assert.equal(after.verification_status, "misconfigured");
    assert.match(after.verification_error ?? "", /\w+/);
  });
});
