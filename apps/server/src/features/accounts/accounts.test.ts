// What people can do with the accounts of their safes.
import {
  accountStatistics,
  checkInAccount,
  createAccount,
  deleteAccount,
  explainAccountAccess,
  listAccountVersions,
  listAccounts,
  moveAccount,
  readAccount,
  readAccountDetails,
  readAccountHistory,
  retrieveAccount,
  retrieveAccountVersion,
  updateAccount,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test("ACC-34: one retrieves the password of an account in one's safe", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const { password, ...account } = await anAccount(app, owner, safe);
  const list = await app.call(listAccounts, { as: owner.token });
  assert.equal(list.status, 200, list.text);
  assert.deepEqual(list.body.data, [account]);
  const one = await app.call(readAccount, { params: { id: account.id }, as: owner.token });
  assert.equal(one.body.password, password, one.text);
  const other = await aPerson(app);
  assert.equal((await app.call(readAccount, { params: { id: account.id }, as: other.token })).status, 404);
  console.log(JSON.stringify(one.body));
});
