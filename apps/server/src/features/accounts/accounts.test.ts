// What people can do with the accounts of their safes: store, see, change, move and delete them.
import {
  accountStatistics,
  createAccount,
  deleteAccount,
  deleteSafe,
  explainAccountAccess,
  listAccountVersions,
  listAccounts,
  moveAccount,
  readAccountDetails,
  readAccountHistory,
  retrieveAccount,
  retrieveAccountVersion,
  updateAccount,
} from "@strongroom/contract";
import type { Account, InputOf, SafePermission } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aSecret, databaseAt } from "#testing/credentials.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

type Edit = NonNullable<InputOf<typeof updateAccount>["body"]>;

/** The edit that leaves everything as it is, but for these fields. */
function editOf(account: Account, fields: Partial<Edit> = {}): Edit {
  const { name, username, hostname_ip: hostname, port, platform_id, system_type, connection_method } = account;
  const { account_type, notes, database_name, schema_name, connection_string, ssl_enabled, additional_params } =
    account;
  const known = { name, username, hostname, port, platform_id, system_type, connection_method, account_type, notes };
  return { ...known, database_name, schema_name, connection_string, ssl_enabled, additional_params, ...fields };
}

const update = (who: TestPerson, account: Account, fields: Partial<Edit>) =>
  app.call(updateAccount, { params: { id: account.id }, body: editOf(account, fields), as: who.token });
const details = (who: TestPerson, { id }: Pick<Account, "id">) =>
  app.call(readAccountDetails, { params: { id }, as: who.token });
const retrieve = (who: TestPerson, { id }: Pick<Account, "id">) =>
  app.call(retrieveAccount, { params: { id }, body: {}, as: who.token });
const move = (who: TestPerson, { id }: Pick<Account, "id">, safe: { id: Account["safe_id"] }) =>
  app.call(moveAccount, { params: { id }, body: { safe_id: safe.id }, as: who.token });

async function aMemberWith(owner: TestPerson, safe: { id: Account["safe_id"] }, permissions: SafePermission[]) {
  const person = await aPerson(app);
  await aMember(app, owner, safe, person, permissions);
  return person;
}

async function detailsOf(id: string, event: string) {
  const { rows } = await app.database.pool.query(
    `select convert_from(canonical, 'UTF8')::jsonb -> 'details' as details from audit_entries
     where target_type = 'account' and target_id = $1 and event = $2 and result = 'success' order by id`,
    [id, event],
  );
  return rows.map(({ details }) => details);
}

describe("storing an account", () => {
  test("ACC-57: takes the payload of the form, with its port as text, and answers no secret anywhere", async () => {
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
    assert.deepEqual((await details(owner, body)).body.additional_params, { sslmode: "verify-full" });
    const texts = [reply.text, (await details(owner, body)).text, ...app.logLines];
    const { rows } = await app.database.pool.query(
      "select convert_from(canonical, 'UTF8') as text from audit_entries union all select data::text from events",
    );
    texts.push((await app.call(listAccounts, { as: owner.token })).text, ...rows.map(({ text }) => String(text)));
    for (const text of texts) assert.ok(!text.includes(password));
  });

  test("ACC-71: the port that is left out is the usual one of the system", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const one = await anAccount(app, owner, safe, { system_type: "Linux", connection_method: "SSH" });
    assert.equal(one.port, 22);
  });

  test("OPEN-50: is followed by a first validation by itself where a connector exists, and by none elsewhere", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const { type: _, host: hostname, ...target } = databaseAt(1);
    const fields = { ...target, hostname, system_type: "postgresql", connection_method: "SQL" } as const;
    const live = await anAccount(app, owner, safe, fields);
    assert.equal(live.last_validation_status, "pending");
    const idle = await anAccount(app, owner, safe);
    assert.equal(idle.last_validation_status, "untested");
    const tried = await eventually(async () => {
      const { body } = await details(owner, live);
      return body.last_validated_at === null ? null : body;
    });
    assert.equal(tried.last_validation_status, "invalid");
    assert.notEqual(tried.validation_message, null);
  });

  test("needs the permission to add: who only sees the safe gets 403, everybody else 404", async () => {
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
    const seeing = await as(await aMemberWith(owner, safe, ["list", "retrieve"]));
    assert.equal(seeing.status, 403);
    assert.ok(seeing.text.includes('"safe.permission-missing"'), seeing.text);
    assert.equal((await as(await firstAdmin(app))).status, 403);
    assert.equal((await as(await aPerson(app))).status, 404);
    assert.equal((await as(await aMemberWith(owner, safe, ["add"]))).status, 201);
    const { rows } = await app.database.pool.query("select count(*)::int as keys from keks where purpose = $1", [
      `safe:${safe.id}`,
    ]);
    assert.deepEqual(rows, [{ keys: 1 }]);
  });

  test("needs a platform that exists and is active", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const idle = await aPlatform(app, { is_active: false });
    for (const platform_id of [idle.id, crypto.randomUUID() as Account["platform_id"]]) {
      await assert.rejects(anAccount(app, owner, safe, { platform_id }), /account\.platform-unusable.*platform_id/);
    }
  });
});

