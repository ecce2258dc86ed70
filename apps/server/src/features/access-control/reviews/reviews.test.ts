// Access reviews: the reviewers of each membership, the immediate effect of a decision, concurrent decisions, and
// undecided memberships.
import {
  addSafeMember,
  closeAccessReview,
  createToken,
  decideReviewItem,
  decideReviewItems,
  deleteUser,
  exportAccessReview,
  listAccessReviews,
  listAccessSafes,
  listNotifications,
  listReviewItems,
  listSafeMembers,
  readAccessReview,
  readSafe,
  readSafeHistory,
  remindReviewers,
  removeSafeMember,
  retrieveAccount,
  startAccessReview,
} from "@strongroom/contract";
import type { AccessReview, InputOf, ReviewItem, Safe } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { eventually } from "#testing/waiting.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

type ReviewFields = Partial<NonNullable<InputOf<typeof startAccessReview>["body"]>>;
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

async function aReview(safes: readonly Safe[], fields: ReviewFields = {}): Promise<AccessReview> {
  const scope = { kind: "safes" as const, safe_ids: safes.map(({ id }) => id) };
  const body = { name: "Quarterly", scope, due_at: TOMORROW, unreviewed: "stays" as const, ...fields };
  const made = await app.call(startAccessReview, { body, as: admin.token });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

const itemsOf = async (review: AccessReview, who: TestPerson, show: "all" | "open" | "decided" = "all") =>
  (await app.call(listReviewItems, { params: { id: review.id }, query: { show }, as: who.token })).body.items;

const aboutOf = (items: ReviewItem[], who: { id: string }): ReviewItem =>
  items.find(({ user_id, group_id }) => user_id === who.id || group_id === who.id)!;

const decide = (review: AccessReview, item: ReviewItem, decision: "confirmed" | "removed", who: TestPerson) =>
  app.call(decideReviewItem, {
    params: { id: review.id, item_id: item.id },
    body: { decision, ...(decision === "removed" ? { reason: "Left the team" } : {}) },
    as: who.token,
  });

const membersOf = async (safe: Safe): Promise<string[]> =>
  (await app.call(listSafeMembers, { params: { id: safe.id }, as: admin.token })).body.members.map(
    ({ user_id, group_id }) => user_id ?? group_id ?? "",
  );

const seesSafe = async (safe: Safe, who: TestPerson): Promise<boolean> =>
  (await app.call(readSafe, { params: { id: safe.id }, as: who.token })).status === 200;

describe("an access review", () => {
  test("runs from start to result with decisions by the owners, and records every step in the audit trail", async () => {
    const [owner, stays, goes] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, stays, "user");
    await aMember(app, owner, safe, goes, "manager");
    const account = await anAccount(app, owner, safe);
    await app.call(retrieveAccount, { params: { id: account.id }, body: {}, as: stays.token });
    await app.database.pool.query("update users set name = '=cmd()' where id = $1", [goes.id]);
    const review = await aReview([safe]);
    assert.deepEqual([review.items.total, review.items.open, review.safes], [3, 3, 1]);
    await eventually(async () => {
      const { notifications } = (await app.call(listNotifications, { as: owner.token })).body;
      const isNotified = notifications.some(({ type, link }) => type === "access_review" && link?.includes(review.id));
      return isNotified ? aboutOf(await itemsOf(review, owner), stays).last_used_at : null;
    });

    // The owner's own membership waits for an administrator.
    const items = await itemsOf(review, owner);
    assert.deepEqual(new Set(items.map(({ user_id }) => user_id)), new Set([stays.id, goes.id]));
    assert.equal((await decide(review, aboutOf(items, stays), "confirmed", owner)).body.decision, "confirmed");
    const removed = await decide(review, aboutOf(items, goes), "removed", owner);
    assert.deepEqual([removed.status, removed.body.decision, removed.body.reason], [200, "removed", "Left the team"]);
    assert.equal(await seesSafe(safe, goes), false);
    const own = aboutOf(await itemsOf(review, admin, "open"), owner);
    assert.equal((await decide(review, own, "removed", admin)).status, 409);
    assert.equal((await decide(review, own, "confirmed", admin)).status, 200);

    const closed = await app.call(closeAccessReview, { params: { id: review.id }, as: admin.token });
    const { confirmed, removed: gone, open } = closed.body.items;
    assert.deepEqual([closed.body.state, confirmed, gone, open], ["closed", 2, 1, 0]);
    const history = (await app.call(readSafeHistory, { params: { id: safe.id }, as: admin.token })).body.history;
    const events = history.map(({ event }) => event);
    assert.ok(events.includes("access-control.membership-reviewed") && events.includes("safe.member-removed"));
    const csv = await app.call(exportAccessReview, { params: { id: review.id }, as: admin.token });
    assert.match(csv.text, /^safe,member,email.*,last_use_looked_up_days\r?\n.*,365\r?\n/);
    assert.ok(csv.text.includes(",'=cmd(),") && csv.text.includes(",removed,Left the team,"), csv.text);
    const json = await app.call(exportAccessReview, {
      params: { id: review.id },
      query: { format: "json" },
      as: admin.token,
    });
    const parsed = JSON.parse(json.text) as { review: AccessReview; items: ReviewItem[] };
    assert.deepEqual([parsed.review.id, parsed.review.use_days, parsed.items.length], [review.id, 365, 3]);
    const listed = (await app.call(listAccessSafes, { query: { search: safe.name }, as: admin.token })).body.safes;
    assert.notEqual(listed[0]!.reviewed_at, null);
    const { rows } = await app.database.pool.query(
      "select event, count(*)::integer as count from audit_entries where event like 'access-control.%' and result = 'success' group by 1 order by 1",
    );
    assert.deepEqual(
      rows.map((row: { event: string; count: number }) => `${row.event} ${row.count}`),
      [
        "access-control.membership-reviewed 3",
        "access-control.review-closed 1",
        "access-control.review-exported 2",
        "access-control.review-started 1",
      ],
    );
  });

  test("lets no user decide on their own membership, alone or in a group, or see items of other reviewers", async () => {
    const [owner, reviewer, stranger] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const group = await aGroup(app, [reviewer]);
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, reviewer, "user");
    await aMember(app, owner, safe, group, "user");
    const review = await aReview([safe], { reviewer_id: reviewer.id });
    // A reviewer who joins the group later cannot decide on its membership either.
    const theirs = await itemsOf(review, reviewer);
    assert.deepEqual(
      theirs.map(({ user_id }) => user_id),
      [owner.id],
    );
    await app.database.pool.query("insert into group_members values ($1, $2, now())", [group.id, admin.id]);
    const forAdmin = await itemsOf(review, admin);
    const ofGroup = await decide(review, aboutOf(forAdmin, group), "confirmed", admin);
    assert.deepEqual([ofGroup.status, aboutOf(forAdmin, group).can_decide], [403, false], ofGroup.text);
    assert.equal((await decide(review, aboutOf(forAdmin, reviewer), "confirmed", reviewer)).status, 404);
    assert.equal((await decide(review, aboutOf(forAdmin, reviewer), "confirmed", admin)).status, 200);
    assert.equal((await decide(review, theirs[0]!, "confirmed", reviewer)).status, 200);
    assert.deepEqual((await app.call(listAccessReviews, { as: stranger.token })).body.reviews, []);
    assert.equal((await app.call(readAccessReview, { params: { id: review.id }, as: stranger.token })).status, 404);
    assert.equal((await decide(review, theirs[0]!, "removed", stranger)).status, 404);
    assert.equal((await app.call(closeAccessReview, { params: { id: review.id }, as: reviewer.token })).status, 403);
  });

  test("has one outcome after concurrent decisions: the first decision wins, the others get a 409", async () => {
    const [owner, member] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    for (let round = 0; round < 6; round += 1) {
      await aMember(app, owner, safe, member, "user");
      const review = await aReview([safe]);
      const item = aboutOf(await itemsOf(review, admin), member);
      const replies = await Promise.all([
        decide(review, item, "confirmed", owner),
        decide(review, item, "removed", admin),
        decide(review, item, round % 2 === 0 ? "removed" : "confirmed", admin),
      ]);
      assert.deepEqual(
        replies.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 409, 409],
      );
      const outcome = replies.find(({ status }) => status === 200)!.body.decision;
      const isMember = (await membersOf(safe)).includes(member.id);
      assert.equal(isMember, outcome === "confirmed");
      assert.equal(aboutOf(await itemsOf(review, admin), member).decision, outcome);
      if (isMember)
        await app.call(removeSafeMember, {
          params: { id: safe.id, member_id: await memberId(safe, member) },
          as: owner.token,
        });
    }
  });

  test("does not deadlock when a decision and the deletion of its member run at the same time", async () => {
    const [owner, member] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, member, "user");
    const item = aboutOf(await itemsOf(await aReview([safe]), owner), member);
    const deciding = await app.database.pool.connect();
    try {
      await deciding.query("begin");
      await deciding.query("set local lock_timeout = '3s'");
      await deciding.query("select from access_review_items where id = $1 for update", [item.id]);
      const deleting = app.call(deleteUser, { params: { id: member.id }, as: admin.token });
      await eventually(async () => {
        const waiting = await app.database.pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return waiting.rowCount === 0 ? null : true;
      });
      await deciding.query("select from safes where id = $1 for no key update", [safe.id]);
      await deciding.query("commit");
      const deleted = await deleting;
      assert.equal(deleted.status, 200, deleted.text);
    } finally {
      deciding.release();
    }
  });

  test("removes undecided memberships when it closes if configured to, but keeps the owner's", async () => {
    const [owner, member, gone] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const [, left] = [await aMember(app, owner, safe, member, "user"), await aMember(app, owner, safe, gone, "user")];
    const review = await aReview([safe], { unreviewed: "is-removed" });
    await app.call(removeSafeMember, { params: { id: safe.id, member_id: left.id }, as: owner.token });
    // A new membership of the same user is not part of the review.
    await app.call(addSafeMember, {
      params: { id: safe.id },
      body: { user_id: gone.id, role: "user" },
      as: owner.token,
    });
    assert.equal(aboutOf(await itemsOf(review, owner), gone).decision, "gone");
    const before = (await app.call(readAccessReview, { params: { id: review.id }, as: admin.token })).body;
    assert.deepEqual([before.items.open, before.items.gone], [2, 1]);
    const closing = await app.call(closeAccessReview, { params: { id: review.id }, as: admin.token });
    assert.equal(closing.body.state, "closing", closing.text);
    const late = await decide(review, aboutOf(await itemsOf(review, admin), member), "confirmed", owner);
    assert.equal(late.status, 409);
    const done = await eventually(async () => {
      const { body } = await app.call(readAccessReview, { params: { id: review.id }, as: admin.token });
      return body.state === "closed" ? body : null;
    });
    assert.deepEqual([done.items.lapsed, done.items.kept, done.items.gone], [1, 1, 1]);
    assert.deepEqual(new Set(await membersOf(safe)), new Set([owner.id, gone.id]));
    assert.match(aboutOf(await itemsOf(review, admin), owner).reason ?? "", /owner's membership/);
  });

  test("needs a future due date and at least one membership, and is reported as overdue with a reminder", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const refused = await app.call(startAccessReview, {
      body: { name: "Late", scope: { kind: "all" }, due_at: "2020-01-01T00:00:00.000Z", unreviewed: "stays" },
      as: admin.token,
    });
    assert.equal(refused.status, 400, refused.text);
    const empty = await aGroup(app, []);
    const nothing = await app.call(startAccessReview, {
      body: { name: "Nothing", scope: { kind: "group", group_id: empty.id }, due_at: TOMORROW, unreviewed: "stays" },
      as: admin.token,
    });
    assert.equal(nothing.status, 422, nothing.text);
    await aMember(app, owner, safe, await aPerson(app), "user");
    const review = await aReview([safe]);
    await app.database.pool.query("update access_reviews set due_at = now() - interval '1 day' where id = $1", [
      review.id,
    ]);
    assert.equal(
      (await app.call(readAccessReview, { params: { id: review.id }, as: owner.token })).body.is_overdue,
      true,
    );
    assert.equal((await app.call(remindReviewers, { params: { id: review.id }, as: admin.token })).status, 200);
    await eventually(async () => {
      const { notifications } = (await app.call(listNotifications, { as: owner.token })).body;
      const about = notifications.filter(({ metadata }) => metadata["review_id"] === review.id);
      return about.length === 1 && about[0]!.severity === "high" ? about : null;
    });
  });
});

