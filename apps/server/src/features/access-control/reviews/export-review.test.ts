// Tests which email addresses the export and the search of an access review expose.
import { createToken, exportAccessReview, listReviewItems, startAccessReview } from "@strongroom/contract";
import type { ScopeChoice } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

test("an export masks email addresses for an API token that may not list users", async () => {
  const owner = await aPerson(app);
  const scope = { kind: "safes" as const, safe_ids: [(await aSafe(app, owner)).id] };
  const due_at = new Date(Date.now() + 86_400_000).toISOString();
  const asked = { name: "Quarterly", scope, due_at, unreviewed: "stays" as const };
  const review = (await app.call(startAccessReview, { body: asked, as: admin.token })).body;
  const exported = async (scopes: ScopeChoice[], format: "csv" | "json") => {
    const body = { name: "Exporter", scopes, expires_in_days: 1 };
    const { token } = (await app.call(createToken, { body, as: admin.token })).body;
    const reply = await app.call(exportAccessReview, { params: { id: review.id }, query: { format }, as: token });
    assert.equal(reply.status, 200, reply.text);
    return reply.text;
  };
  for (const format of ["csv", "json"] as const) {
    const masked = await exported(["access.manage"], format);
    assert.ok(!masked.includes(owner.email) && masked.includes("…@example.com"), masked);
    assert.ok((await exported(["access.manage", "user.list"], format)).includes(owner.email));
  }
});

test("without the permission to see email addresses, a search by address finds only the caller's own membership", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  await aMember(app, owner, safe, admin, ["list"]);
  const scope = { kind: "safes" as const, safe_ids: [safe.id] };
  const due_at = new Date(Date.now() + 86_400_000).toISOString();
  const body = { name: "Quarterly", scope, due_at, unreviewed: "stays" as const };
  const { id } = (await app.call(startAccessReview, { body, as: admin.token })).body;
  const scopes: ScopeChoice[] = ["access.manage", "access.review"];
  const made = await app.call(createToken, { body: { name: "Reader", scopes, expires_in_days: 1 }, as: admin.token });
  const found = async (search: string) => {
    const reply = await app.call(listReviewItems, { params: { id }, query: { search }, as: made.body.token });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.items.map(({ user_id }) => user_id);
  };
  assert.deepEqual(await found(admin.email), [admin.id]);
  assert.deepEqual(await found(owner.email), []);
});
