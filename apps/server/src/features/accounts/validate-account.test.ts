// Tests validating accounts on real systems, over HTTP: replies, stored results, audit entries and events.
import {
  AccountEdit,
  accountValidationHistory,
  createAccount,
  listPlatforms,
  readAccountDetails,
  readVerificationRun,
  updateAccount,
  updatePlatform,
  validateAccount,
  verifyAll,
} from "@strongroom/contract";
import type { Account, Platform, Safe } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";

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

async function store(host: { host: string; port: number }, role: { username: string; password: string }) {
  const body = {
    name: "Billing database",
    hostname: host.host,
    port: String(host.port),
    username: role.username,
    password: role.password,
    platform_id: platform.id,
    safe_id: safe.id,
    system_type: "postgresql",
    connection_method: "SQL",
    database_name: "postgres",
    schema_name: "public",
  } as const;
  const made = await app.call(createAccount, { body, as: owner.token });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

const details = async (id: Account["id"], as = owner): Promise<Account> =>
  (await app.call(readAccountDetails, { params: { id }, as: as.token })).body;

const settled = (id: Account["id"]): Promise<Account> =>
  eventually(async () => {
    const account = await details(id);
    return account.last_validated_at === null ? null : account;
  });

describe("validation on a real PostgreSQL", needs(postgresqlAvailable()), () => {
  let server: PostgresqlServer;
  before(async () => {
    server = await startPostgresql();
  });
  after(() => server.stop());

  test("a new account is validated automatically, and users of its safe receive an event", async () => {
    const [user, stranger] = [await aPerson(app), await aPerson(app)];
    await aMember(app, owner, safe, user, "user");
    const [heard, unheard] = [await liveEvents(app, user), await liveEvents(app, stranger)];
    const made = await store(server, await server.addRole());
    assert.equal(made.last_validation_status, "pending");
    const valid = await settled(made.id);
    assert.equal(valid.last_validation_status, "valid", valid.validation_message ?? "");
    await heard.next(({ type, data }) => type === "verification.completed" && data["credential_id"] === made.id);
    await heard.next(({ type, data }) => type === "account.changed" && data["account_id"] === made.id);
    assert.deepEqual(unheard.told(), []);
    heard.close();
    unheard.close();
  });

  test("ACC-14, ACC-28, ACC-90: a correct password is valid and a wrong one invalid, each with time and message", async () => {
    const role = await server.addRole();
    const made = await store(server, role);
    await settled(made.id);
    const good = await app.call(validateAccount, { params: { id: made.id }, as: owner.token });
    assert.equal(good.status, 200, good.text);
    assert.deepEqual([good.body.success, good.body.validation_status], [true, "valid"]);
    assert.equal(good.body.validation_timestamp, (await details(made.id)).last_validated_at);

    const { platform_id, system_type, connection_method, port } = made;
    const edit = {
      name: made.name,
      hostname: made.hostname_ip,
      username: made.username,
      password: "not-the-password",
      database_name: "postgres",
      schema_name: "public",
    };
    const body = AccountEdit.parse({ ...edit, platform_id, system_type, connection_method, port });
    const changed = await app.call(updateAccount, { params: { id: made.id }, body, as: owner.token });
    assert.equal(changed.status, 200, changed.text);
    const bad = await app.call(validateAccount, { params: { id: made.id }, as: owner.token });
    assert.deepEqual([bad.body.success, bad.body.validation_status, bad.body.outcome], [false, "invalid", "rejected"]);
    assert.equal((await details(made.id)).last_validation_status, "invalid");
    assert.ok(!bad.text.includes("not-the-password"));
  });

  test("ACC-86 to ACC-89: the history lists every validation with its details, newest first, page by page", async () => {
    const made = await store(server, await server.addRole());
    await settled(made.id);
    await app.call(validateAccount, { params: { id: made.id }, as: owner.token });
    const read = (cursor?: string) =>
      app.call(accountValidationHistory, { params: { id: made.id }, query: { limit: 1, cursor }, as: owner.token });
    const first = (await read()).body;
    const [entry] = first.history;
    assert.deepEqual([entry?.validation_status, entry?.validation_type], ["success", "manual"]);
    assert.ok((entry?.validated_by ?? "").length > 0);
    assert.deepEqual(
      [entry?.validation_details.connection_test, entry?.validation_details.credential_test],
      [true, true],
    );
    assert.equal(entry?.validation_details.endpoint, server.host);
    assert.ok((entry?.validation_details.response_time ?? -1) >= 0);
    const second = (await read(first.next_cursor ?? undefined)).body;
    assert.deepEqual([second.history[0]?.validation_type, second.next_cursor], ["triggered", null]);
  });

  test("the platform sets the validation interval; without an interval, an account is not validated again automatically", async () => {
    const admin = await firstAdmin(app);
    const made = await store(server, await server.addRole());
    await settled(made.id);
    const next = async () => {
      const { rows } = await app.database.pool.query(
        "select verify_after - last_verification_attempt = interval '24 hours' as is_daily, verify_after from credentials where id = $1",
        [made.id],
      );
      return rows[0] as { is_daily: boolean | null; verify_after: Date | null };
    };
    assert.equal((await next()).is_daily, true);
    const { id, account_count: _, reconcile_readiness: ____, created_at: __, updated_at: ___, ...fields } = platform;
    const body = { ...fields, verify_every_hours: null };
    assert.equal((await app.call(updatePlatform, { params: { id }, body, as: admin.token })).status, 200);
    await app.call(validateAccount, { params: { id: made.id }, as: owner.token });
    assert.equal((await next()).verify_after, null);
    await app.call(updatePlatform, { params: { id }, body: fields, as: admin.token });
  });

  test("OPEN-59: verifying everything includes only accounts the user may verify", async () => {
    const [manager, user] = [await aPerson(app), await aPerson(app)];
    const own = await aSafe(app, manager);
    await aMember(app, manager, own, user, "user");
    const role = await server.addRole();
    const made = await store(server, role);
    await app.database.pool.query("update credentials set safe_id = $1 where id = $2", [own.id, made.id]);
    const queuedFor = async (person: TestPerson): Promise<number> => {
      const started = await app.call(verifyAll, { as: person.token });
      assert.equal(started.status, 202, started.text);
      await eventually(async () => {
        const run = await app.call(readVerificationRun, { params: { id: started.body.run_id }, as: person.token });
        return run.body.status === "running" ? null : run.body;
      });
      return started.body.queued;
    };
    assert.equal(await queuedFor(manager), 1);
    assert.equal(await queuedFor(user), 0);
  });
});

test("a user who may only list an account can see its validations but cannot start one; other users get 404", async () => {
  const [auditor, stranger] = [await aPerson(app), await aPerson(app)];
  await aMember(app, owner, safe, auditor, "auditor");
  const made = await store({ host: "127.0.0.1", port: 1 }, { username: "app", password: "some-password" });
  const asked = await app.call(validateAccount, { params: { id: made.id }, as: auditor.token });
  assert.equal(asked.status, 403, asked.text);
  const history = await app.call(accountValidationHistory, { params: { id: made.id }, as: auditor.token });
  assert.equal(history.status, 200, history.text);
  for (const endpoint of [validateAccount, accountValidationHistory] as const) {
    const reply = await app.call(endpoint as typeof validateAccount, { params: { id: made.id }, as: stranger.token });
    assert.equal(reply.status, 404, reply.text);
  }
});
