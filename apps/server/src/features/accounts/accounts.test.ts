// Tests storing, reading and updating accounts in safes.
import {
  accountStatistics,
  createAccount,
  deleteAccount,
  explainAccountAccess,
  listAccountVersions,
  listAccounts,
  readAccountHistory,
  retrieveAccountVersion,
} from "@strongroom/contract";
import type { Account, SafePermission } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aSecret, databaseAt } from "#testing/credentials.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";
import { actingOn } from "./testing/acting.ts";
import type { Edit } from "./testing/acting.ts";

let app: TestApp;
let acting: ReturnType<typeof actingOn>;
before(async () => {
  app = await testApp();
  acting = actingOn(app);
});
after(() => app.close());

describe("storing an account", () => {
  test("ACC-57: accepts the form's payload, with the port as text, and never returns or logs the secret", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const platform = await aPlatform(app);
    const password = aSecret();
    const reply = await app.call(createAccount, {
      body: {
        name: "  Orders database  ",
        system_type: "postgresql",
        hostname: "db.example.com",
        port: "6432",
        username: "orders",
        password,
        notes: "Ask the team first",
        platform_id: platform.id,
        safe_id: safe.id,
        connection_method: "SQL",
        database_name: "orders",
        schema_name: "public",
        connection_string: "",
        ssl_enabled: true,
        additional_params: { sslmode: "verify-full" },
      },
      as: owner.token,
    });
    assert.equal(reply.status, 201, reply.text);
    const { body } = reply;
    assert.deepEqual(
      [body.name, body.port, body.safe_name, body.platform_name],
      ["Orders database", 6432, safe.name, platform.name],
    );
    assert.deepEqual([body.status, body.rotation_status, body.connection_string], ["active", "no_policy", null]);
    assert.deepEqual((await acting.details(owner, body)).body.additional_params, { sslmode: "verify-full" });
    const texts = [reply.text, (await acting.details(owner, body)).text, ...app.logLines];
    const { rows } = await app.database.pool.query(
      "select convert_from(canonical, 'UTF8') as text from audit_entries union all select data::text from events",
    );
    texts.push((await app.call(listAccounts, { as: owner.token })).text, ...rows.map(({ text }) => String(text)));
    for (const text of texts) assert.ok(!text.includes(password));
  });

  test("accepts a secret of any non-zero length, because legacy targets have short secrets", async () => {
    const owner = await aPerson(app);
    const [safe, platform] = [await aSafe(app, owner), await aPlatform(app)];
    const body = {
      name: "Old switch",
      system_type: "Application",
      hostname: "switch.example.com",
      username: "admin",
      platform_id: platform.id,
      safe_id: safe.id,
      connection_method: "SSH",
    } as const;
    const stored = await app.call(createAccount, { body: { ...body, password: "x" }, as: owner.token });
    assert.equal(stored.status, 201, stored.text);
    const refused = await app.call(createAccount, { body: { ...body, password: "" }, as: owner.token });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /"path":"password","msg":"Password is required"/);
  });

  test("ACC-71: uses the default port of the system when the port is omitted", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const one = await anAccount(app, owner, safe, { system_type: "Linux", connection_method: "SSH" });
    assert.equal(one.port, 22);
  });

  test("OPEN-50: schedules a first validation only if a connector exists", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const { type: _, host: hostname, ...target } = databaseAt(1);
    const fields = { ...target, hostname, system_type: "postgresql", connection_method: "SQL" } as const;
    const live = await anAccount(app, owner, safe, fields);
    assert.equal(live.last_validation_status, "pending");
    const able = { is_proven: true, can_change: true, can_reconcile: true };
    assert.deepEqual(live.connector, { name: "PostgreSQL", ...able });
    const idle = await anAccount(app, owner, safe);
    assert.equal(idle.last_validation_status, "untested");
    assert.equal(idle.connector, null);
    const tried = await eventually(async () => {
      const { body } = await acting.details(owner, live);
      return body.last_validated_at === null ? null : body;
    });
    assert.equal(tried.last_validation_status, "unreachable");
    assert.notEqual(tried.validation_message, null);
  });

  test("requires the `add` permission: users who can only see the safe get 403, others 404", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const platform = await aPlatform(app);
    const as = async (who: TestPerson) =>
      app.call(createAccount, {
        body: {
          name: "An account",
          hostname: "h",
          username: "u",
          password: aSecret(),
          platform_id: platform.id,
          safe_id: safe.id,
          system_type: "Application",
          connection_method: "HTTPS",
        },
        as: who.token,
      });
    const seeing = await as(await acting.aMemberWith(owner, safe, ["list", "retrieve"]));
    assert.equal(seeing.status, 403);
    assert.ok(seeing.text.includes('"safe.permission-missing"'), seeing.text);
    assert.equal((await as(await firstAdmin(app))).status, 403);
    assert.equal((await as(await aPerson(app))).status, 404);
    assert.equal((await as(await acting.aMemberWith(owner, safe, ["add"]))).status, 201);
    const { rows } = await app.database.pool.query("select count(*)::int as keys from keks where purpose = $1", [
      `safe:${safe.id}`,
    ]);
    assert.deepEqual(rows, [{ keys: 1 }]);
  });

  test("requires a platform that exists and is active", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const idle = await aPlatform(app, { is_active: false });
    for (const platform_id of [idle.id, crypto.randomUUID() as Account["platform_id"]]) {
      await assert.rejects(anAccount(app, owner, safe, { platform_id }), /account\.platform-unusable.*platform_id/);
    }
  });
});

