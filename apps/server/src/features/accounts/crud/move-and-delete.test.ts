// Tests moving accounts to other safes, and deleting accounts.
import { deleteAccount, deleteSafe, listAccounts, retrieveAccountVersion } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aSecret } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { actingOn } from "../testing/acting.ts";

let app: TestApp;
let acting: ReturnType<typeof actingOn>;
before(async () => {
  app = await testApp();
  acting = actingOn(app);
});
after(() => app.close());

describe("moving an account", () => {
  test("keeps its secrets and history, sealed under the other safe's key", async () => {
    const owner = await aPerson(app);
    const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
    const account = await anAccount(app, owner, from);
    const password = aSecret();
    await acting.update(owner, account, { password });
    const moved = await acting.move(owner, account, to);
    assert.equal(moved.status, 200, moved.text);
    assert.equal(moved.body.safe_id, to.id);
    assert.equal((await acting.retrieve(owner, account)).body.password, password);
    const params = { id: account.id, version: 1 };
    const old = await app.call(retrieveAccountVersion, { params, as: owner.token });
    assert.equal(old.body.password, account.password);
    const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
    assert.deepEqual(await acting.detailsOf(account.id, "account.moved"), [{ from: named(from), to: named(to) }]);
    // The key of the previous safe is no longer needed.
    const gone = await app.call(deleteSafe, { params: { id: from.id }, as: owner.token });
    assert.equal(gone.status, 200, gone.text);
    assert.equal((await acting.retrieve(owner, account)).body.password, password);
  });

  test("requires `delete` and permission to retrieve the secret in the current safe, and `add` in the destination", async () => {
    const owner = await aPerson(app);
    const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
    const account = await anAccount(app, owner, from);
    const mover = await acting.aMemberWith(owner, from, ["add"]);
    assert.equal((await acting.move(mover, account, to)).status, 404);
    await aMember(app, owner, to, mover, ["delete"]);
    assert.equal((await acting.move(mover, account, to)).status, 403);
    const other = await acting.aMemberWith(owner, from, ["delete", "retrieve"]);
    await aMember(app, owner, to, other, ["add"]);
    assert.equal((await acting.move(other, account, to)).status, 200);
    const same = await acting.move(owner, account, to);
    assert.equal(same.status, 422);
  });

  test("gives no access to a secret that the user may not retrieve, or may retrieve only with approval", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const asking = await aPlatform(app, { approvals_level_1: 1 });
    const [open, guarded] = [
      await anAccount(app, owner, safe),
      await anAccount(app, owner, safe, { platform_id: asking.id }),
    ];
    const deleter = await acting.aMemberWith(owner, safe, ["delete", "update_properties"]);
    const manager = await acting.aMemberWith(owner, safe, ["delete", "update_properties", "retrieve"]);
    for (const [who, account] of [
      [deleter, open],
      [manager, guarded],
    ] as const) {
      const own = await aSafe(app, who);
      const refused = [
        await acting.move(who, account, own),
        // The next validation would send the secret to the new address.
        await acting.update(who, account, { hostname: "elsewhere.example.com" }),
        await acting.update(who, account, { connection_string: "https://elsewhere.example.com/" }),
      ];
      for (const { status, text } of refused)
        assert.deepEqual([status, text.includes("permission")], [403, true], text);
      assert.equal((await acting.details(owner, account)).body.safe_id, safe.id);
    }
    const lighter = await acting.update(manager, guarded, { platform_id: open.platform_id });
    assert.equal(lighter.status, 403, lighter.text);
    const notes = await acting.update(manager, guarded, { notes: "Known to all" });
    assert.equal(notes.status, 200, notes.text);
    assert.equal((await acting.update(owner, guarded, { platform_id: open.platform_id })).status, 200);
  });

  test("does not disturb simultaneous retrievals: each returns the secret", async () => {
    const owner = await aPerson(app);
    const [one, other] = [await aSafe(app, owner), await aSafe(app, owner)];
    const account = await anAccount(app, owner, one);
    for (let round = 0; round < 10; round++) {
      const replies = await Promise.all([
        acting.move(owner, account, round % 2 === 0 ? other : one),
        ...Array.from({ length: 5 }, () => acting.retrieve(owner, account)),
      ]);
      assert.equal(replies[0]?.status, 200, replies[0]?.text);
      for (const reply of replies.slice(1)) assert.ok(reply.text.includes(account.password), reply.text);
    }
  });

  test("happens to all accounts of a deleted safe", async () => {
    const owner = await aPerson(app);
    const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
    const accounts = [await anAccount(app, owner, from), await anAccount(app, owner, from)];
    const query = { move_accounts_to: to.id };
    const gone = await app.call(deleteSafe, { params: { id: from.id }, query, as: owner.token });
    assert.equal(gone.status, 200, gone.text);
    for (const account of accounts) {
      assert.equal((await acting.details(owner, account)).body.safe_id, to.id);
      assert.equal((await acting.retrieve(owner, account)).body.password, account.password);
    }
  });
});

describe("deleting an account", () => {
  test("OPEN-57: erases every version of its secret immediately and keeps the audit trail", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe);
    await acting.update(owner, account, { password: aSecret() });
    const member = await acting.aMemberWith(owner, safe, ["retrieve"]);
    const params = { id: account.id };
    assert.equal((await app.call(deleteAccount, { params, as: member.token })).status, 403);
    const reply = await app.call(deleteAccount, { params, as: owner.token });
    assert.equal(reply.status, 200, reply.text);
    const { rows } = await app.database.pool.query("select from secret_versions where credential_id = $1", [
      account.id,
    ]);
    assert.equal(rows.length, 0);
    assert.equal((await acting.retrieve(owner, account)).status, 404);
    assert.equal((await acting.details(owner, account)).status, 404);
    assert.deepEqual((await app.call(listAccounts, { as: owner.token })).body.data, []);
    assert.equal((await acting.detailsOf(account.id, "account.created")).length, 1);
    assert.equal((await acting.detailsOf(account.id, "account.deleted")).length, 1);
  });

  test("is refused while a platform uses it as its reconcile account", async () => {
    const owner = await aPerson(app);
    const account = await anAccount(app, owner, await aSafe(app, owner));
    const platform = await aPlatform(app, { reconcile_account_id: account.id });
    const reply = await app.call(deleteAccount, { params: { id: account.id }, as: owner.token });
    assert.equal(reply.status, 409);
    assert.ok(reply.text.includes(platform.name), reply.text);
  });
});
