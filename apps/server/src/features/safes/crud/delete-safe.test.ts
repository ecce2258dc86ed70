// Deleting a safe that has accounts: no secret is lost and no data is left behind.
import { createAccount, deleteSafe, readAccount, readAccountDetails, readSafe, updateSafe } from "@strongroom/contract";
import type { Safe } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { requestsOf } from "#features/access-requests/testing/requestable-account.ts";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;
const remove = (by: TestPerson, safe: Safe, to?: Safe) =>
  app.call(deleteSafe, { params: { id: safe.id }, query: { move_accounts_to: to?.id }, as: by.token });
const hasKey = async (safe: Safe) => {
  const { rows } = await app.database.pool.query("select from keks where purpose = $1", [`safe:${safe.id}`]);
  return rows.length === 1;
};

test("a safe with accounts is not deleted, and the error names their number", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner, { name: "Full" });
  await anAccount(app, owner, safe);
  const one = await remove(owner, safe);
  assert.deepEqual([one.status, codeOf(one)], [409, "safe.not-empty"]);
  assert.match(one.text, /\\"Full\\" still contains an account/);
  await anAccount(app, owner, safe);
  assert.match((await remove(owner, safe)).text, /\\"Full\\" still contains 2 accounts/);
  assert.equal(await hasKey(safe), true);
});

test("deleting a safe moves its accounts, which can be opened in the other safe, and then destroys the deleted safe's key", async () => {
  const owner = await aPerson(app);
  const [from, to] = [await aSafe(app, owner, { name: "From" }), await aSafe(app, owner, { name: "Other" })];
  const accounts = [await anAccount(app, owner, from), await anAccount(app, owner, from)];
  const reply = await remove(owner, from, to);
  assert.equal(reply.status, 200, reply.text);
  for (const { id, password } of accounts) {
    const read = await app.call(readAccount, { params: { id }, as: owner.token });
    assert.deepEqual([read.body.safe_id, read.body.password], [to.id, password]);
  }
  assert.deepEqual([await hasKey(from), await hasKey(to)], [false, true]);
  assert.equal((await app.call(readSafe, { params: { id: to.id }, as: owner.token })).body.account_count, 2);
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where event = 'safe.deleted' and target_id = $1",
    [from.id],
  );
  assert.deepEqual(JSON.parse(rows[0]!.text).details, { accounts_moved: 2, to: { id: to.id, name: "Other" } });
});

test("moving the accounts requires the same permissions as moving each of them: `delete` in the old safe and `add` in the new one", async () => {
  const [owner, member] = [await aPerson(app), await aPerson(app)];
  const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
  await anAccount(app, owner, from);
  await aMember(app, owner, from, member, ["manage_safe"]);
  const admin = await firstAdmin(app);
  assert.equal(codeOf(await remove(member, from, to)), "safe.permission-missing");
  assert.equal(codeOf(await remove(admin, from, to)), "safe.permission-missing");
  const another = await aPerson(app);
  await aMember(app, owner, from, another, ["manage_safe", "delete"]);
  assert.deepEqual([(await remove(another, from, to)).status, await hasKey(from)], [404, true]);
  await aMember(app, owner, to, another, "user");
  assert.equal(codeOf(await remove(another, from, to)), "safe.permission-missing");
  const sly = await aPerson(app);
  await aMember(app, owner, from, sly, ["manage_safe", "delete", "retrieve"]);
  const theirs = await aSafe(app, sly);
  // In their own safe, this user could retrieve every secret without the approval that the old safe requires.
  assert.equal(codeOf(await remove(sly, from, theirs)), "safe.permission-missing");
  assert.equal(codeOf(await remove(owner, from, from)), "safe.same");
  const archived = await aSafe(app, owner, { status: "archived" });
  assert.equal(codeOf(await remove(owner, from, archived)), "safe.permission-missing");
});