test("ACC-27: the statistics count only the visible accounts", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const strict = await aPlatform(app, { rotate_every_days: 30 });
  const [a, b, c] = [
    await anAccount(app, owner, safe),
    await anAccount(app, owner, safe, { platform_id: strict.id }),
    await anAccount(app, owner, safe),
  ];
  await app.database.pool.query("update accounts set rotated_at = now() - interval '29 days' where id = $1", [b.id]);
  await app.database.pool.query("update credentials set verification_status = 'verified' where id = $1", [a.id]);
  await app.database.pool.query("update credentials set verification_status = 'rejected' where id = $1", [b.id]);
  assert.equal((await acting.update(owner, c, { status: "disabled" })).status, 200);
  const seen = async (who: TestPerson) => (await app.call(accountStatistics, { as: who.token })).body;
  const others = { validation_unreachable: 0, validation_misconfigured: 0, validation_pending: 0 };
  const figures = {
    total: 3,
    active: 2,
    requiring_rotation: 1,
    validation_valid: 1,
    validation_invalid: 1,
    validation_untested: 1,
    ...others,
  };
  assert.deepEqual(await seen(owner), figures);
  const none = Object.fromEntries(Object.keys(figures).map((name) => [name, 0]));
  assert.deepEqual(await seen(await aPerson(app)), none);
  const everything = await seen(await firstAdmin(app));
  assert.ok(everything.total > 3 && everything.active > 2);
});

describe("updating an account", () => {
  test("requires the permission for exactly the changed fields", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe);
    const cases: [SafePermission, Partial<Edit>][] = [
      ["rename", { name: "Another name" }],
      ["update_properties", { notes: "Another note" }],
      ["update_properties", { status: "disabled" }],
      ["update_secret", { password: aSecret() }],
    ];
    const others: SafePermission[] = ["rename", "update_properties", "update_secret"];
    for (const [needed, fields] of cases) {
      const current = (await acting.details(owner, account)).body;
      const without = await acting.aMemberWith(
        owner,
        safe,
        others.filter((each) => each !== needed),
      );
      assert.equal((await acting.update(without, current, fields)).status, 403, needed);
      const only = await acting.aMemberWith(owner, safe, [needed]);
      const reply = await acting.update(only, current, fields);
      assert.equal(reply.status, 200, reply.text);
    }
    assert.equal((await acting.update(await aPerson(app), account, { name: "Theirs" })).status, 404);
  });

  test("INVARIANT: users who may not retrieve the secret cannot use any field to send it to a different target", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe);
    const editor = await acting.aMemberWith(owner, safe, ["update_properties", "update_secret"]);
    const elsewhere: Partial<Edit>[] = [
      { hostname: "elsewhere.example.com" },
      { port: 2222 },
      { ssl_enabled: true },
      { additional_params: { sslmode: "no-verify" } },
    ];
    for (const fields of elsewhere) {
      const current = (await acting.details(owner, account)).body;
      assert.equal((await acting.update(editor, current, fields)).status, 403, JSON.stringify(fields));
      const sendable = await acting.update(editor, current, { ...fields, password: aSecret() });
      assert.equal(sendable.status, 200, sendable.text);
      const { rows } = await app.database.pool.query(
        "select secret_version = sendable_from as is_alone from credentials where id = $1",
        [account.id],
      );
      assert.equal(rows[0].is_alone, true, JSON.stringify(fields));
    }
  });

  test("records the changed fields and never a secret, even when nothing changed", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe, { additional_params: { b: 1, a: [1, 2] } });
    const viewer = await acting.aMemberWith(owner, safe, ["list"]);
    assert.equal((await acting.update(viewer, account, {})).status, 403);
    const same = await acting.update(owner, account, { additional_params: { a: [1, 2], b: 1 } });
    assert.equal(same.status, 200, same.text);
    const password = aSecret();
    await acting.update(owner, account, { hostname: "other.example.com", password });
    const [nothing, moved] = await acting.detailsOf(account.id, "account.updated");
    assert.deepEqual([nothing.changed, nothing.secret_changed], [[], false]);
    assert.deepEqual([moved.changed, moved.secret_changed], [["hostname"], true]);
    assert.deepEqual([moved.from, moved.to], [{ host: "app.example.com" }, { host: "other.example.com" }]);
    assert.ok(!JSON.stringify(moved).includes(password));
  });

  test("adds a version for a new password, keeps the old version and cancels the scheduled rotation", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe);
    await app.database.pool.query(
      "update accounts set rotation_wanted_at = now(), rotation_wanted_because = 'asked' where id = $1",
      [account.id],
    );
    assert.equal((await acting.details(owner, account)).body.rotation_status, "overdue");
    const password = aSecret();
    const changed = await acting.update(owner, account, { password });
    assert.equal(changed.body.rotation_status, "no_policy");
    assert.ok(changed.body.last_rotated_at > account.last_rotated_at);
    assert.equal((await acting.retrieve(owner, account)).body.password, password);
    const params = { id: account.id };
    const { versions } = (await app.call(listAccountVersions, { params, as: owner.token })).body;
    assert.deepEqual(
      versions.map(({ version, reason, retired_at }) => [version, reason, retired_at === null]),
      [
        [2, "edited", true],
        [1, "created", false],
      ],
    );
    const old = await app.call(retrieveAccountVersion, { params: { ...params, version: 1 }, as: owner.token });
    assert.equal(old.body.password, account.password, old.text);
    const missing = await app.call(retrieveAccountVersion, { params: { ...params, version: 3 }, as: owner.token });
    assert.equal(missing.status, 404);
    assert.deepEqual((await acting.detailsOf(account.id, "account.version-retrieved"))[0].version, 1);
    const viewer = await acting.aMemberWith(owner, safe, ["list"]);
    assert.equal((await app.call(listAccountVersions, { params, as: viewer.token })).status, 200);
    const refused = await app.call(retrieveAccountVersion, { params: { ...params, version: 1 }, as: viewer.token });
    assert.equal(refused.status, 403);
    assert.ok(!refused.text.includes(account.password));
  });

  test("keeps an account visible after disabling it, but lets no user retrieve its secret", async () => {
    const owner = await aPerson(app);
    const account = await anAccount(app, owner, await aSafe(app, owner));
    const { body } = await acting.update(owner, account, { status: "disabled" });
    assert.deepEqual(
      [body.status, body.needs_approval, body.my_permissions.includes("retrieve")],
      ["disabled", false, false],
    );
    const refused = await acting.retrieve(owner, account);
    assert.equal(refused.status, 409);
    assert.ok(refused.text.includes('"account.not-active"'), refused.text);
    await acting.update(owner, account, { status: "active" });
    assert.equal((await acting.retrieve(owner, account)).body.password, account.password);
  });
});