describe("decisions on several memberships of a review", () => {
  const decideAll = (review: AccessReview, items: readonly ReviewItem[], who: TestPerson, fields: object) =>
    app.call(decideReviewItems, {
      params: { id: review.id },
      body: { item_ids: items.map(({ id }) => id), decision: "confirmed", ...fields },
      as: who.token,
    });

  test("name the memberships the caller may not decide on, apply to the rest, and record each", async () => {
    const [owner, stays, goes, stranger] = [
      await aPerson(app),
      await aPerson(app),
      await aPerson(app),
      await aPerson(app),
    ];
    const safe = await aSafe(app, owner);
    for (const member of [stays, goes]) await aMember(app, owner, safe, member, "user");
    const review = await aReview([safe], { reviewer_id: owner.id });
    const items = await itemsOf(review, admin);
    const without = await decideAll(review, items, owner, { decision: "removed" });
    assert.deepEqual([without.status, without.text.includes("Give a reason for the removal")], [400, true]);
    assert.equal((await decideAll(review, items, stranger, {})).status, 404);

    const removed = await decideAll(review, [aboutOf(items, goes)], owner, { decision: "removed", reason: "Left" });
    assert.equal(removed.body.message, "Removed 1 membership", removed.text);
    assert.equal(await seesSafe(safe, goes), false);
    const rest = await decideAll(review, items, owner, {});
    assert.deepEqual(rest.body.done, [aboutOf(items, stays).id], rest.text);
    assert.equal(rest.body.message, "Confirmed 1 membership, 2 memberships failed");
    const failed = new Map(rest.body.failed.map(({ id, code }) => [id, code]));
    assert.equal(failed.get(aboutOf(items, goes).id), "access-control.already-decided");
    // The reply reveals nothing about the reviewer's own membership, and the membership is unchanged.
    assert.equal(failed.get(aboutOf(items, owner).id), "access-control.review-not-found");
    assert.deepEqual(new Set(await membersOf(safe)), new Set([owner.id, stays.id]));
    const { rows } = await app.database.pool.query<{ event: string; result: string }>(
      `select event, result from audit_entries
       where target_id in ($1, $2) and event like 'access-control.membership%' and actor_id = $3`,
      [safe.id, review.id, owner.id],
    );
    assert.deepEqual(rows.map(({ event, result }) => `${event} ${result}`).toSorted(), [
      "access-control.membership-reviewed success",
      "access-control.membership-reviewed success",
      "access-control.memberships-reviewed success",
      "access-control.memberships-reviewed warning",
    ]);
  });

  test("succeed even if one of them fails with a server error, which is listed as failed while the others are recorded", async () => {
    const [owner, stays, breaks] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    for (const member of [stays, breaks]) await aMember(app, owner, safe, member, "user");
    const review = await aReview([safe], { reviewer_id: owner.id });
    const items = await itemsOf(review, owner);
    const [broken, good] = [aboutOf(items, breaks), aboutOf(items, stays)];
    await app.database.pool.query(`
      create function break_it() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$;
      create trigger break_it before update on access_review_items for each row
        when (new.id = '${broken.id}' and new.decision is not null) execute function break_it();`);
    const reply = await decideAll(review, [broken, good], owner, {});
    await app.database.pool.query("drop trigger break_it on access_review_items; drop function break_it()");
    assert.deepEqual([reply.status, reply.body.done], [200, [good.id]], reply.text);
    assert.deepEqual(
      reply.body.failed.map(({ id, code }) => [id, code]),
      [[broken.id, "access-control.not-decided"]],
    );
    assert.ok(!reply.text.includes("disk"), reply.text);
    const { rows } = await app.database.pool.query<{ event: string }>(
      "select event || ' ' || result as event from audit_entries where target_id in ($1, $2) and event like 'access-control.membership%'",
      [safe.id, review.id],
    );
    assert.deepEqual(rows.map(({ event }) => event).toSorted(), [
      "access-control.membership-reviewed success",
      "access-control.memberships-reviewed warning",
    ]);
  });
});