test("moving requires the permission to retrieve the secrets; an archived safe can still be emptied by its owner", async () => {
  const [owner, member] = [await aPerson(app), await aPerson(app)];
  const [from, to] = [await aSafe(app, owner), await aSafe(app, member)];
  const { id } = await anAccount(app, owner, from);
  await aMember(app, owner, from, member, ["manage_safe", "delete"]);
  assert.equal(codeOf(await remove(member, from, to)), "safe.permission-missing");
  const { name, description } = from;
  const archived = {
    params: { id: from.id },
    body: { name, description, status: "archived" },
    as: member.token,
  } as const;
  assert.equal((await app.call(updateSafe, archived)).status, 200);
  assert.equal(codeOf(await remove(member, from, to)), "safe.permission-missing");
  assert.equal((await app.call(readAccountDetails, { params: { id }, as: owner.token })).body.safe_id, from.id);
  assert.equal((await remove(owner, from, await aSafe(app, owner))).status, 200);
});

test("moving ends all grants, access requests and check-outs of the accounts", async () => {
  const [owner, requester] = [await aPerson(app), await aPerson(app)];
  const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
  const lending = { approvals_level_1: 1, exclusive_check_out: true, rotate_after_check_in: true };
  const platform_id = (await aPlatform(app, lending)).id;
  const account = () => anAccount(app, owner, from, { platform_id });
  const [used, granted, asked, idle] = [await account(), await account(), await account(), await account()];
  await aMember(app, owner, from, requester, ["list", "use", "retrieve"]);
  const requests = requestsOf(app);
  for (const each of [used, granted, asked]) {
    const request = await requests.ask(requester, each);
    if (each !== asked) assert.equal((await requests.approve(owner, request.body)).status, 200);
  }
  assert.equal((await requests.retrieve(requester, used)).status, 200);
  const lent = async (sql: string) =>
    (await app.database.pool.query(sql, [[used, granted, asked, idle].map(({ id }) => id)])).rows;
  const CHECK_OUTS = "select account_id from account_check_outs where account_id = any($1::uuid[])";
  assert.deepEqual(await lent(CHECK_OUTS), [{ account_id: used.id }]);

  assert.equal((await remove(owner, from, to)).status, 200);
  assert.deepEqual(await lent(CHECK_OUTS), []);
  const ends = await lent("select state, ended_how from access_requests where account_id = any($1::uuid[])");
  assert.deepEqual(
    ends,
    Array.from({ length: 3 }, () => ({ state: "ended", ended_how: "account-moved" })),
  );
  const wanted = await lent("select id from accounts where id = any($1::uuid[]) and rotation_wanted_at is not null");
  assert.deepEqual(wanted, [{ id: used.id }]);
});

test("creating accounts while the safe is being deleted either fails or prevents the deletion", async () => {
  const owner = await aPerson(app);
  const platform_id = (await aPlatform(app)).id;
  for (let round = 0; round < 12; round += 1) {
    const safe = await aSafe(app, owner);
    const body = {
      name: "Late",
      hostname: "app.example.com",
      username: "service",
      password: "a secret value",
      system_type: "Application",
      connection_method: "HTTPS",
      platform_id,
      safe_id: safe.id,
    } as const;
    const add = () => app.call(createAccount, { body, as: owner.token });
    const calls = [add(), remove(owner, safe), add()];
    const [one, deleted, two] = (await Promise.all(calls)) as { status: number; text: string }[];
    const added = [one!, two!].filter(({ status }) => status === 201).length;
    assert.ok(
      deleted!.status === 200 ? added === 0 : deleted!.status === 409 && added > 0,
      JSON.stringify([one, deleted, two]),
    );
    assert.equal((await app.call(readSafe, { params: { id: safe.id }, as: owner.token })).status === 200, added > 0);
  }
});

test("merging two safes into each other at the same time leaves one of them with all accounts", async () => {
  const owner = await aPerson(app);
  for (let round = 0; round < 4; round += 1) {
    const [a, b] = [await aSafe(app, owner), await aSafe(app, owner)];
    const accounts = [await anAccount(app, owner, a), await anAccount(app, owner, b)];
    const replies = await Promise.all([remove(owner, a, b), remove(owner, b, a)]);
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 404],
    );
    for (const { id, password } of accounts) {
      assert.equal((await app.call(readAccount, { params: { id }, as: owner.token })).body.password, password);
    }
  }
});
