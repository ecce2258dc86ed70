// Tests finding hosts: by the beginning of their names, and only those of accounts that the user can see.
import { listAccounts, listDiscoveryTargets, searchEverywhere } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
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

async function hosts(as: TestPerson, search: string): Promise<[string, string][]> {
  const { body } = await app.call(searchEverywhere, { query: { search }, as: as.token });
  return body.results.filter(({ kind }) => kind === "host").map(({ title, detail }) => [title, detail]);
}

const byName = ([one = ""]: readonly (string | null)[], [two = ""]: readonly (string | null)[]) =>
  (one ?? "").localeCompare(two ?? "");

test("a search finds each host once, with the accounts that the user can see", async () => {
  const [owner, member, other] = [await aPerson(app), await aPerson(app), await aPerson(app)];
  const [open, closed] = [await aSafe(app, owner), await aSafe(app, owner)];
  await aMember(app, owner, open, member, "user");
  const on = (hostname: string, safe = open) => anAccount(app, owner, safe, { hostname });
  await Promise.all([on("Mango-1.example.com"), on("mango-1.example.com"), on("mango-2.example.com", closed)]);

  const [one, two] = ["mango-1.example.com", "mango-2.example.com"];
  for (const who of [owner, await firstAdmin(app)])
    assert.deepEqual((await hosts(who, "MANGO")).toSorted(byName), [
      [one, "2 accounts"],
      [two, "1 account"],
    ]);
  assert.deepEqual(await hosts(member, "mango"), [[one, "2 accounts"]]);
  assert.deepEqual([await hosts(member, two), await hosts(other, "mango")], [[], []]);
});

test("the accounts of a host are those with exactly its name, whatever its case, in the caller's safes", async () => {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  const account = await anAccount(app, owner, safe, { hostname: "Papaya.example.com" });
  await anAccount(app, owner, safe, { hostname: "papaya.example.com.evil.example" });
  const on = async (as: TestPerson, host: string) => {
    const { body } = await app.call(listAccounts, { query: { host }, as: as.token });
    return body.data.map(({ id }) => id);
  };
  assert.deepEqual(await on(owner, "PAPAYA.example.com"), [account.id]);
  assert.deepEqual([await on(owner, "papaya"), await on(other, "papaya.example.com")], [[], []]);
  const targets = await app.call(listDiscoveryTargets, { query: { host: "papaya.example.com" }, as: owner.token });
  assert.deepEqual([targets.status, targets.body.data], [200, []]);
});
