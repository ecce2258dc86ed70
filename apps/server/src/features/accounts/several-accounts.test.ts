// Tests actions on many accounts at once over HTTP: bulk actions, imports and exports.
import {
  bulkAccounts,
  createAccount,
  exportAccounts,
  importAccounts,
  listAccounts,
  listPlatforms,
  retrieveAccount,
} from "@strongroom/contract";
import type { Account, InputOf, Platform, Safe } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aSecret } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let platform: Platform;
before(async () => {
  app = await testApp();
  const { body } = await app.call(listPlatforms, { as: (await aPerson(app)).token });
  platform = body.platforms.find(({ system_type }) => system_type === "Application")!;
});
after(() => app.close());

async function store(owner: TestPerson, safe: Safe, name: string): Promise<Account> {
  const where = { hostname: "app.example.com", username: "svc", password: aSecret() };
  const kind = { platform_id: platform.id, system_type: "Application", connection_method: "HTTPS" } as const;
  const made = await app.call(createAccount, { body: { name, safe_id: safe.id, ...where, ...kind }, as: owner.token });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

const names = async (person: TestPerson): Promise<string[]> => {
  const listed = await app.call(listAccounts, { as: person.token });
  return listed.body.data.map(({ name }) => name).toSorted();
};

async function eventsOf(id: string): Promise<string[]> {
  const { rows } = await app.database.pool.query("select event from audit_entries where target_id = $1 order by id", [
    id,
  ]);
  return rows.map((row: { event: string }) => row.event);
}

describe("a bulk action", () => {
  test("lists the accounts that the user may not change, changes the rest, and records each change", async () => {
    const [owner, user, stranger] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const [mine, theirs] = [await aSafe(app, user), await aSafe(app, owner)];
    await aMember(app, owner, theirs, user, "user");
    const own = await store(user, mine, "Own");
    const other = await store(owner, theirs, "Other");
    const hidden = await store(stranger, await aSafe(app, stranger), "Hidden");
    const account_ids = [own.id, other.id, hidden.id];
    const reply = await app.call(bulkAccounts, { body: { action: "disable", account_ids }, as: user.token });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.done, [own.id]);
    assert.deepEqual(
      reply.body.failed.map(({ id, code }) => [id, code]),
      [
        [other.id, "safe.permission-missing"],
        [hidden.id, "account.not-found"],
      ],
    );
    assert.equal(reply.body.message, "Disabled 1 account, 2 accounts failed");
    assert.ok(!reply.text.includes("Hidden"));
    assert.ok((await eventsOf(own.id)).includes("account.updated"));

    const refused = await app.call(retrieveAccount, { params: { id: own.id }, as: user.token });
    assert.ok(refused.status >= 400, "a disabled account is lent to nobody");
    await app.call(bulkAccounts, { body: { action: "enable", account_ids: [own.id] }, as: user.token });
    const lent = await app.call(retrieveAccount, { params: { id: own.id }, as: user.token });
    assert.equal(lent.status, 200, lent.text);
  });

  test("moves and deletes several accounts together", async () => {
    const owner = await aPerson(app);
    const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
    const made = [await store(owner, from, "A"), await store(owner, from, "B")];
    const account_ids = made.map(({ id }) => id);
    const moved = await app.call(bulkAccounts, {
      body: { action: "move", account_ids, safe_id: to.id },
      as: owner.token,
    });
    assert.deepEqual(moved.body.done, account_ids, moved.text);
    const listed = await app.call(listAccounts, { query: { safe_id: to.id }, as: owner.token });
    assert.deepEqual(listed.body.data.map(({ name }) => name).toSorted(), ["A", "B"]);
    const deleted = await app.call(bulkAccounts, { body: { action: "delete", account_ids }, as: owner.token });
    assert.deepEqual(deleted.body.done, account_ids, deleted.text);
    assert.deepEqual(await names(owner), []);
    assert.deepEqual((await eventsOf(account_ids[0]!)).slice(-2), ["account.moved", "account.deleted"]);
  });

  test("requires a safe for moving accounts, and rejects a safe for other actions", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const { id } = await store(owner, safe, "A");
    for (const body of [
      { action: "move", account_ids: [id] },
      { action: "delete", account_ids: [id], safe_id: safe.id },
      { action: "delete", account_ids: [] },
    ] as const) {
      const reply = await app.call(bulkAccounts, {
        body: { ...body, account_ids: [...body.account_ids] },
        as: owner.token,
      });
      assert.equal(reply.status, 400, reply.text);
    }
    assert.deepEqual(await names(owner), ["A"]);
  });
});

