// Tests the ownership, visibility and contents of saved views over HTTP.
import { MOST_VIEWS, VIEW_LISTS, createSavedView, deleteSavedView, listSavedViews } from "@strongroom/contract";
import type { NewSavedView } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const save = (as: TestPerson, fields: Partial<NewSavedView> = {}) =>
  app.call(createSavedView, {
    body: { list: "accounts", name: "Linux", filters: { system: "Linux", sort: "-name" }, is_shared: false, ...fields },
    as: as.token,
  });
const viewsOf = async (as: TestPerson, list: NewSavedView["list"] = "accounts") =>
  (await app.call(listSavedViews, { query: { list }, as: as.token })).body.views;
const remove = (as: TestPerson, id: string) => app.call(deleteSavedView, { params: { id }, as: as.token });

test("a view keeps its filters, and only its user sees and deletes it", async () => {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  const made = await save(owner);
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(await viewsOf(owner), [made.body]);
  assert.deepEqual(made.body.filters, { system: "Linux", sort: "-name" });
  assert.deepEqual([await viewsOf(owner, "safes"), await viewsOf(other)], [[], []]);
  const admin = await firstAdmin(app);
  assert.deepEqual(
    [(await remove(other, made.body.id)).status, (await remove(admin, made.body.id)).status],
    [404, 404],
  );
  assert.equal((await remove(owner, made.body.id)).status, 200);
  assert.deepEqual(await viewsOf(owner), []);
});

test("every list has its own views", async () => {
  const owner = await aPerson(app, "admin");
  for (const list of VIEW_LISTS) assert.equal((await save(owner, { list, name: list })).status, 201, list);
  for (const list of VIEW_LISTS)
    assert.deepEqual(
      (await viewsOf(owner, list)).map(({ name }) => name),
      [list],
    );
});

test("a shared view reveals its name and filters to others, and neither its user nor the safe that it selects", async () => {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner, { name: "Project Nightfall" });
  const made = await save(owner, { name: "Ours", filters: { safe: safe.id }, is_shared: true });
  const reply = await app.call(listSavedViews, { query: { list: "accounts" }, as: other.token });
  const seen = reply.body.views.find(({ id }) => id === made.body.id);
  assert.deepEqual(seen, { ...made.body, is_own: false, can_delete: false });
  for (const secret of ["Nightfall", owner.email, owner.id]) assert.ok(!reply.text.includes(secret), secret);
  assert.equal((await remove(other, made.body.id)).status, 403);
  const admin = await firstAdmin(app);
  assert.equal((await remove(admin, made.body.id)).status, 200);
  assert.deepEqual(await viewsOf(owner), []);
});

test("views of the audit trail and of the list of users are only for users who can open these lists", async () => {
  const [auditor, user] = [await aPerson(app, "manager"), await aPerson(app)];
  for (const list of ["audit", "users"] as const) {
    const as = list === "audit" ? auditor : await aPerson(app, "admin");
    const made = await save(as, { list, name: "Nightfall", is_shared: true });
    assert.equal(made.status, 201, made.text);
    const listed = await app.call(listSavedViews, { query: { list }, as: user.token });
    assert.equal(listed.status, 403, list);
    assert.equal((await save(user, { list })).status, 403, list);
    assert.equal((await remove(user, made.body.id)).status, 404, list);
    assert.equal((await remove(as, made.body.id)).status, 200, list);
  }
});

test("rejects unknown lists, invalid filters and invisible characters", async () => {
  const owner = await aPerson(app);
  const bad: Partial<NewSavedView>[] = [
    { list: "tokens" as never },
    { filters: { "a b": "x" } },
    { filters: { search: "" } },
    { filters: { search: "a\u202eb" } },
    { filters: { search: "x".repeat(201) } },
    {
      filters: Object.fromEntries(
        Array.from({ length: 21 }, (_, n) => [`${"f".repeat(1 + (n % 19))}${n < 19 ? "a" : "b"}`, "x"]),
      ),
    },
    { name: " " },
  ];
  for (const fields of bad) assert.equal((await save(owner, fields)).status, 400, JSON.stringify(fields));
  assert.deepEqual(await viewsOf(owner), []);
});

test(`a user can save at most ${MOST_VIEWS} views`, async () => {
  const owner = await aPerson(app);
  await app.database.pool.query(
    `insert into saved_views (id, user_id, list, name, filters, is_shared, created_at)
     select gen_random_uuid(), $1, 'accounts', 'View ' || number, '{}', false, now() from generate_series(2, $2) number`,
    [owner.id, MOST_VIEWS],
  );
  const replies = await Promise.all([save(owner), save(owner)]);
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409],
  );
});
