// Tests the tags of accounts and safes: stored, changed, found, imported and exported.
import { exportAccounts, importAccounts, listAccounts, listSafes, updateSafe } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aSecret } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { actingOn } from "../testing/acting.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test("tags are stored in lower case, once each, and found by filter and search until they are removed", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const account = await anAccount(app, owner, safe, { tags: ["PCI", "team blue", "pci"] });
  assert.deepEqual(account.tags, ["pci", "team blue"]);
  const other = await anAccount(app, owner, safe);
  assert.deepEqual(other.tags, []);
  const found = async (query: { tag?: string; search?: string }) =>
    (await app.call(listAccounts, { query, as: owner.token })).body.data.map(({ id }) => id);
  assert.deepEqual([await found({ tag: "PCI" }), await found({ search: "blue" })], [[account.id], [account.id]]);

  const { update } = actingOn(app);
  assert.deepEqual((await update(owner, account, { tags: ["legacy"] })).body.tags, ["legacy"]);
  assert.deepEqual(
    [await found({ tag: "pci" }), await found({ search: "blue" }), await found({ tag: "legacy" })],
    [[], [], [account.id]],
  );
});

test("an edit that omits the tags keeps them, and they are still found", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const account = await anAccount(app, owner, safe, { tags: ["keep"] });
  const edited = await actingOn(app).update(owner, account, { notes: "changed", tags: undefined });
  assert.deepEqual([edited.status, edited.body.tags], [200, ["keep"]], edited.text);
  const found = await app.call(listAccounts, { query: { search: "keep" }, as: owner.token });
  assert.deepEqual(
    found.body.data.map(({ id }) => id),
    [account.id],
  );
});

test("changing tags requires the permission to update properties", async () => {
  const [owner, member] = [await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  await aMember(app, owner, safe, member, ["list", "retrieve"]);
  const account = await anAccount(app, owner, safe);
  assert.equal((await actingOn(app).update(member, account, { tags: ["mine"] })).status, 403);
});

test("a tag with a comma, without a letter or too long is rejected, and so are more than 20", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const account = await anAccount(app, owner, safe);
  for (const tags of [["a,b"], [" "], ["-x"], ["x".repeat(41)], Array.from({ length: 21 }, (_, n) => `t${n}`)])
    assert.equal((await actingOn(app).update(owner, account, { tags })).status, 400, JSON.stringify(tags));
});

test("import and export keep tags, and an export has exactly the filtered accounts in their order", async () => {
  const owner = await aPerson(app, "manager");
  const [safe, platform] = [await aSafe(app, owner), await aPlatform(app)];
  const lines = ["b,first", "a,second", "c,other"].map(
    (line) =>
      `${line.split(",")[0]},app.example.com,service,${aSecret()},${platform.name},"${line.split(",")[1]}, csv"`,
  );
  const csv = ["name,hostname,username,password,platform,tags", ...lines].join("\n");
  const read = await app.call(importAccounts, { body: { csv, dry_run: false, safe_id: safe.id }, as: owner.token });
  assert.deepEqual([read.body.imported, read.body.bad], [3, []]);
  await anAccount(app, owner, safe, { name: "untagged" });
  const query = { tag: "csv", sort: "name" } as const;
  const exported = await app.call(exportAccounts, { query, as: owner.token });
  const [header = "", ...rows] = exported.text.trim().split("\r\n");
  assert.deepEqual(
    rows.map((row) => row.split(",")[0]),
    ["a", "b", "c"],
  );
  assert.ok(header.includes(",tags,"));
  assert.ok(rows[0]?.includes('"csv, second"'), rows[0]);
});

test("safes have tags too, which filter and search find; only managers of the safe change them", async () => {
  const [owner, member] = [await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner, { tags: ["Plant 2"] });
  await aSafe(app, owner);
  assert.deepEqual(safe.tags, ["plant 2"]);
  const found = async (query: { tag?: string; search?: string }) =>
    (await app.call(listSafes, { query, as: owner.token })).body.safes.map(({ id }) => id);
  assert.deepEqual([await found({ tag: "plant 2" }), await found({ search: "plant" })], [[safe.id], [safe.id]]);
  const { name, description } = safe;
  const edit = (as: string, tags?: string[]) =>
    app.call(updateSafe, { params: { id: safe.id }, body: { name, description, tags }, as });
  assert.deepEqual((await edit(owner.token)).body.tags, ["plant 2"]);
  await aMember(app, owner, safe, member, "user");
  assert.equal((await edit(member.token, ["mine"])).status, 403);
  assert.deepEqual((await edit(owner.token, [])).body.tags, []);
  assert.deepEqual(await found({ tag: "plant 2" }), []);
});
