// Every field in `ACCOUNT_DETAILS` is stored, shown, changed, exported and imported.
import {
  ACCOUNT_DETAIL_NAMES,
  createAccount,
  exportAccounts,
  importAccounts,
  listAccounts,
  pick,
  recordOf,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPlatform } from "#testing/accounts.ts";
import { aSecret } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { actingOn } from "../testing/acting.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const detailsNamed = (text: string) => recordOf(ACCOUNT_DETAIL_NAMES, (name) => `${text} ${name}`);

test("every detail of an account is stored, shown, changed, exported and imported", async () => {
  const owner = await aPerson(app, "manager");
  const [safe, platform] = [await aSafe(app, owner), await aPlatform(app)];
  const fields = { name: "payroll", hostname: "app.example.com", username: "service" };
  const kind = { system_type: "Application", connection_method: "HTTPS", platform_id: platform.id } as const;
  const body = { ...fields, ...kind, ...detailsNamed("first"), safe_id: safe.id, password: aSecret() };
  const made = await app.call(createAccount, { body, as: owner.token });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(pick(made.body, ACCOUNT_DETAIL_NAMES), detailsNamed("first"));

  const edited = await actingOn(app).update(owner, made.body, detailsNamed("second"));
  assert.deepEqual(pick(edited.body, ACCOUNT_DETAIL_NAMES), detailsNamed("second"));
  const emptied = await actingOn(app).update(
    owner,
    made.body,
    recordOf(ACCOUNT_DETAIL_NAMES, () => ""),
  );
  assert.deepEqual(
    pick(emptied.body, ACCOUNT_DETAIL_NAMES),
    recordOf(ACCOUNT_DETAIL_NAMES, () => null),
  );

  const header = [...Object.keys(fields), "password", "platform", ...ACCOUNT_DETAIL_NAMES];
  const cells = ["imported", "app.example.com", "service", aSecret(), platform.name];
  const csv = [header, [...cells, ...Object.values(detailsNamed("third"))]].map((line) => line.join(",")).join("\n");
  const read = await app.call(importAccounts, { body: { csv, dry_run: false, safe_id: safe.id }, as: owner.token });
  assert.deepEqual([read.body.imported, read.body.bad], [1, []]);
  const listed = await app.call(listAccounts, { query: { search: "imported" }, as: owner.token });
  assert.deepEqual(pick(listed.body.data[0]!, ACCOUNT_DETAIL_NAMES), detailsNamed("third"));

  const exported = await app.call(exportAccounts, { query: { safe_id: safe.id }, as: owner.token });
  const [columns = "", line = ""] = exported.text.split("\r\n");
  const cellOf = (name: string) => line.split(",")[columns.split(",").indexOf(name)];
  assert.deepEqual(recordOf(ACCOUNT_DETAIL_NAMES, cellOf), detailsNamed("third"));
});
