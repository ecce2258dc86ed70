// Tests subscriptions to saved views of the audit trail over HTTP.
import {
  MOST_SUBSCRIPTIONS,
  createSafe,
  createSavedView,
  deleteSavedView,
  listAuditSubscriptions,
  listNotifications,
  subscribeToAudit,
  unsubscribeFromAudit,
} from "@strongroom/contract";
import type { NewSavedView, SavedView } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { newestSeq } from "../order.store.ts";
import { nextCheck } from "./subscriptions.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

async function aView(as: TestPerson, fields: Partial<NewSavedView> = {}): Promise<SavedView> {
  const body = { list: "audit" as const, name: "New safes", filters: { event: "safe.created" }, is_shared: false };
  const reply = await app.call(createSavedView, { body: { ...body, ...fields }, as: as.token });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

const subscribe = (as: TestPerson, { id }: Pick<SavedView, "id">, cadence: "minute" | "hourly" | "daily" = "hourly") =>
  app.call(subscribeToAudit, { params: { id }, body: { cadence }, as: as.token });
const subscriptionsOf = async (as: TestPerson) =>
  (await app.call(listAuditSubscriptions, { as: as.token })).body.subscriptions;
const makeSafe = async (as: TestPerson, name: string) =>
  assert.equal((await app.call(createSafe, { body: { name }, as: as.token })).status, 201);
const noticesOf = async (as: TestPerson) =>
  (await app.call(listNotifications, { as: as.token })).body.notifications.filter(
    ({ type }) => type === "audit_subscription",
  );

/** Waits until all recorded entries are in the tree. */
const settle = () =>
  eventually(async () => {
    const { rows } = await app.database.pool.query("select from audit_pending limit 1");
    return rows.length === 0 ? true : null;
  });

/** Makes all subscriptions due, and waits until they were checked. */
async function check(): Promise<void> {
  await settle();
  await app.database.pool.query("update audit_subscriptions set next_at = now() - interval '3 hours'");
  await app.database.transaction((tx) => app.kernel.jobs.enqueue(tx, "audit.subscriptions", {}));
  await eventually(async () => {
    const { rows } = await app.database.pool.query("select from audit_subscriptions where next_at <= now() limit 1");
    return rows.length === 0 ? true : null;
  });
}

/** Notifications are delivered in order, so receiving a later one of another view proves that no other was sent. */
async function expectNotices(as: TestPerson, messages: readonly string[]): Promise<void> {
  const notices = await eventually(async () => {
    const found = await noticesOf(as);
    return found.length >= messages.length ? found : null;
  });
  assert.deepEqual(
    notices.map(({ message }) => message),
    messages,
  );
}

test("notifies of each new entry once, with a link to the view, and never of entries before the subscription", async () => {
  const [auditor, other] = [await aPerson(app, "manager"), await aPerson(app)];
  await makeSafe(other, "Before");
  await settle();
  const view = await aView(auditor);
  const made = await subscribe(auditor, view);
  assert.equal(made.status, 200, made.text);
  assert.deepEqual(await subscriptionsOf(auditor), [made.body]);
  await check();
  await makeSafe(other, "First");
  await makeSafe(other, "Second");
  await check();
  await check();
  await makeSafe(other, "Third");
  await check();
  await expectNotices(auditor, ["1 new entry", "2 new entries"]);
  const [notice] = await noticesOf(auditor);
  assert.equal(notice?.link, "/audit-logs?event=safe.created");
  assert.equal(notice.title, 'New audit entries in "New safes"');
  assert.deepEqual(await noticesOf(other), []);
});

test("a changed cadence keeps what was covered, and an ended subscription notifies no more", async () => {
  const [auditor, other] = [await aPerson(app, "manager"), await aPerson(app)];
  const view = await aView(auditor);
  await subscribe(auditor, view, "daily");
  await makeSafe(other, "Between");
  const changed = await subscribe(auditor, view, "minute");
  assert.equal(changed.body.cadence, "minute");
  await check();
  await expectNotices(auditor, ["1 new entry"]);
  const params = { params: { id: view.id }, as: auditor.token };
  assert.equal((await app.call(unsubscribeFromAudit, params)).status, 200);
  assert.equal((await app.call(unsubscribeFromAudit, params)).status, 404);
  await makeSafe(other, "Afterwards");
  await check();
  const marker = await aView(auditor, { name: "Marker" });
  await subscribe(auditor, marker);
  await makeSafe(other, "Marked");
  await check();
  await expectNotices(auditor, ["1 new entry", "1 new entry"]);
  assert.equal((await noticesOf(auditor))[0]?.title, 'New audit entries in "Marker"');
});

test("a search that cannot be run is reported once and covers the missed entries afterwards", async () => {
  const [auditor, other] = [await aPerson(app, "manager"), await aPerson(app)];
  const view = await aView(auditor, { filters: { search: "Obsidian" } });
  await subscribe(auditor, view);
  await makeSafe(other, "Obsidian vault");
  await settle();
  await app.database.pool.query("alter table audit_names rename to audit_names_away");
  try {
    await check();
    await check();
  } finally {
    await app.database.pool.query("alter table audit_names_away rename to audit_names");
  }
  assert.equal(
    (await subscriptionsOf(auditor))[0]?.problem,
    "The check failed. The next one includes the missed entries.",
  );
  await check();
  await expectNotices(auditor, ["1 new entry", "The check failed. The next one includes the missed entries."]);
  assert.equal((await subscriptionsOf(auditor))[0]?.problem, null);
});

test("a user who lost the right to read the trail is not notified", async () => {
  const [auditor, other] = [await aPerson(app, "manager"), await aPerson(app)];
  await subscribe(auditor, await aView(auditor));
  await makeSafe(other, "Unseen");
  await app.database.pool.query("update users set role = 'user' where id = $1", [auditor.id]);
  await check();
  await app.database.pool.query("update users set role = 'manager' where id = $1", [auditor.id]);
  await makeSafe(other, "Seen");
  await check();
  await expectNotices(auditor, ["1 new entry"]);
});

test("only readers of the trail subscribe, to their own and shared views of it", async () => {
  const [auditor, other, user] = [await aPerson(app, "manager"), await aPerson(app, "manager"), await aPerson(app)];
  const [own, shared] = [await aView(auditor), await aView(auditor, { is_shared: true })];
  assert.equal((await subscribe(user, shared)).status, 403);
  assert.equal((await subscribe(other, own)).status, 404);
  assert.equal((await subscribe(auditor, await aView(auditor, { list: "accounts" }))).status, 404);
  assert.equal((await subscribe(auditor, await aView(auditor, { filters: { to: "2026-11-01" } }))).status, 409);
  assert.equal((await subscribe(other, shared)).status, 200);
  assert.deepEqual(await subscriptionsOf(auditor), []);
  const params = { params: { id: shared.id }, as: auditor.token };
  assert.equal((await app.call(unsubscribeFromAudit, params)).status, 404);
  assert.equal((await app.call(deleteSavedView, params)).status, 200);
  assert.deepEqual(await subscriptionsOf(other), []);
});

test("a view that is deleted while a user subscribes is not found", async () => {
  const admin = await aPerson(app, "admin");
  const view = await aView(admin);
  const deleting = await app.database.pool.connect();
  try {
    await deleting.query("begin");
    await deleting.query("delete from saved_views where id = $1", [view.id]);
    const subscribing = subscribe(admin, view);
    await eventually(async () => {
      const { rows } = await app.database.pool.query("select from pg_locks where not granted limit 1");
      return rows.length === 0 ? null : true;
    });
    await deleting.query("commit");
    assert.equal((await subscribing).status, 404);
  } finally {
    deleting.release();
  }
});

test(`a user can have at most ${MOST_SUBSCRIPTIONS} subscriptions`, async () => {
  const auditor = await aPerson(app, "manager");
  const views: SavedView[] = [];
  for (let n = 0; n <= MOST_SUBSCRIPTIONS; n++) views.push(await aView(auditor, { name: `View ${n}` }));
  const [first, second, ...others] = views;
  for (const view of others) assert.equal((await subscribe(auditor, view)).status, 200);
  const replies = await Promise.all([subscribe(auditor, first!), subscribe(auditor, second!)]);
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, another) => one - another),
    [200, 409],
  );
  assert.equal((await subscribe(auditor, others[0]!, "daily")).status, 200);
});

test("checks are due at the next minute, the next full hour or the next 06:00 UTC", () => {
  const at = new Date("2026-11-27T05:59:30.500Z");
  const times = (["minute", "hourly", "daily"] as const).map((cadence) => nextCheck(cadence, at).toISOString());
  assert.deepEqual(
    times,
    Array.from({ length: 3 }, () => "2026-11-27T06:00:00.000Z"),
  );
  assert.equal(nextCheck("daily", new Date("2026-11-27T06:00:00.000Z")).toISOString(), "2026-11-28T06:00:00.000Z");
  assert.equal(nextCheck("hourly", new Date("2026-11-27T06:00:00.000Z")).toISOString(), "2026-11-27T07:00:00.000Z");
});

test("the newest entry of the tree is known without reading the trail", async () => {
  await settle();
  const { rows } = await app.database.pool.query<{ seq: number }>("select max(seq) as seq from audit_entries");
  assert.equal(await newestSeq(app.database.db), rows[0]?.seq);
});
