// The dashboard's figures and alerts: real ones, over what the caller may see.
import { listDashboardAlerts, readDashboardStats, verifyCredential } from "@strongroom/contract";
import { makeSelfSigned, needs, opensslAvailable, startHostile } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aCredential, databaseAt } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { complianceScore, endingSeverity } from "./dashboard.policy.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

describe("API-06, DASH-03: the figures", () => {
  test("count one's own credentials, the managers and administrators, and no sessions yet", async () => {
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
    assert.match(body.complianceFormula, /30 days/);
  });

  test("OPEN-42: compliance is the share that was verified within 30 days and did not fail since", async () => {
    const owner = await aPerson(app);
    const ids = [];
    for (let place = 0; place < 4; place++) ids.push((await aCredential(app, owner)).id);
    const set = (id: string | undefined, status: string, age: string) =>
      app.database.pool.query(
        `update credentials set verification_status = $2, verified_at = now() - $3::interval,
           last_verification_attempt = now() - $3::interval where id = $1`,
        [id, status, age],
      );
    await set(ids[0], "verified", "29 days");
    await set(ids[1], "verified", "31 days");
    // Tried since, without an answer: that proves nothing.
    await app.database.pool.query("update credentials set last_verification_attempt = now() where id = $1", [ids[1]]);
    await set(ids[2], "failed", "1 day");
    const { body } = await app.call(readDashboardStats, { as: owner.token });
    assert.equal(body.complianceScore, 25);
  });

  test("only all of them make 100, and nothing stored breaks no rule", () => {
    assert.equal(complianceScore({ total: 1000, verifiedSince: 999 }), 99);
    assert.equal(complianceScore({ total: 3, verifiedSince: 3 }), 100);
    assert.equal(complianceScore({ total: 0, verifiedSince: 0 }), 100);
  });
});

describe("API-07, DASH-10: the alerts", () => {
  test("tell failed verifications with their reason and lead to the credential", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app, "admin")];
    const target = await startHostile("closes");
    const fields = { ...databaseAt(target.port), name: "Broken" };
    const { id } = await aCredential(app, owner, fields);
    const verified = await app.call(verifyCredential, { params: { id }, as: owner.token });
    const { body } = await app.call(listDashboardAlerts, { as: owner.token });
    const [alert] = body.alerts;
    assert.equal(body.alerts.length, 1);
    assert.equal(alert?.message, `Verification failed for "Broken": ${verified.body.error}`);
    assert.equal(alert?.severity, "medium");
    assert.equal(alert?.link, `/vault/${id}`);
    assert.ok(Date.parse(alert?.timestamp ?? "") > 0);
    assert.deepEqual((await app.call(listDashboardAlerts, { as: other.token })).body.alerts, []);
    await target.stop();
  });

  test("and the figures are also of the accounts that one sees, and lead to them", async () => {
    const [owner, member, outsider] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, member, "user");
    const { id } = await anAccount(app, owner, safe, { name: "Broken account" });
    await anAccount(app, owner, safe);
    await app.database.pool.query(
      `update credentials set verification_status = 'failed', verification_error = 'It said no',
         last_verification_attempt = now() where id = $1`,
      [id],
    );
    for (const { token } of [owner, member]) {
      const { body } = await app.call(listDashboardAlerts, { as: token });
      assert.deepEqual(
        body.alerts.map(({ message, link }) => [message, link]),
        [['Verification failed for "Broken account": It said no', `/accounts/${id}`]],
      );
      assert.equal((await app.call(readDashboardStats, { as: token })).body.totalCredentials, 2);
    }
    assert.deepEqual((await app.call(listDashboardAlerts, { as: outsider.token })).body.alerts, []);
    assert.equal((await app.call(readDashboardStats, { as: outsider.token })).body.totalCredentials, 0);
  });

  test("tell certificates that end within 30 days", needs(opensslAvailable()), async () => {
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

  test("are the more severe the sooner the end is", () => {
    const now = new Date("2026-11-21T09:00:00Z");
    assert.equal(endingSeverity(new Date("2026-12-20T09:00:00Z"), now), "medium");
    assert.equal(endingSeverity(new Date("2026-11-27T09:00:00Z"), now), "high");
    assert.equal(endingSeverity(new Date("2026-11-20T09:00:00Z"), now), "critical");
  });
});
