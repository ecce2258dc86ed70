// Tests the Validation Dashboard over HTTP: users with different permissions make the same requests.
import {
  exportValidationJson,
  exportValidationReport,
  listJitSessions,
  readJitSession,
  listValidationAttempts,
  listValidationFailures,
  readSystemHealth,
  readValidationDashboard,
  searchValidation,
  triggerValidation,
  validationHistory,
  validationStatistics,
} from "@strongroom/contract";
import type { InputOf, ValidationFilter } from "@strongroom/contract";
import { readXlsx } from "hucre/xlsx";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { z } from "zod";
import { anAccount } from "#testing/accounts.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aWorld, addFillers, stands, tried } from "./testing/world.ts";
import type { World } from "./testing/world.ts";
import { sumUpDays } from "./validation.jobs.ts";

let app: TestApp;
let world: World;
before(async () => {
  app = await testApp();
  world = await aWorld(app);
});
after(() => app.close());

type Range = "24h" | "7d" | "30d";
const dashboard = async ({ token }: TestPerson, range: Range = "24h") =>
  (await app.call(readValidationDashboard, { query: { range }, as: token })).body;
const failures = async ({ token }: TestPerson, query: InputOf<typeof listValidationFailures>["query"] = {}) =>
  (await app.call(listValidationFailures, { query, as: token })).body;
