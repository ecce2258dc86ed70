// Tests that the dashboard's figures and alerts cover exactly what the caller may see.
import { listAuditEntries, listDashboardAlerts, readDashboardStats, verifyCredential } from "@strongroom/contract";
import { makeSelfSigned, needs, opensslAvailable, startHostile } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aCredential, databaseAt } from "#testing/credentials.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { complianceScore } from "./dashboard.policy.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

describe("API-06, DASH-03: the figures", () => {
  test("count the caller's own credentials, the managers and administrators, and no session", async () => {
    const owner = await aPerson(app);
    await aPerson(app, "manager");
    await aCredential(app, owner);
    await aCredential(app, await aPerson(app));
    const { body } = await app.call(readDashboardStats, { as: owner.token });
    assert.equal(body.totalCredentials, 1);
    assert.equal(body.activeSessions, 0);
    const { rows } = await app.database.pool.query(
      "select count(*)::int as count from users where role <> 'user' and status = 'active'",
    );
    assert.equal(body.privilegedUsers, rows[0].count);
    assert.equal(body.complianceScore, 0);
    assert.match(body.complianceFormula, /interval of their platform/);
  });

  test("OPEN-42: the score counts secrets verified within their interval and rotated in time", async () => {
    const owner = await aPerson(app);
    const platform = await aPlatform(app, { verify_every_hours: 168, rotate_every_days: 30 });
    const safe = await aSafe(app, owner);
    const accounts = [];
    for (let index = 0; index < 4; index++)
      accounts.push(await anAccount(app, owner, safe, { platform_id: platform.id }));
    const credentials = [await aCredential(app, owner), await aCredential(app, owner)];
    const verify = (id: string | undefined, status: string, age: string) =>
      app.database.pool.query(
        `update credentials set verification_status = $2, verified_at = now() - $3::interval,
           last_verification_attempt = now() where id = $1`,
        [id, status, age],
      );
    const score = async () => (await app.call(readDashboardStats, { as: owner.token })).body.complianceScore;
    for (const { id } of [...accounts, ...credentials]) await verify(id, "verified", "1 hour");
    assert.equal(await score(), 100);
    await verify(accounts[0]?.id, "verified", "6 days");
    await verify(credentials[0]?.id, "verified", "23 hours");
    assert.equal(await score(), 100, "the intervals are not over");
    await verify(accounts[0]?.id, "verified", "8 days");
    assert.equal(await score(), 83, "an account is due every seven days");
    await verify(credentials[0]?.id, "verified", "2 days");
    assert.equal(await score(), 66, "a credential is due daily");
    await verify(accounts[1]?.id, "unreachable", "1 hour");
    assert.equal(await score(), 50);
    await app.database.pool.query("update accounts set rotated_at = now() - interval '31 days' where id = $1", [
      accounts[2]?.id,
    ]);
    assert.equal(await score(), 33, "its rotation is overdue");
  });

  test("an empty vault has no score", async () => {
    const { body } = await app.call(readDashboardStats, { as: (await aPerson(app)).token });
    assert.equal(body.complianceScore, null);
  });

  test("the score is 100 only at full compliance", () => {
    assert.equal(complianceScore({ total: 1000, compliant: 999 }), 99);
    assert.equal(complianceScore({ total: 3, compliant: 3 }), 100);
    assert.equal(complianceScore({ total: 0, compliant: 0 }), null);
  });
});

describe("API-07, DASH-10: the alerts", () => {
  test("show failed verifications with their reason and link to the credential", async (t) => {
    const [owner, other] = [await aPerson(app), await aPerson(app, "admin")];
    const target = await startHostile("closes");
    t.after(() => target.stop());
    const fields = { ...databaseAt(target.port), name: "Broken" };
    const { id } = await aCredential(app, owner, fields);
    const verified = await app.call(verifyCredential, { params: { id }, as: owner.token });
    const { body } = await app.call(listDashboardAlerts, { as: owner.token });
    const [alert] = body.alerts;
    assert.equal(body.alerts.length, 1);
    assert.equal(alert?.message, `Target unreachable for "Broken": ${verified.body.error}`);
    assert.equal(alert?.severity, "medium");
    assert.equal(alert?.link, `/vault/${id}`);
    assert.equal(alert?.id, "verification:connection-lost", "the cause is the code of the attempt");
    assert.equal(alert?.count, 1);
    assert.ok(Date.parse(alert?.timestamp ?? "") > 0);
    const others = (await app.call(listDashboardAlerts, { as: other.token })).body.alerts;
    assert.ok(others.every(({ link }) => link !== alert?.link));
  });

  test("cover the accounts that the user can see, as the figures do, and link to them", async () => {
    const [owner, member, outsider] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, member, "user");
    const { id } = await anAccount(app, owner, safe, { name: "Broken account" });
    await anAccount(app, owner, safe);
    await app.database.pool.query(
      `update credentials set verification_status = 'rejected', verification_error = 'It said no',
         last_verification_attempt = now() where id = $1`,
      [id],
    );
    for (const { token } of [owner, member]) {
      const { body } = await app.call(listDashboardAlerts, { as: token });
      assert.deepEqual(
        body.alerts.map(({ message, link }) => [message, link]),
        [['Login rejected for "Broken account": It said no', `/accounts/${id}`]],
      );
      assert.equal((await app.call(readDashboardStats, { as: token })).body.totalCredentials, 2);
    }
    assert.deepEqual((await app.call(listDashboardAlerts, { as: outsider.token })).body.alerts, []);
    assert.equal((await app.call(readDashboardStats, { as: outsider.token })).body.totalCredentials, 0);
  });

  test("warn about certificates that expire within 30 days", needs(opensslAvailable()), async () => {
    const owner = await aPerson(app);
    const { certificate } = await makeSelfSigned(["soon.example.com"]);
    const { id } = await aCredential(app, owner, { name: "Web certificate", type: "certificate", value: certificate });
    await app.call(verifyCredential, { params: { id }, as: owner.token });
    const { rows } = await app.database.pool.query("select expires_at from credentials where id = $1", [id]);
    assert.ok(rows[0].expires_at instanceof Date);
    await app.database.pool.query("update credentials set expires_at = now() + interval '20 days' where id = $1", [id]);
    const { body } = await app.call(listDashboardAlerts, { as: owner.token });
    assert.deepEqual(
      body.alerts.map((each) => [each.severity, each.link]),
      [["medium", `/vault/${id}`]],
    );
    assert.match(body.alerts[0]?.message ?? "", /^"Web certificate" expires on \d{4}-\d\d-\d\d$/);
  });
});

test("the notable audit entries are those about rights and security, without the routine of verifications", async () => {
  const [admin, owner] = [await firstAdmin(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  await aMember(app, owner, safe, await aPerson(app), "user");
  await anAccount(app, owner, safe);
  const { body } = await app.call(listAuditEntries, { query: { notable: "true", limit: 100 }, as: admin.token });
  const events = body.logs.map(({ event }) => event);
  assert.equal(body.logs.find(({ event }) => event === "safe.member-added")?.user.id, owner.id);
  for (const routine of ["account.created", "session.started", "verification.started"])
    assert.ok(!events.includes(routine), routine);
});