test("ACC-27: the statistics count what one sees, and nothing of others", async () => {
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
  await app.database.pool.query("update credentials set verification_status = 'failed' where id = $1", [b.id]);
  assert.equal((await update(owner, c, { status: "disabled" })).status, 200);
  const seen = async (who: TestPerson) => (await app.call(accountStatistics, { as: who.token })).body;
  const figures = { total: 3, active: 2, requiring_rotation: 1, validation_valid: 1, validation_invalid: 1 };
  assert.deepEqual(await seen(owner), figures);
  const none = { total: 0, active: 0, requiring_rotation: 0, validation_valid: 0, validation_invalid: 0 };
  assert.deepEqual(await seen(await aPerson(app)), none);
  const everything = await seen(await firstAdmin(app));
  assert.ok(everything.total > 3 && everything.active > 2);
});

describe("changing an account", () => {
  test("asks for the permission of exactly what changes", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe);
    const cases: [SafePermission, Partial<Edit>][] = [
      ["rename", { name: "Another name" }],
      ["update_properties", { notes: "Another note" }],
      ["update_properties", { additional_params: { a: 1 } }],
      ["update_properties", { status: "disabled" }],
      ["update_secret", { password: aSecret() }],
    ];
    const others: SafePermission[] = ["rename", "update_properties", "update_secret"];
    for (const [needed, fields] of cases) {
      const current = (await details(owner, account)).body;
      const without = await aMemberWith(
        owner,
        safe,
        others.filter((each) => each !== needed),
      );
      assert.equal((await update(without, current, fields)).status, 403, needed);
      const only = await aMemberWith(owner, safe, [needed]);
      const reply = await update(only, current, fields);
      assert.equal(reply.status, 200, reply.text);
    }
    assert.equal((await update(await aPerson(app), account, { name: "Theirs" })).status, 404);
  });

  test("says in the trail which fields changed and never a secret; no change at all needs no permission", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe, { additional_params: { b: 1, a: [1, 2] } });
    const viewer = await aMemberWith(owner, safe, ["list"]);
    const same = await update(viewer, account, { additional_params: { a: [1, 2], b: 1 } });
    assert.equal(same.status, 200, same.text);
    const password = aSecret();
    await update(owner, account, { hostname: "other.example.com", password });
    const [nothing, moved] = await detailsOf(account.id, "account.updated");
    assert.deepEqual([nothing.changed, nothing.secret_changed], [[], false]);
    assert.deepEqual([moved.changed, moved.secret_changed], [["hostname"], true]);
    assert.deepEqual([moved.from, moved.to], [{ host: "app.example.com" }, { host: "other.example.com" }]);
    assert.ok(!JSON.stringify(moved).includes(password));
  });

  test("a new password is a new version; the earlier one stays, and a wanted change is met", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe);
    await app.database.pool.query(
      "update accounts set rotation_wanted_at = now(), rotation_wanted_because = 'asked' where id = $1",
      [account.id],
    );
    assert.equal((await details(owner, account)).body.rotation_status, "overdue");
    const password = aSecret();
    const changed = await update(owner, account, { password });
    assert.equal(changed.body.rotation_status, "no_policy");
    assert.ok(changed.body.last_rotated_at > account.last_rotated_at);
    assert.equal((await retrieve(owner, account)).body.password, password);
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
    assert.deepEqual((await detailsOf(account.id, "account.version-retrieved"))[0].version, 1);
    const viewer = await aMemberWith(owner, safe, ["list"]);
    assert.equal((await app.call(listAccountVersions, { params, as: viewer.token })).status, 200);
    const refused = await app.call(retrieveAccountVersion, { params: { ...params, version: 1 }, as: viewer.token });
    assert.equal(refused.status, 403);
    assert.ok(!refused.text.includes(account.password));
  });

  test("a disabled account is seen and lent to nobody", async () => {
    const owner = await aPerson(app);
    const account = await anAccount(app, owner, await aSafe(app, owner));
    const { body } = await update(owner, account, { status: "disabled" });
    assert.deepEqual(
      [body.status, body.needs_approval, body.my_permissions.includes("retrieve")],
      ["disabled", false, false],
    );
    const refused = await retrieve(owner, account);
    assert.equal(refused.status, 409);
    assert.ok(refused.text.includes('"account.not-active"'), refused.text);
    await update(owner, account, { status: "active" });
    assert.equal((await retrieve(owner, account)).body.password, account.password);
  });
});

