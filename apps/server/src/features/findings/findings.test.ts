// Tests of findings over HTTP, on a real sshd.
import {
  assignFinding,
  changeFindingStatus,
  changeFindingStatuses,
  commentOnFinding,
  createFindingRule,
  deleteFindingRule,
  exportFindings,
  findingStatistics,
  listFindingRules,
  listFindings,
  readFinding,
  vaultFindings,
  verifyFinding,
} from "@strongroom/contract";
import type { InputOf } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { byId } from "#features/discovery/testing/discovery-world.ts";
import { columnsWith } from "#testing/columns.ts";
import { aPassword, aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";
import { aPerson } from "#testing/people.ts";

const FAR = "2099-01-01T00:00:00.000Z";

describe("findings of a real host", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  let as: string;
  before(async () => {
    host = await aScannedHost(undefined, { sudo: "ALL" });
    as = host.owner.token;
  });
  after(() => host.stop());

  test("FIND-06, FIND-12: a world-readable password is more severe than one that its owner alone can read", async () => {
    const open = await host.aFinding("risk/open.conf", `password = ${aPassword()}\n`);
    const closed = await host.aFinding("risk/closed.conf", `password = ${aPassword()}\n`, 0o600);
    assert.ok(open.risk_score > closed.risk_score);
    assert.deepEqual([open.severity, closed.severity], ["high", "medium"]);
    const details = await host.details(open);
    const sum = details.risk_factors.reduce((total, { points }) => total + points, 0);
    assert.equal(sum, open.risk_score);
    assert.match(details.remediation_steps[0]!, /chmod go-rwx/);
    assert.ok(
      details.compliance_impact.some(({ framework, control }) => framework === "pci_dss" && control === "8.6.2"),
    );
  });

  test("FIND-09, OPEN-120: any status may follow any but new, and each change is kept with its reason", async () => {
    const finding = await host.aFinding("status/a.conf", `password = ${aPassword()}\n`);
    for (const status of ["investigating", "accepted", "false_positive", "remediated"] as const) {
      const reply = await host.app.call(changeFindingStatus, { ...byId(finding), body: { status, reason: "Why" }, as });
      assert.deepEqual([reply.status, reply.body.status], [200, status], reply.text);
    }
    const refused = await host.app.call(changeFindingStatus, { ...byId(finding), body: { status: "new" }, as });
    assert.equal(refused.status, 409);
    const { history } = await host.details(finding);
    assert.deepEqual(
      history.filter(({ kind }) => kind === "status").map(({ from, to, reason }) => [from, to, reason]),
      [
        ["new", "investigating", "Why"],
        ["investigating", "accepted", "Why"],
        ["accepted", "false_positive", "Why"],
        ["false_positive", "remediated", "Why"],
      ],
    );
  });

  test("several findings change at once, and unknown ones are reported", async () => {
    const finding = await host.aFinding("status/b.conf", `password = ${aPassword()}\n`);
    const findingIds = [finding.id, host.owner.id as unknown as typeof finding.id];
    const reply = await host.app.call(changeFindingStatuses, { body: { findingIds, status: "accepted" }, as });
    assert.deepEqual([reply.body.changed, reply.body.failed.map(({ code }) => code)], [1, ["finding.not-found"]]);
    assert.equal(reply.body.message, "Finding status updated to accepted");
  });

  test("an accepted finding stays accepted in later scans", async () => {
    const finding = await host.aFinding("status/c.conf", `password = ${aPassword()}\n`);
    await host.app.call(changeFindingStatus, { ...byId(finding), body: { status: "accepted" }, as });
    await host.scanned({ scanConfig: { readAgain: true } });
    assert.equal((await host.details(finding)).status, "accepted");
  });

  test("a finding has an assignee, a due date and comments", async () => {
    const finding = await host.aFinding("assign/a.conf", `password = ${aPassword()}\n`);
    const body = { assigneeId: host.owner.id as never, dueAt: FAR };
    const assigned = await host.app.call(assignFinding, { ...byId(finding), body, as });
    assert.deepEqual([assigned.body.assignee?.id, assigned.body.due_at], [host.owner.id, FAR], assigned.text);
    const commented = await host.app.call(commentOnFinding, { ...byId(finding), body: { text: "Ask Ada" }, as });
    assert.equal(commented.status, 201, commented.text);
    assert.deepEqual(
      (await host.details(finding)).history.slice(1).map(({ kind }) => kind),
      ["assigned", "due", "comment"],
    );
  });

  test("a rule suppresses current and future findings until it is deleted", async () => {
    const finding = await host.aFinding("rules/a.conf", `password = ${aPassword()}\n`);
    const pattern = host.pathOf("rules/*");
    const wrong = { kind: "path" as const, pattern: "/elsewhere/*", reason: "Test data", reviewAt: FAR };
    assert.equal((await host.app.call(createFindingRule, { ...byId(finding), body: wrong, as })).status, 422);
    const rule = await host.app.call(createFindingRule, { ...byId(finding), body: { ...wrong, pattern }, as });
    assert.equal(rule.status, 201, rule.text);
    const later = await host.aFinding("rules/b.conf", `password = ${aPassword()}\n`);
    assert.deepEqual([(await host.details(finding)).status, later.status], ["false_positive", "false_positive"]);
    assert.equal((await host.app.call(listFindingRules, { as })).body.data.length, 1);
    assert.equal((await host.app.call(deleteFindingRule, { ...byId(rule.body), as })).status, 200);
    assert.equal((await host.details(later)).status, "new");
  });

  test("FIND-08, FIND-10: filters combine, and pages have 100 findings unless asked otherwise", async () => {
    const reply = await host.app.call(listFindings, { as });
    assert.deepEqual([reply.body.limit, reply.body.offset], [100, 0]);
    const some = await host.findings({ severity: "high,critical", status: "new", findingType: "hardcoded_password" });
    assert.ok(some.length > 0);
    assert.ok(some.every(({ severity, status }) => ["high", "critical"].includes(severity) && status === "new"));
    const range = await host.findings({ minRiskScore: "50", maxRiskScore: "100" });
    assert.ok(range.length > 0 && range.every(({ risk_score }) => risk_score >= 50));
    const all = await host.findings();
    const paged = await host.findings({ limit: "2", offset: "1" });
    assert.deepEqual(
      paged.map(({ id }) => id),
      all.slice(1, 3).map(({ id }) => id),
    );
  });

  test("statistics equal a count of the list, after inserts, changes and deletions", async () => {
    const { body } = await host.app.call(findingStatistics, { as });
    const shown = (await host.app.call(listFindings, { query: { limit: "500" }, as })).body;
    assert.deepEqual([body.total, shown.total], [shown.data.length, shown.data.length]);
    for (const [status, count] of Object.entries(body.by_status)) {
      assert.equal(count, shown.data.filter((each) => each.status === status).length, status);
    }
  });

  test("OPEN-116: findings below the scan's threshold are kept and shown on request only", async () => {
    const finding = await host.aFinding("quiet/a.conf", `password = ${aPassword()}\n`);
    await host.scanned({ scanConfig: { riskThreshold: "critical" } });
    const usual = await host.app.call(listFindings, { query: { targetId: host.target.id }, as });
    assert.ok(usual.body.data.every(({ id }) => id !== finding.id));
    assert.ok((await host.findings()).some(({ id }) => id === finding.id));
    await host.scanned();
  });

  test("FIND-14: exports in four formats contain the findings and no secret", async () => {
    const password = aPassword();
    const finding = await host.aFinding("export/a.conf", `password = ${password}\n`);
    for (const format of ["excel", "csv", "json", "sarif"] as const) {
      const body: InputOf<typeof exportFindings>["body"] = { format, filters: {} };
      const reply = await host.app.call(exportFindings, { body, as });
      assert.equal(reply.status, 200, reply.text);
      const name = format === "excel" ? "xlsx" : format;
      assert.match(
        reply.headers["content-disposition"] as string,
        new RegExp(String.raw`security-findings-[\d-]{10}\.${name}`),
      );
      assert.ok(!reply.text.includes(password));
      if (format !== "excel") assert.ok(reply.text.includes("export/a.conf"), format);
      if (format === "csv") assert.ok(reply.text.includes("PCI DSS 8.6.2"), reply.text);
      if (format === "json" || format === "sarif") JSON.parse(reply.text);
    }
    assert.ok(finding.finding_data.preview.length > 0);
  });

  test("users without a permission in the target's safe see nothing and change nothing", async () => {
    const finding = await host.aFinding("hidden/a.conf", `password = ${aPassword()}\n`);
    const stranger = await aPerson(host.app);
    const other = { as: stranger.token };
    const status = { ...byId(finding), body: { status: "accepted" as const }, ...other };
    assert.equal((await host.app.call(readFinding, { ...byId(finding), ...other })).status, 404);
    assert.equal((await host.app.call(changeFindingStatus, status)).status, 404);
    assert.equal((await host.app.call(findingStatistics, other)).body.total, 0);
    const vaulting = { body: { findingIds: [finding.id], vaultSettings: {}, login: {} }, ...other };
    const vaulted = await host.app.call(vaultFindings, vaulting);
    assert.deepEqual([vaulted.body.vaulted, vaulted.body.failed.length], [0, 1], vaulted.text);
  });

  test("a secret of a scanned file is in no column of the database, no log line and no reply", async () => {
    const canary = `Canary-${randomBytes(12).toString("hex")}`;
    const content = `[db]\nuser = app\npassword = ${canary}\nother_secret_key = ${canary}x\n`;
    const finding = await host.aFinding("canary/a.conf", content);
    const login = { username: "app", systemType: "postgresql" as const, hostname: "127.0.0.1", port: 1 };
    const findingIds = [finding.id];
    const replies = [
      await host.app.call(readFinding, { ...byId(finding), as }),
      await host.app.call(listFindings, { query: { includeBelowThreshold: "true" }, as }),
      await host.app.call(exportFindings, { body: { format: "json", filters: {} }, as }),
      await host.app.call(verifyFinding, { ...byId(finding), body: { login }, as }),
      await host.app.call(vaultFindings, { body: { findingIds, vaultSettings: {}, login: {} }, as }),
      await host.app.call(vaultFindings, { body: { findingIds, vaultSettings: {}, login }, as }),
    ];
    assert.deepEqual(
      replies.map(({ text }) => text.includes(canary)),
      replies.map(() => false),
    );
    assert.equal((await host.details(finding)).auto_vaulted, true, "the secret was read and stored");
    assert.ok(host.app.logLines.length > 0);
    assert.ok(host.app.logLines.every((line) => !line.includes(canary)));
    assert.deepEqual(await columnsWith(host.app.database.pool, canary.slice(0, -1)), []);
  });
});
