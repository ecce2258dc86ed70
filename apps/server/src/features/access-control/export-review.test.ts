// The export of an access review: whose addresses it shows.
import { createToken, exportAccessReview, startAccessReview } from "@strongroom/contract";
import type { ScopeChoice } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

test("an export masks addresses for an API token that may not list users", async () => {
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