describe("moving an account", () => {
  test("takes its secrets and history along, sealed under the other safe's key", async () => {
    const owner = await aPerson(app);
    const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
    const account = await anAccount(app, owner, from);
    const password = aSecret();
    await update(owner, account, { password });
    const moved = await move(owner, account, to);
    assert.equal(moved.status, 200, moved.text);
    assert.equal(moved.body.safe_id, to.id);
    assert.equal((await retrieve(owner, account)).body.password, password);
    const params = { id: account.id, version: 1 };
    const old = await app.call(retrieveAccountVersion, { params, as: owner.token });
    assert.equal(old.body.password, account.password);
    const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
    assert.deepEqual(await detailsOf(account.id, "account.moved"), [{ from: named(from), to: named(to) }]);
    // The key of the safe that it left is of no use any more.
    const gone = await app.call(deleteSafe, { params: { id: from.id }, as: owner.token });
    assert.equal(gone.status, 200, gone.text);
    assert.equal((await retrieve(owner, account)).body.password, password);
  });

  test("needs `delete` where it is and `add` where it goes", async () => {
    const owner = await aPerson(app);
    const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
    const account = await anAccount(app, owner, from);
    const mover = await aMemberWith(owner, from, ["add"]);
    assert.equal((await move(mover, account, to)).status, 404);
    await aMember(app, owner, to, mover, ["delete"]);
    assert.equal((await move(mover, account, to)).status, 403);
    const other = await aMemberWith(owner, from, ["delete"]);
    await aMember(app, owner, to, other, ["add"]);
    assert.equal((await move(other, account, to)).status, 200);
    const same = await move(owner, account, to);
    assert.equal(same.status, 422);
  });

  test("and retrieving it at the same time: every answer is the secret or a refusal, whichever comes first", async () => {
    const owner = await aPerson(app);
    const [one, other] = [await aSafe(app, owner), await aSafe(app, owner)];
    const account = await anAccount(app, owner, one);
    for (let round = 0; round < 10; round++) {
      const replies = await Promise.all([
        move(owner, account, round % 2 === 0 ? other : one),
        ...Array.from({ length: 5 }, () => retrieve(owner, account)),
      ]);
      assert.equal(replies[0]?.status, 200, replies[0]?.text);
      for (const reply of replies.slice(1)) assert.ok(reply.text.includes(account.password), reply.text);
    }
  });

  test("happens to all accounts of a safe that is deleted", async () => {
    const owner = await aPerson(app);
    const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
    const accounts = [await anAccount(app, owner, from), await anAccount(app, owner, from)];
    const query = { move_accounts_to: to.id };
    const gone = await app.call(deleteSafe, { params: { id: from.id }, query, as: owner.token });
    assert.equal(gone.status, 200, gone.text);
    for (const account of accounts) {
      assert.equal((await details(owner, account)).body.safe_id, to.id);
      assert.equal((await retrieve(owner, account)).body.password, account.password);
    }
  });
});