const attempts = async ({ token }: TestPerson, query: InputOf<typeof listValidationAttempts>["query"] = {}) => {
  const reply = await app.call(listValidationAttempts, { query, as: token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const sessions = async ({ token }: TestPerson) => (await app.call(listJitSessions, { as: token })).body;
const search = async ({ token }: TestPerson, filter: z.input<typeof ValidationFilter> = {}) => {
  const reply = await app.call(searchValidation, { body: { filter }, as: token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const names = (list: readonly { account_name: string }[]) =>
  list.map(({ account_name }) => account_name.replace(/-\d+$/, "")).toSorted();
const period = { start: new Date(Date.now() - 86_400_000).toISOString(), end: new Date().toISOString() };

describe("visibility", () => {
  test("an outsider sees no data in any call", async () => {
    const { outsider, lent, sessionId } = world;
    const { validation_statistics, systems, jit_health } = await dashboard(outsider, "30d");
    assert.equal(validation_statistics.total_accounts, 0);
    assert.equal(validation_statistics.success_rate, null);
    assert.ok(validation_statistics.weekly_trend.every((point) => point.attempts === 0));
    assert.deepEqual([systems, jit_health.active_sessions], [[], 0]);
    const statistics = await app.call(validationStatistics, { as: outsider.token });
    assert.deepEqual([statistics.body.total_accounts, statistics.body.last_24h_attempts], [0, 0]);
    for (const { total } of [await attempts(outsider), await failures(outsider), await sessions(outsider)])
      assert.equal(total, 0);
    assert.equal((await search(outsider, { text: "example" })).total, 0);
    const history = await app.call(validationHistory, { as: outsider.token });
    assert.deepEqual(history.body.data, []);
    const asked = await app.call(triggerValidation, { body: { accountIds: [lent.id] }, as: outsider.token });
    assert.deepEqual([asked.body.run_id, asked.body.failed[0]?.code], [null, "validation.not-found"]);
    const body = { date_range: period };
    const report = await app.call(exportValidationJson, { body, as: outsider.token });
    assert.equal(JSON.parse(report.text).total_records, 0);
    assert.ok(!report.text.includes(sessionId));
  });

  test("members see the safe, approvers and grant owners see the grant, and only secret managers may validate", async () => {
    const { owner, reader, requester, approver, admin, sessionId } = world;
    for (const person of [owner, reader, requester, approver]) {
      assert.deepEqual(names((await search(person)).results), [
        "idle",
        "lent",
        "refused",
        "unreachable",
        "untried",
        "works",
      ]);
      assert.equal((await failures(person)).total, 4);
      assert.equal((await attempts(person)).total, 4);
      assert.equal((await dashboard(person)).validation_statistics.total_accounts, 6);
    }
    assert.ok((await search(admin)).total >= 6);
    const grantedIn = async (person: TestPerson) =>
      (await sessions(person)).sessions.map(({ session_id }) => session_id);
    assert.deepEqual(await grantedIn(reader), []);
    for (const person of [requester, approver]) assert.deepEqual(await grantedIn(person), [sessionId]);
    assert.ok((await grantedIn(admin)).includes(sessionId as never));
    const mayValidate = async (person: TestPerson) =>
      (await failures(person)).failures.map((each) => each.may_validate);
    assert.deepEqual([...new Set(await mayValidate(owner))], [true]);
    for (const person of [reader, admin]) assert.deepEqual([...new Set(await mayValidate(person))], [false]);
  });

  test("personal credentials are visible to their owner and hidden from administrators", async () => {
    const owner = await aPerson(app);
    const { id } = await aCredential(app, owner, { name: "Own vault entry" });
    await stands(app, { id }, "rejected");
    assert.deepEqual(names((await failures(owner)).failures), ["Own vault entry"]);
    assert.equal((await search(world.admin, { text: "Own vault entry" })).total, 0);
    assert.equal((await attempts(world.admin, { search: "Own vault entry" })).total, 0);
    assert.equal((await failures(world.admin, { search: "Own vault entry" })).total, 0);
  });
});

describe("VAL-34, VAL-42, VAL-43: the figures", () => {
  test("count statuses, attempts and active grants", async () => {
    const { validation_statistics, status_distribution, systems, jit_health } = await dashboard(world.approver);
    const { weekly_trend, ...statistics } = validation_statistics;
    assert.deepEqual(statistics, {
      total_accounts: 6,
      verified: 1,
      pending: 0,
      failed: 4,
      rejected: 2,
      unreachable: 2,
      misconfigured: 0,
      never_validated: 1,
      success_rate: 25,
      average_validation_time: 100,
      daily_validations: 4,
      critical_failures: 1,
      last_24h_attempts: 4,
      last_24h_successes: 1,
      last_24h_failures: 3,
    });
    assert.equal(weekly_trend.length, 7);
    assert.deepEqual(
      status_distribution.map(({ status, count }) => [status, count]),
      [
        ["verified", 1],
        ["rejected", 2],
        ["unreachable", 2],
        ["misconfigured", 0],
        ["pending", 0],
        ["never_validated", 1],
      ],
    );
    assert.deepEqual(
      systems.map((each) => [each.system_type, each.total_accounts, each.verified, each.failed, each.success_rate]),
      [
        ["Linux", 5, 1, 3, 33.3],
        ["Windows", 1, 0, 1, 0],
      ],
    );
    assert.deepEqual(
      [jit_health.active_sessions, jit_health.sessions_with_validation_issues, jit_health.jit_validation_success_rate],
      [1, 1, null],
    );
  });

  test("are the same before and after the past days are summed up", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe, {
      name: "trend",
      system_type: "Linux",
      connection_method: "RDP",
    });
    const own = await aCredential(app, owner, { name: "mine" });
    for (const day of [0, 1, 3, 9, 28]) {
      await tried(app, account, "verified", day * 24 + 0.01);
      await tried(app, own, day > 5 ? "rejected" : "verified", day * 24 + 0.02);
    }
    const read = async () =>
      Promise.all(
        (["24h", "7d", "30d"] as const).map(async (range) => {
          const { validation_statistics, systems } = await dashboard(owner, range);
          const health = await app.call(readSystemHealth, { query: { range }, as: owner.token });
          return [validation_statistics, systems, health.body];
        }),
      );
    const live = await read();
    await sumUpDays(app.kernel);
    assert.deepEqual(await read(), live);
    const { rows } = await app.database.pool.query(
      "select sum(attempts)::int as sum from validation_days where safe_id = $1",
      [safe.id],
    );
    assert.ok(rows[0].sum >= 3);
    const month = (await dashboard(owner, "30d")).validation_statistics;
    assert.deepEqual([month.weekly_trend.length, month.success_rate], [30, 80]);
    assert.equal(
      (await dashboard(world.reader, "30d")).validation_statistics.weekly_trend.reduce(
        (sum, { attempts: each }) => sum + each,
        0,
      ),
      5,
    );
  });
});

describe("VAL-36, VAL-37: failures", () => {
  test("show a severity that depends on the secret's use, the start of the failure and the active grants", async () => {
    const { owner, requester, refused } = world;
    await tried(app, refused, "rejected", 5);
    const { failures: list, by_severity, total } = await failures(owner);
    assert.deepEqual(Object.fromEntries(list.map((each) => [names([each])[0], [each.severity, each.error_category]])), {
      lent: ["critical", "network"],
      refused: ["high", "authentication"],
      unreachable: ["medium", "network"],
      idle: ["low", "authentication"],
    });
    assert.deepEqual([by_severity, total], [{ critical: 1, high: 1, medium: 1, low: 1 }, 4]);
    const { failure_count, first_failed_at, last_failed_at } = list.find(
      ({ account_id }) => account_id === refused.id,
    )!;
    assert.equal(failure_count, 2);
    assert.ok(first_failed_at! < last_failed_at!);
    const critical = await failures(requester, { severity: "critical" });
    assert.deepEqual([critical.total, names(critical.failures)], [1, ["lent"]]);
    assert.equal(critical.failures[0]?.associated_jit_sessions.length, 1);
    assert.deepEqual((await failures(world.reader, { severity: "critical" })).failures[0]?.associated_jit_sessions, []);
    assert.deepEqual(names((await failures(owner, { search: "refus" })).failures), ["refused"]);
    const since = list[1]!.last_failed_at!;
    const recent = await failures(owner, { since });
    assert.deepEqual(
      names(recent.failures),
      names(list.filter((each) => each.last_failed_at! >= since)),
      "API-90: since a time",
    );
    assert.ok(recent.total >= 2 && recent.total < list.length);
    assert.deepEqual(names((await failures(owner, { system: "Windows" })).failures), ["idle"]);
    const [first] = (await failures(owner, { limit: 1 })).failures;
    const rest = await failures(owner, { limit: 10, cursor: (await failures(owner, { limit: 1 })).next_cursor! });
    assert.deepEqual(names([first!, ...rest.failures]), names(list));
  });
});

test("VAL-38 to VAL-41: a grant shows whether its account works", async () => {
  const [session] = (await sessions(world.requester)).sessions;
  assert.equal(session?.overall_health, "critical");
  const [account] = session.accounts;
  assert.deepEqual(
    [account?.validation_status, account?.is_critical, account?.response_time_ms],
    ["unreachable", true, 100],
  );
  const healthy = await app.call(listJitSessions, {
    query: { has_validation_issues: "false" },
    as: world.requester.token,
  });
  assert.deepEqual([healthy.body.total, healthy.body.with_issues], [0, 1]);

  const params = { id: session.session_id };
  const one = await app.call(readJitSession, { params, as: world.requester.token });
  assert.deepEqual(one.body, session, "API-86: the same by its id");
  assert.equal((await app.call(readJitSession, { params, as: world.outsider.token })).status, 404);
});

describe("VAL-35, OPEN-131: attempts", () => {
  test("are the same when fetched page by page, with few accounts and with many", async () => {
    const keeper = world.owner;
    const before = await attempts(keeper, { range: "30d" });
    const removeFillers = await addFillers(app, world.works);
    const after = await attempts(keeper, { range: "30d" });
    assert.deepEqual(after, before);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Awaited<ReturnType<typeof attempts>> = await attempts(keeper, { range: "30d", limit: 2, cursor });
      paged.push(...page.attempts.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(
      paged,
      before.attempts.map(({ id }) => id),
    );
    assert.deepEqual([...new Set(names((await attempts(keeper, { search: "refused" })).attempts))], ["refused"]);
    assert.deepEqual(names((await attempts(keeper, { status: "verified" })).attempts), ["works"]);
    assert.deepEqual(names((await attempts(keeper, { system: "Windows", status: "failed" })).attempts), ["idle"]);
    assert.equal((await attempts(keeper, { system: "Database" })).total, 0);
    assert.equal((await attempts(world.outsider, { range: "30d" })).total, 0);
    await removeFillers();
  });
});

describe("FILTER-01 to FILTER-07, OPEN-129: the advanced search", () => {
  test("filters by every field of the panel, alone and in combination", async () => {
    const { approver } = world;
    const found = async (filter: z.input<typeof ValidationFilter>, who = approver) =>
      names((await search(who, filter)).results);
    assert.deepEqual(await found({ text: "REFUSED.example" }), ["refused"]);
    assert.deepEqual(await found({ text: "server said no" }), ["idle", "lent", "refused", "unreachable"]);
    assert.deepEqual(await found({ text: "nightly batch" }), ["lent"]);
    assert.deepEqual(
      await found({ text: "nightly batch" }, world.reader),
      [],
      "why others asked is not theirs to read",
    );
    assert.deepEqual(await found({ statuses: ["verified", "never_validated"] }), ["untried", "works"]);
    assert.deepEqual(await found({ statuses: ["failed"], system_types: ["Windows"] }), ["idle"]);
    assert.deepEqual(await found({ statuses: ["failed"] }), ["idle", "lent", "refused", "unreachable"]);
    assert.deepEqual(await found({ statuses: ["rejected"] }), ["idle", "refused"]);
    assert.deepEqual(await found({ statuses: ["unreachable", "never_validated"] }), ["lent", "unreachable", "untried"]);
    assert.deepEqual(await found({ jit: ["active"] }), ["lent"]);
    assert.deepEqual(await found({ jit: ["any", "expired"] }), ["lent"]);
    assert.equal((await found({ jit: ["none"] })).includes("lent"), false);
    assert.deepEqual(await found({ critical_only: true }), ["lent"]);
    assert.deepEqual(await found({ recent_failures: true }), ["idle", "lent", "refused"]);
    assert.deepEqual(await found({ connection_methods: ["SSH"] }), []);
    assert.deepEqual(await found({ verification_methods: ["linux"], statuses: ["verified"] }), ["works"]);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    assert.deepEqual(await found({ last_validated: { to: yesterday } }), ["unreachable"]);
    assert.deepEqual(await found({ created: { to: yesterday } }), []);
    assert.equal((await found({ created: { from: yesterday } })).length, 6);
    const [lent] = (await search(approver, { jit: ["active"] })).results;
    assert.deepEqual([lent?.jit, lent?.severity, lent?.verification_method], ["active", "critical", "linux"]);
  });
});

describe("OPEN-125 to OPEN-128: validating a selection", () => {
  test("validates the permitted accounts and reports the others as failed", async () => {
    const { owner, reader, refused, works, lent } = world;
    const asReader = await app.call(triggerValidation, { body: { accountIds: [works.id] }, as: reader.token });
    assert.deepEqual(
      asReader.body.failed.map(({ code }) => code),
      ["safe.permission-missing"],
    );
    const accountIds = [refused.id, lent.id, works.id];
    const careful = await app.call(triggerValidation, { body: { accountIds }, as: owner.token });
    assert.equal(careful.status, 202, careful.text);
    assert.deepEqual(
      [careful.body.queued, careful.body.failed.map(({ id, code }) => [id, code])],
      [2, [[refused.id, "validation.held-back"]]],
    );
    const forced = await app.call(triggerValidation, { body: { accountIds, force: true }, as: owner.token });
    assert.deepEqual([forced.body.queued, forced.body.failed], [3, []]);
  });
});

test("VAL-70, VAL-71: the report is a spreadsheet of what the caller can see, and no name in it becomes a formula", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  await anAccount(app, owner, safe, { name: "=HYPERLINK(1)", hostname: "formula.example.com" });
  const { headers, statusCode, rawPayload } = await app.http.inject({
    method: exportValidationReport.method,
    url: exportValidationReport.path,
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
    payload: JSON.stringify({ date_range: period, include_fields: ["account_name", "hostname", "validation_status"] }),
  });
  assert.equal(statusCode, 200);
  assert.match(String(headers["content-disposition"]), /validation-dashboard-24h-\d{4}-\d\d-\d\d\.xlsx/);
  const { sheets } = await readXlsx(rawPayload);
  assert.deepEqual(sheets[0]?.rows.slice(0, 2), [
    ["Account name", "Hostname", "Validation status"],
    ["'=HYPERLINK(1)", "formula.example.com", "never_validated"],
  ]);
  const json = await app.call(exportValidationJson, { body: { date_range: period }, as: world.reader.token });
  const { accounts, total_records, statistics } = JSON.parse(json.text);
  assert.deepEqual([accounts.length, total_records, statistics.failed], [6, 6, 4]);
});
