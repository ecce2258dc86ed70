// Tests that problems are grouped by cause, and that each count links to a list of exactly the secrets it counts.
import {
  ALERT_SEVERITIES,
  ValidationFilter,
  causeOf,
  listAccounts,
  listDashboardAlerts,
  listRecentAccounts,
  readDashboardStats,
  readRotationTrend,
  retrieveAccount,
  searchValidation,
} from "@strongroom/contract";
import type { DashboardAlert, Safe } from "@strongroom/contract";
import { MISCONFIGURED_CODES, REJECTED_CODES, UNREACHABLE_CODES } from "@strongroom/connectors";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const query = (text: string, values: unknown[]) => app.database.pool.query(text, values);

const failWith = (ids: readonly string[], code: string, status = "unreachable") =>
  query(
    `update credentials set verification_status = $3, verification_code = $2, verification_error = 'It said no',
       last_verification_attempt = now() where id = any($1::uuid[])`,
    [ids, code, status],
  );

async function severalAccounts(owner: TestPerson, safe: Safe, count: number): Promise<string[]> {
  const platform_id = (await aPlatform(app)).id;
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await anAccount(app, owner, safe, { platform_id })).id);
  return ids;
}

const alertsOf = async ({ token }: TestPerson): Promise<DashboardAlert[]> =>
  (await app.call(listDashboardAlerts, { as: token })).body.alerts;

/** The secrets in the list that an alert links to. */
async function listedBy({ link }: Pick<DashboardAlert, "link">, { token }: TestPerson): Promise<string[]> {
  const params = new URL(link ?? "", "http://localhost").searchParams;
  assert.equal(params.get("tab"), "search");
  const filter = ValidationFilter.parse(JSON.parse(params.get("filter") ?? ""));
  const { body } = await app.call(searchValidation, { body: { filter, limit: 200 }, as: token });
  assert.equal(body.total, body.results.length);
  return body.results.map(({ account_id }) => account_id).toSorted();
}

describe("DASH-04, DASH-10: problems that need action", () => {
  test("shows one alert per cause with its true total and links to exactly these secrets", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const ids = await severalAccounts(owner, safe, 6);
    await failWith(ids.slice(0, 4), "dns-failure");
    await failWith(ids.slice(4), "wrong-password", "rejected");
    const alerts = await alertsOf(owner);
    assert.deepEqual(
      alerts.map(({ message, count, severity }) => [message, count, severity]),
      [
        ["4 accounts: The DNS name does not resolve", 4, "medium"],
        ["2 accounts: The target refuses the stored password", 2, "medium"],
      ],
    );
    assert.match(alerts[0]?.advice ?? "", /Correct the address/);
    assert.deepEqual(await listedBy(alerts[0]!, owner), ids.slice(0, 4).toSorted());
    assert.deepEqual(await listedBy(alerts[1]!, owner), ids.slice(4).toSorted());
  });

  test("counts and lists only what the caller may see", async () => {
    const [owner, member, outsider] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const [one, other] = [await aSafe(app, owner), await aSafe(app, owner)];
    const [inOne, inOther] = [await severalAccounts(owner, one, 2), await severalAccounts(owner, other, 3)];
    await aMember(app, owner, one, member, "user");
    await failWith([...inOne, ...inOther], "timeout");
    const [all] = await alertsOf(owner);
    const [part] = await alertsOf(member);
    assert.deepEqual([all?.count, part?.count], [5, 2]);
    assert.deepEqual(await listedBy(part!, member), inOne.toSorted());
    assert.deepEqual(await alertsOf(outsider), []);
  });

  test("lists the worst severity first; a group has the worst severity of its secrets", async () => {
    const owner = await aPerson(app);
    const ids = await severalAccounts(owner, await aSafe(app, owner), 5);
    await failWith(ids.slice(0, 3), "timeout");
    await failWith(ids.slice(3), "wrong-password", "rejected");
    await query("update credentials set rejected_revision = login_revision where id = $1", [ids[4]]);
    const alerts = await alertsOf(owner);
    assert.deepEqual(
      alerts.map(({ id, severity }) => [id, severity]),
      [
        ["verification:wrong-password", "high"],
        ["verification:timeout", "medium"],
      ],
    );
    assert.ok(alerts.every(({ severity }) => ALERT_SEVERITIES.includes(severity)));
  });

  test("groups secrets that expire by how soon, in groups that do not overlap", async () => {
    const owner = await aPerson(app);
    const ids: string[] = [];
    for (const days of [-3, -1, 2, 3, 20, 25, 40]) {
      const { id } = await aCredential(app, owner);
      await query("update credentials set expires_at = now() + make_interval(days => $2) where id = $1", [id, days]);
      ids.push(id);
    }
    const alerts = (await alertsOf(owner)).filter(({ id }) => id.startsWith("expiry:"));
    assert.deepEqual(
      alerts.map(({ message, severity }) => [message, severity]),
      [
        ["2 credentials expired", "critical"],
        ["2 credentials expire within 7 days", "high"],
        ["2 credentials expire within 30 days", "medium"],
      ],
    );
    for (const [index, alert] of alerts.entries())
      assert.deepEqual(await listedBy(alert, owner), ids.slice(index * 2, index * 2 + 2).toSorted());
  });

  test("has words and advice for each code of a connector", () => {
    for (const code of [...REJECTED_CODES, ...UNREACHABLE_CODES, ...MISCONFIGURED_CODES]) {
      // Cancelled attempts are aborted and never count as a failure.
      if (code !== "cancelled") assert.doesNotMatch(causeOf(code).text, /\(/, code);
    }
    assert.equal(causeOf("new-code").text, "The verification failed (new-code)");
  });
});

