// Compares the same figure on every page, for users with different permissions.
import {
  ACCOUNT_VALIDATION_OF,
  ALERT_SEVERITIES,
  VALIDATION_OF,
  VERIFICATION_STATUSES,
  accountStatistics,
  accessRequestStatistics,
  createAccessRequest,
  exportValidationJson,
  listAccessRequests,
  listAccounts,
  listAttention,
  listCredentials,
  listDashboardAlerts,
  listJitSessions,
  listUsers,
  listValidationFailures,
  readCpmStatus,
  readDashboardStats,
  readSystemHealth,
  readValidationDashboard,
  searchValidation,
  validationStatistics,
} from "@strongroom/contract";
import type { VerificationStatus } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { searchKeys } from "#features/secrets/index.ts";
import { stands, aWorld } from "#features/validation/testing/world.ts";
import { aCredential } from "#testing/credentials.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let people: Record<"admin" | "owner" | "requester" | "outsider", TestPerson>;
before(async () => {
  app = await testApp();
  const world = await aWorld(app);
  const { admin, owner, requester, outsider, works } = world;
  people = { admin, owner, requester, outsider };
  // One account is waiting for its first verification, and another cannot be verified.
  const { rows } = await app.database.pool.query<Parameters<typeof searchKeys>[0]>(
    `update credentials set verification_status = 'pending', verify_after = now(), verified_at = null,
       last_verification_attempt = null where id = $1 returning *`,
    [works.id],
  );
  const keys = searchKeys(rows[0]!);
  await app.database.pool.query("update credentials set search_keys = $2 where id = $1", [works.id, keys]);
  for (const person of [admin, owner]) {
    const [good, bad] = [await aCredential(app, person), await aCredential(app, person)];
    await stands(app, good, "verified");
    await stands(app, bad, "misconfigured");
  }
  const asked = { resource: "Another host", reason: "To look at it" };
  assert.equal((await app.call(createAccessRequest, { body: asked, as: requester.token })).status, 201);
});
after(() => app.close());

async function read({ token }: TestPerson) {
  const period = { start: new Date(Date.now() - 86_400_000).toISOString(), end: new Date().toISOString() };
  const as = { as: token };
  return {
    home: (await app.call(readDashboardStats, as)).body,
    alerts: (await app.call(listDashboardAlerts, as)).body.alerts,
    cpm: (await app.call(readCpmStatus, as)).body,
    attention: (await app.call(listAttention, as)).body,
    validation: (await app.call(readValidationDashboard, as)).body,
    statistics: (await app.call(validationStatistics, as)).body,
    failures: (await app.call(listValidationFailures, as)).body,
    systems: (await app.call(readSystemHealth, as)).body.systems,
    report: JSON.parse((await app.call(exportValidationJson, { body: { date_range: period }, ...as })).text),
    accounts: (await app.call(accountStatistics, as)).body,
    sessions: (await app.call(listJitSessions, as)).body,
    requests: (await app.call(listAccessRequests, { query: { status: "all" }, ...as })).body,
    requestFigures: (await app.call(accessRequestStatistics, as)).body,
  };
}