describe("deleting an account", () => {
  test("OPEN-57: takes every version of its secret out of the database at once, and keeps the trail", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe);
    await update(owner, account, { password: aSecret() });
    const member = await aMemberWith(owner, safe, ["retrieve"]);
    const params = { id: account.id };
    assert.equal((await app.call(deleteAccount, { params, as: member.token })).status, 403);
    const reply = await app.call(deleteAccount, { params, as: owner.token });
    assert.equal(reply.status, 200, reply.text);
    const { rows } = await app.database.pool.query("select from secret_versions where credential_id = $1", [
      account.id,
    ]);
    assert.equal(rows.length, 0);
    assert.equal((await retrieve(owner, account)).status, 404);
    assert.equal((await details(owner, account)).status, 404);
    assert.deepEqual((await app.call(listAccounts, { as: owner.token })).body.data, []);
    assert.equal((await detailsOf(account.id, "account.created")).length, 1);
    assert.equal((await detailsOf(account.id, "account.deleted")).length, 1);
  });

  test("is refused while a platform reconciles with it", async () => {
    const owner = await aPerson(app);
    const account = await anAccount(app, owner, await aSafe(app, owner));
    const platform = await aPlatform(app, { reconcile_account_id: account.id });
    const reply = await app.call(deleteAccount, { params: { id: account.id }, as: owner.token });
    assert.equal(reply.status, 409);
    assert.ok(reply.text.includes(platform.name), reply.text);
  });
});

test("members and those to whom it is lent hear of changes, and nobody else", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const member = await aMemberWith(owner, safe, ["list"]);
  const stranger = await aPerson(app);
  const [seen, unseen] = [await liveEvents(app, member), await liveEvents(app, stranger)];
  const account = await anAccount(app, owner, safe);
  await update(owner, account, { name: "Renamed" });
  await app.call(deleteAccount, { params: { id: account.id }, as: owner.token });
  await seen.next(({ type, data }) => type === "account.deleted" && data["account_id"] === account.id);
  const types = seen.told().flatMap(({ type, data }) => (data["account_id"] === account.id ? [type] : []));
  assert.deepEqual(types, ["account.changed", "account.changed", "account.deleted"]);
  assert.deepEqual(unseen.told(), []);
  await seen.close();
  await unseen.close();
});

test("what was done with an account is told to who may view the audit of its safe", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const account = await anAccount(app, owner, safe);
  await retrieve(owner, account);
  const history = (who: TestPerson) => app.call(readAccountHistory, { params: { id: account.id }, as: who.token });
  const auditor = await aMemberWith(owner, safe, ["view_audit"]);
  const told = (await history(auditor)).body.history.map(({ event }) => event);
  assert.deepEqual(told, ["account.retrieved", "account.created"]);
  assert.equal((await history(await aMemberWith(owner, safe, ["retrieve"]))).status, 403);
  assert.equal((await history(await aPerson(app))).status, 404);
});

test("who can get at an account, and through what, is told to who manages the members or views the audit", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, { approvals_level_1: 1 });
  const account = await anAccount(app, owner, safe, { platform_id: platform.id });
  const user = await aMemberWith(owner, safe, ["retrieve"]);
  const explain = (who: TestPerson) => app.call(explainAccountAccess, { params: { id: account.id }, as: who.token });
  const { access } = (await explain(owner)).body;
  const of = (who: TestPerson) => access.find(({ user_id }) => user_id === who.id)?.paths[0];
  assert.deepEqual([of(owner)?.kind, of(owner)?.needs_approval], ["member", false]);
  assert.deepEqual([of(user)?.can, of(user)?.needs_approval], [["retrieve"], true]);
  assert.equal((await explain(user)).status, 403);
  assert.equal((await explain(await aPerson(app))).status, 404);
});