describe("rotations on the dashboard", () => {
  const aRotation = (id: string, outcome: string | null, age: string) =>
    query(
      `insert into rotations (id, credential_id, credential_name, because, step, journal, outcome, needs_attention, message,
         started_at, ended_at)
       values (gen_random_uuid(), $1, 'x', 'asked', case when $2::text is null then 'stored' else 'ended' end, '{}', $2,
         $2::text is null, 'It said no', now() - $3::interval, case when $2::text is null then null else now() - $3::interval end)`,
      [id, outcome, age],
    );

  test("stopped rotations form one alert that links to exactly these accounts", async () => {
    const [owner, outsider] = [await aPerson(app), await aPerson(app)];
    const ids = await severalAccounts(owner, await aSafe(app, owner), 3);
    for (const id of ids.slice(0, 2)) await aRotation(id, null, "1 hour");
    const [alert] = await alertsOf(owner);
    assert.equal(alert?.message, "2 accounts: The rotation stopped");
    assert.deepEqual(await listedBy(alert, owner), ids.slice(0, 2).toSorted());
    const { body } = await app.call(readRotationTrend, { as: owner.token });
    assert.equal(body.stopped, 2);
    assert.equal((await app.call(readRotationTrend, { as: outsider.token })).body.stopped, 0);
  });

  test("the trend counts each day of two weeks, over what the caller sees", async () => {
    const [owner, outsider] = [await aPerson(app), await aPerson(app)];
    const [id] = await severalAccounts(owner, await aSafe(app, owner), 1);
    await aRotation(id!, "rotated", "0 days");
    await aRotation(id!, "rotated", "2 days");
    await aRotation(id!, "cancelled", "2 days");
    await aRotation(id!, "rotated", "20 days");
    const { body } = await app.call(readRotationTrend, { as: owner.token });
    assert.equal(body.days.length, 14);
    assert.deepEqual(
      body.days.slice(-3).map(({ rotated, other }) => [rotated, other]),
      [
        [1, 1],
        [0, 0],
        [1, 0],
      ],
    );
    const sum = body.days.reduce((all, { rotated }) => all + rotated, 0);
    assert.equal(sum, 2, "the third one is older than the trend");
    const others = (await app.call(readRotationTrend, { as: outsider.token })).body.days;
    assert.ok(others.every(({ rotated, other }) => rotated + other === 0));
  });

  test("due rotations are those of the account list", async () => {
    const owner = await aPerson(app);
    const platform = await aPlatform(app, { rotate_every_days: 30 });
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe, { platform_id: platform.id });
    await anAccount(app, owner, safe, { platform_id: platform.id });
    await query("update accounts set rotated_at = now() - interval '40 days' where id = $1", [account.id]);
    const { body } = await app.call(readRotationTrend, { as: owner.token });
    const { body: listed } = await app.call(listAccounts, { query: { status: "rotation_due" }, as: owner.token });
    assert.equal(body.due, 1);
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      [account.id],
    );
  });
});

test("OPEN-42: the secrets that the compliance score does not count are a list", async () => {
  const owner = await aPerson(app);
  const ids = await severalAccounts(owner, await aSafe(app, owner), 3);
  await query(
    "update credentials set verification_status = 'verified', verified_at = now(), last_verification_attempt = now() where id = $1",
    [ids[0]],
  );
  const { body: stats } = await app.call(readDashboardStats, { as: owner.token });
  assert.equal(stats.complianceScore, 33);
  const body = { filter: { not_compliant: true } };
  const { body: found } = await app.call(searchValidation, { body, as: owner.token });
  assert.deepEqual(found.results.map(({ account_id }) => account_id).toSorted(), ids.slice(1).toSorted());
});

test("recent accounts are those that the caller used last and still sees", async () => {
  const [owner, member] = [await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  await aMember(app, owner, safe, member, "user");
  const [first, second] = await severalAccounts(owner, safe, 3);
  for (const id of [first!, second!, first!]) {
    const reply = await app.call(retrieveAccount, { params: { id }, body: {}, as: member.token });
    assert.equal(reply.status, 200, reply.text);
  }
  const recent = async (person: TestPerson) =>
    (await app.call(listRecentAccounts, { as: person.token })).body.accounts.map(({ id }) => id as string);
  assert.deepEqual(await recent(member), [first, second]);
  assert.deepEqual(await recent(owner), [], "the owner used none");
  await query("delete from safe_members where user_id = $1", [member.id]);
  assert.deepEqual(await recent(member), [], "an account that the caller lost is not shown");
});