for (const name of ["admin", "owner", "requester", "outsider"] as const) {
  describe(`for the ${name}`, () => {
    test("each verification status has the same count on every page", async () => {
      const { token } = people[name];
      const { home, cpm, validation, statistics, report, accounts, systems } = await read(people[name]);
      const figures = validation.validation_statistics;
      const total = figures.total_accounts;
      for (const shown of [
        home.totalCredentials,
        cpm.totalCredentials,
        statistics.total_accounts,
        report.total_records,
      ])
        assert.equal(shown, total);
      assert.equal(report.statistics.total_accounts, total);
      assert.equal(
        systems.reduce((sum, row) => sum + row.total_accounts, 0),
        total,
      );
      const distribution = new Map(validation.status_distribution.map(({ status, count }) => [status, count]));
      assert.equal(
        [...distribution.values()].reduce((sum, count) => sum + count, 0),
        total,
      );
      for (const status of VERIFICATION_STATUSES) {
        const word = VALIDATION_OF[status];
        const count = distribution.get(word) ?? 0;
        assert.equal(figures[word], count, `${status}: validation dashboard`);
        assert.equal(statistics[word], count, `${status}: statistics`);
        assert.equal(report.statistics[word], count, `${status}: report`);
        assert.equal(cpm[`${status}Credentials`], count, `${status}: CPM`);
        const found = await app.call(searchValidation, { body: { filter: { statuses: [word] } }, as: token });
        assert.equal(found.body.total, count, `${status}: search`);
        const [ofSafes, ofVault] = [await countAccounts(token, status), await countCredentials(token, status)];
        assert.equal(accounts[`validation_${ACCOUNT_VALIDATION_OF[status]}`], ofSafes, `${status}: account list`);
        assert.equal(ofSafes + ofVault, count, `${status}: accounts and credentials`);
      }
    });

    test("failures have the same count and severity on every page", async () => {
      const { cpm, validation, statistics, failures, attention, alerts, systems } = await read(people[name]);
      const { failed, rejected, unreachable, misconfigured, critical_failures } = validation.validation_statistics;
      assert.equal(failed, rejected + unreachable + misconfigured);
      for (const shown of [cpm.failedCredentials, statistics.failed, failures.total, attention.total])
        assert.equal(shown, failed);
      const causes = alerts.filter(({ id }) => id.startsWith("verification:"));
      assert.equal(
        causes.reduce((sum, { count }) => sum + count, 0),
        failed,
      );
      assert.equal(
        systems.reduce((sum, row) => sum + row.failed, 0),
        failed,
      );
      assert.equal(failures.by_severity.critical, critical_failures);
      const body = { filter: { critical_only: true } };
      const critical = await app.call(searchValidation, { body, as: people[name].token });
      assert.equal(critical.body.total, critical_failures);
      const severityOf = new Map(failures.failures.map(({ id, severity }) => [id, severity]));
      for (const { id, severity } of causes) {
        const filter = { causes: [id.slice("verification:".length)] };
        const { body: found } = await app.call(searchValidation, { body: { filter }, as: people[name].token });
        const severities = found.results.map(({ account_id }) => severityOf.get(account_id)!);
        assert.equal(
          severity,
          ALERT_SEVERITIES.find((each) => severities.includes(each)),
          id,
        );
      }
      for (const { id, severity } of attention.credentials) {
        const is = severityOf.get(id);
        assert.equal(severity, is === "critical" ? "high" : is, id);
      }
    });

    test("active grants, live sessions and pending requests have the same count on every page", async () => {
      const { home, validation, sessions, requests, requestFigures } = await read(people[name]);
      const isActive = (status: string) => status === "active" || status === "expiring_soon";
      const active = requests.requests.filter(({ computed_status }) => isActive(computed_status));
      assert.equal(validation.jit_health.active_sessions, active.length);
      assert.equal(sessions.total, active.length);
      // A user's statistics cover their own requests; those of other roles cover all requests (OPEN-20).
      if (name !== "owner") assert.equal(requestFigures.active, active.length);
      assert.equal(home.activeSessions, 0);
      const pending = requests.requests.filter(({ computed_status }) => computed_status === "pending");
      assert.equal(requests.counts.pending, pending.length);
    });
  });
}

test("the test data contains every status, and each status has only one name", async () => {
  const { validation } = await read(people.admin);
  const counts = Object.fromEntries(validation.status_distribution.map(({ status, count }) => [status, count]));
  assert.deepEqual(counts, {
    verified: 1,
    rejected: 2,
    unreachable: 2,
    misconfigured: 1,
    pending: 1,
    never_validated: 1,
  });
});

test("privileged users are the managers and administrators of the users page", async () => {
  const { home } = await read(people.admin);
  const { body } = await app.call(listUsers, { query: { limit: 200 }, as: people.admin.token });
  const privileged = body.data.filter(({ role, status }) => role !== "user" && status === "active");
  assert.equal(home.privilegedUsers, privileged.length);
});

const countAccounts = async (token: string, status: VerificationStatus): Promise<number> => {
  const query = { validation_status: ACCOUNT_VALIDATION_OF[status] };
  return (await app.call(listAccounts, { query, as: token })).body.data.length;
};

const countCredentials = async (token: string, verification_status: VerificationStatus): Promise<number> =>
  (await app.call(listCredentials, { query: { verification_status }, as: token })).body.data.length;