test("only members and users with a grant receive events about changes", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const member = await acting.aMemberWith(owner, safe, ["list"]);
  const stranger = await aPerson(app);
  const [seen, unseen] = [await liveEvents(app, member), await liveEvents(app, stranger)];
  const account = await anAccount(app, owner, safe);
  await acting.update(owner, account, { name: "Renamed" });
  await app.call(deleteAccount, { params: { id: account.id }, as: owner.token });
  await seen.next(({ type, data }) => type === "account.deleted" && data["account_id"] === account.id);
  const types = seen.told().flatMap(({ type, data }) => (data["account_id"] === account.id ? [type] : []));
  assert.deepEqual(types, ["account.changed", "account.changed", "account.deleted"]);
  assert.deepEqual(unseen.told(), []);
  seen.close();
  unseen.close();
});

test("the history of an account is shown to users who may view the audit of its safe", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const account = await anAccount(app, owner, safe);
  await acting.retrieve(owner, account);
  const history = (who: TestPerson) => app.call(readAccountHistory, { params: { id: account.id }, as: who.token });
  const auditor = await acting.aMemberWith(owner, safe, ["view_audit"]);
  const told = (await history(auditor)).body.history.map(({ event }) => event);
  assert.deepEqual(told, ["account.retrieved", "account.created"]);
  assert.equal((await history(await acting.aMemberWith(owner, safe, ["retrieve"]))).status, 403);
  assert.equal((await history(await aPerson(app))).status, 404);
});

test("users who manage the members or view the audit can read who has access to an account and why", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, { approvals_level_1: 1 });
  const account = await anAccount(app, owner, safe, { platform_id: platform.id });
  const user = await acting.aMemberWith(owner, safe, ["retrieve"]);
  const explain = (who: TestPerson) => app.call(explainAccountAccess, { params: { id: account.id }, as: who.token });
  const { access } = (await explain(owner)).body;
  const of = (who: TestPerson) => access.find(({ user_id }) => user_id === who.id)?.paths[0];
  assert.deepEqual([of(owner)?.kind, of(owner)?.needs_approval], ["member", false]);
  assert.deepEqual([of(user)?.can, of(user)?.needs_approval], [["retrieve"], true]);
  assert.equal((await explain(user)).status, 403);
  assert.equal((await explain(await aPerson(app))).status, 404);
});
