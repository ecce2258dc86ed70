// Tests moving accounts into a safe that another user gave the mover access to: the move lists who gains access, and requires
// confirmation.
import {
  bulkAccounts,
  createToken,
  deleteSafe,
  moveAccount,
  readAccountDetails,
  retrieveAccount,
  updateSafe,
} from "@strongroom/contract";
import type { Account, PeopleGainingAccess, Problem, Safe } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { Reply, TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** `host` owns a safe and makes `guest` its manager; `guest` also owns a safe with accounts. */
async function aLure() {
  const [host, guest] = [await aPerson(app), await aPerson(app)];
  const lure = await aSafe(app, host, { name: "Team vault" });
  await aMember(app, host, lure, guest, "manager");
  const own = await aSafe(app, guest);
  const account = await anAccount(app, guest, own);
  return { host, guest, lure, own, account };
}

const move = (who: TestPerson, { id }: Pick<Account, "id">, safe: Pick<Safe, "id">, confirmation?: string) =>
  app.call(moveAccount, { params: { id }, body: { safe_id: safe.id, confirmation }, as: who.token });
const sees = async (who: TestPerson, { id }: Pick<Account, "id">) =>
  (await app.call(readAccountDetails, { params: { id }, as: who.token })).status === 200;

function askedIn(reply: Reply<unknown>): PeopleGainingAccess {
  const { code, people_gaining_access } = reply.body as Problem;
  assert.deepEqual([reply.status, code], [409, "safe.people-gain-access"], reply.text);
  return people_gaining_access!;
}
const namesOf = (asked: PeopleGainingAccess) => asked.people.map(({ name }) => name);

describe("moving an account into another user's safe", () => {
  test("names the users who gain access, and moves the account once they are confirmed", async () => {
    const { host, guest, lure, account } = await aLure();
    const asked = askedIn(await move(guest, account, lure));
    assert.equal(asked.safe_name, "Team vault");
    assert.equal(asked.total, 1);
    assert.deepEqual(asked.people[0]?.can.slice(0, 2), ["use", "retrieve"]);
    assert.ok(!JSON.stringify(asked).includes("@"), "no address is shown");
    assert.equal(await sees(host, account), false);
    assert.equal((await move(guest, account, lure, asked.confirmation)).status, 200);
    const taken = await app.call(retrieveAccount, { params: { id: account.id }, body: {}, as: host.token });
    assert.equal(taken.body.password, account.password);
  });

  test("asks for confirmation again when another user joined in the meantime, directly or through a group", async () => {
    const { host, guest, lure, account } = await aLure();
    const first = askedIn(await move(guest, account, lure));
    const accomplice = await aPerson(app);
    await aMember(app, host, lure, accomplice, "user");
    const second = askedIn(await move(guest, account, lure, first.confirmation));
    assert.equal(second.total, 2);
    await aMember(app, host, lure, await aGroup(app, [await aPerson(app), await aPerson(app)]), "user");
    const third = askedIn(await move(guest, account, lure, second.confirmation));
    assert.equal(third.total, 4);
    assert.equal((await move(guest, account, lure, third.confirmation)).status, 200);
  });

  test("rejects a confirmation for a different safe or from a different user", async () => {
    const [one, other] = [await aLure(), await aLure()];
    const foreign = askedIn(await move(other.guest, other.account, other.lure)).confirmation;
    askedIn(await move(one.guest, one.account, one.lure, foreign));
    askedIn(await move(one.guest, one.account, one.lure, ""));
  });

  test("also asks an owner who received the safe from another user for confirmation", async () => {
    const { host, guest, lure, account } = await aLure();
    const body = { name: lure.name, description: null, owner_id: guest.id };
    assert.equal((await app.call(updateSafe, { params: { id: lure.id }, body, as: host.token })).status, 200);
    assert.equal(askedIn(await move(guest, account, lure)).total, 1);
    assert.equal(await sees(host, account), false);
  });

  test("tells users with the same name apart by a masked address", async () => {
    const { host, guest, lure, account } = await aLure();
    const twin = await aPerson(app);
    await aMember(app, host, lure, twin, "user");
    await app.database.pool.query("update users set name = 'Ada Lovelace' where id = any($1)", [[host.id, twin.id]]);
    const asked = askedIn(await move(guest, account, lure));
    assert.deepEqual(namesOf(asked), ["Ada Lovelace", "Ada Lovelace"]);
    const hints = asked.people.map(({ hint }) => hint!);
    assert.equal(new Set(hints).size, 2);
    for (const hint of hints) assert.match(hint, /^p….@example\.com$/);
  });

  test("asks for no confirmation if the mover created the safe, joined it as an administrator, or is its only member", async () => {
    const { guest, own, account } = await aLure();
    const shared = await aSafe(app, guest);
    await aMember(app, guest, shared, await aPerson(app), "user");
    assert.equal((await move(guest, account, shared)).status, 200);
    const admin = await firstAdmin(app);
    await aMember(app, admin, own, admin, "manager");
    const mine = await anAccount(app, admin, await aSafe(app, admin));
    assert.equal((await move(admin, mine, own)).status, 200);
  });
});

describe("other ways to move accounts into another user's safe require the same confirmation", () => {
  test("a bulk move moves all accounts or none", async () => {
    const { host, guest, lure, own, account } = await aLure();
    const second = await anAccount(app, guest, own);
    const account_ids = [account.id, second.id];
    const bulk = (confirmation?: string) =>
      app.call(bulkAccounts, {
        body: { action: "move", account_ids, safe_id: lure.id, confirmation },
        as: guest.token,
      });
    const asked = askedIn(await bulk());
    assert.deepEqual([await sees(host, account), await sees(host, second)], [false, false]);
    const moved = await bulk(asked.confirmation);
    assert.deepEqual(moved.body.done, account_ids, moved.text);
  });

  test("deleting a safe keeps its accounts until the move is confirmed", async () => {
    const { host, guest, lure, own, account } = await aLure();
    const remove = (confirmation?: string) =>
      app.call(deleteSafe, {
        params: { id: own.id },
        query: { move_accounts_to: lure.id, confirmation },
        as: guest.token,
      });
    const asked = askedIn(await remove());
    assert.equal(await sees(host, account), false);
    assert.equal((await remove(asked.confirmation)).status, 200);
    assert.equal(await sees(host, account), true);
  });

  test("a move with an API token requires the same confirmation", async () => {
    const { host, guest, lure, account } = await aLure();
    const body = { name: "A token", scopes: ["account.manage", "safe.share"] as never, expires_in_days: 1 };
    const made = await app.call(createToken, { body, as: guest.token });
    askedIn(await move({ ...guest, token: made.body.token }, account, lure));
    assert.equal(await sees(host, account), false);
  });
});