test("the last use of a membership is its user's last action in the safe within a year, including actions through a token", async () => {
  const [owner, byToken, longAgo, tooLongAgo] = [
    await aPerson(app),
    await aPerson(app),
    await aPerson(app),
    await aPerson(app),
  ];
  const safe = await aSafe(app, owner);
  for (const member of [byToken, longAgo, tooLongAgo]) await aMember(app, owner, safe, member, "user");
  const account = await anAccount(app, owner, safe);
  const body = { name: "A program", scopes: ["retrieve" as const], expires_in_days: 1 };
  const { token } = (await app.call(createToken, { body, as: byToken.token })).body;
  const granted = await app.call(retrieveAccount, { params: { id: account.id }, body: {}, as: token });
  assert.equal(granted.status, 200, granted.text);
  const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
  const checkedIn = (who: TestPerson, at: Date) => ({
    ...systemEntry("account.checked-in", "test", { target: { type: "account", id: account.id } }, at),
    actor: { id: who.id, name: who.email, role: "user" },
  });
  const entries = [checkedIn(longAgo, daysAgo(300)), checkedIn(tooLongAgo, daysAgo(400))];
  await app.database.transaction((tx) => appendAudit(tx, entries));

  const review = await aReview([safe]);
  await eventually(async () => {
    const { rows } = await app.database.pool.query("select is_use_known from access_reviews where id = $1", [
      review.id,
    ]);
    return (rows[0] as { is_use_known: boolean }).is_use_known ? true : null;
  });
  const items = await itemsOf(review, admin);
  const isRecent = (at: string | null): boolean => at !== null && Date.parse(at) > daysAgo(1).getTime();
  // Creating the account counts as a use of the safe, too.
  for (const who of [owner, byToken]) assert.ok(isRecent(aboutOf(items, who).last_used_at), who.email);
  assert.equal(aboutOf(items, longAgo).last_used_at, entries[0]!.at);
  assert.equal(aboutOf(items, tooLongAgo).last_used_at, null);
});

const memberId = async (safe: Safe, who: TestPerson): Promise<string> =>
  (await app.call(listSafeMembers, { params: { id: safe.id }, as: admin.token })).body.members.find(
    ({ user_id }) => user_id === who.id,
  )!.id;