describe("an import", () => {
  const HEADER = "name,hostname,username,password,platform,safe,notes";
  const lineFor = (name: string, safe: string, password: string) =>
    `${name},app.example.com,svc,${password},Application,"${safe}",from a file`;
  const bring = (as: TestPerson, body: NonNullable<InputOf<typeof importAccounts>["body"]>) =>
    app.call(importAccounts, { body, as: as.token });

  test("reports every bad line in a dry run and stores nothing", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const csv = [HEADER, lineFor("A", safe.name, aSecret()), lineFor("B", "Elsewhere", aSecret())].join("\n");
    const reply = await bring(owner, { csv });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual([reply.body.good, reply.body.imported], [1, 0]);
    assert.deepEqual(
      reply.body.bad.map(({ line, field }) => [line, field]),
      [[3, "safe"]],
    );
    assert.deepEqual(await names(owner), []);
  });

  test("stores nothing if any line is bad, unless bad lines are to be skipped", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const [secret, other] = [aSecret(), aSecret()];
    const csv = [HEADER, lineFor("A", "", secret), lineFor("", "", other)].join("\r\n");
    const refused = await bring(owner, { csv, dry_run: false, safe_id: safe.id });
    assert.equal(refused.body.imported, 0, refused.text);
    assert.deepEqual(await names(owner), []);
    const skipped = await bring(owner, { csv, dry_run: false, skip_bad_lines: true, safe_id: safe.id });
    assert.deepEqual([skipped.body.imported, skipped.body.bad.length], [1, 1], skipped.text);
    assert.ok(!skipped.text.includes(other));
    assert.deepEqual(await names(owner), ["A"]);
    const listed = await app.call(listAccounts, { as: owner.token });
    const lent = await app.call(retrieveAccount, { params: { id: listed.body.data[0]!.id }, as: owner.token });
    assert.equal(lent.body.password, secret);
    const { rows } = await app.database.pool.query("select reason from secret_versions where credential_id = $1", [
      listed.body.data[0]!.id,
    ]);
    assert.deepEqual(rows, [{ reason: "imported" }]);
  });

  test("cannot add to a safe without the permission, whether the safe is given by name or id", async () => {
    const [owner, user] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner, { name: "Not for everybody" });
    await aMember(app, owner, safe, user, "user");
    const csv = [HEADER, lineFor("A", safe.name, aSecret()), lineFor("B", safe.id, aSecret())].join("\n");
    const reply = await bring(user, { csv, dry_run: false, skip_bad_lines: true });
    assert.deepEqual(
      [reply.body.imported, reply.body.bad.map(({ field }) => field)],
      [0, ["safe", "safe"]],
      reply.text,
    );
    const chosen = await bring(user, { csv: HEADER, safe_id: safe.id });
    assert.equal(chosen.status, 404, chosen.text);
    assert.deepEqual(await names(owner), []);
  });

  test("writes no secret from the file to the audit trail", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const secret = aSecret();
    await bring(owner, { csv: [HEADER, lineFor("A", "", secret)].join("\n"), dry_run: false, safe_id: safe.id });
    const { rows } = await app.database.pool.query(
      "select count(*)::int as found from audit_entries where position($1::bytea in canonical) > 0",
      [Buffer.from(secret)],
    );
    assert.deepEqual(rows, [{ found: 0 }]);
  });
});

describe("an export", () => {
  test("contains the visible accounts without secrets, and is recorded in the audit trail", async () => {
    const [owner, user] = [await aPerson(app), await aPerson(app)];
    const [shared, own] = [await aSafe(app, owner, { name: "Shared" }), await aSafe(app, owner, { name: "Own" })];
    await aMember(app, owner, shared, user, "auditor");
    await store(owner, shared, "Seen");
    await store(owner, own, "Unseen");
    const reply = await app.call(exportAccounts, { as: user.token });
    assert.equal(reply.status, 200);
    const lines = reply.text.trimEnd().split("\r\n");
    assert.equal(lines.length, 2);
    assert.ok(lines[1]?.startsWith("Seen,app.example.com,svc,Application,Shared,"), lines[1]);
    assert.ok(!reply.text.includes("Unseen") && !reply.text.includes("secret-"));
    const { rows } = await app.database.pool.query(
      "select count(*)::int as count from audit_entries where event = 'account.exported' and actor_id = $1",
      [user.id],
    );
    assert.deepEqual(rows, [{ count: 1 }]);
  });
});
