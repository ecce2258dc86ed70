// Tests of findings over HTTP, of a real sshd and a real PostgreSQL.
import {
  assignFinding,
  changeFindingStatus,
  changeFindingStatuses,
  commentOnFinding,
  createFindingRule,
  deleteFindingRule,
  exportFindings,
  findingStatistics,
  listDependents,
  listFindingRules,
  listFindings,
  readFinding,
  retrieveAccount,
  rotateAccount,
  undoVaulting,
  updateDependent,
  vaultFindings,
  verifyFinding,
} from "@strongroom/contract";
import type { AccountId, InputOf, SecurityFinding, SecurityFindingDetails } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { byId } from "#features/discovery/testing/discovery-world.ts";
import { columnsWith } from "#testing/columns.ts";
import { aPassword, aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";
import { aPerson } from "#testing/people.ts";
import { eventually } from "#testing/waiting.ts";

const FAR = "2099-01-01T00:00:00.000Z";

describe("findings of a real host", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  let as: string;
  before(async () => {
    host = await aScannedHost(undefined, { sudo: "ALL" });
    as = host.owner.token;
  });
  after(() => host.stop());

  /** Writes a file with one password, scans it and returns the finding. */
  async function aFinding(name: string, content: string, mode = 0o644): Promise<SecurityFinding> {
    const path = host.write(name, content, mode);
    const scan = await host.scanned();
    assert.equal(scan.status, "completed", scan.error_message ?? "");
    const found = (await host.findings()).find(({ finding_data }) => finding_data.file_path === path);
    assert.ok(found !== undefined, `no finding in ${path}`);
    return found;
  }
  const daysToFix = ({ created_at, due_at }: SecurityFinding) =>
    (Date.parse(due_at!) - Date.parse(created_at)) / (24 * 60 * 60 * 1000);
  const lastChange = ({ history }: SecurityFindingDetails) => {
    const { kind, from, to, reason } = history.at(-1)!;
    return [kind, from, to, reason];
  };
  const detailsOf = async (finding: Pick<SecurityFinding, "id">) =>
    (await host.app.call(readFinding, { ...byId(finding), as })).body;

  test("FIND-06, FIND-12: a world-readable password is more severe than one that its owner alone can read", async () => {
    const open = await aFinding("risk/open.conf", `password = ${aPassword()}\n`);
    const closed = await aFinding("risk/closed.conf", `password = ${aPassword()}\n`, 0o600);
    assert.ok(open.risk_score > closed.risk_score);
    assert.deepEqual([open.severity, closed.severity], ["high", "medium"]);
    const details = await detailsOf(open);
    const sum = details.risk_factors.reduce((total, { points }) => total + points, 0);
    assert.equal(sum, open.risk_score);
    assert.match(details.remediation_steps[0]!, /chmod go-rwx/);
    assert.ok(
      details.compliance_impact.some(({ framework, control }) => framework === "pci_dss" && control === "8.6.2"),
    );
  });

  test("FIND-09, OPEN-120: any status may follow any but new, and each change is kept with its reason", async () => {
    const finding = await aFinding("status/a.conf", `password = ${aPassword()}\n`);
    for (const status of ["investigating", "accepted", "false_positive", "remediated"] as const) {
      const reply = await host.app.call(changeFindingStatus, { ...byId(finding), body: { status, reason: "Why" }, as });
      assert.deepEqual([reply.status, reply.body.status], [200, status], reply.text);
    }
    const refused = await host.app.call(changeFindingStatus, { ...byId(finding), body: { status: "new" }, as });
    assert.equal(refused.status, 409);
    const { history } = await detailsOf(finding);
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
    const finding = await aFinding("status/b.conf", `password = ${aPassword()}\n`);
    const findingIds = [finding.id, host.owner.id as unknown as typeof finding.id];
    const reply = await host.app.call(changeFindingStatuses, { body: { findingIds, status: "accepted" }, as });
    assert.deepEqual([reply.body.changed, reply.body.failed.map(({ code }) => code)], [1, ["finding.not-found"]]);
    assert.equal(reply.body.message, "Finding status updated to accepted");
  });

  test("an accepted finding stays accepted in later scans", async () => {
    const finding = await aFinding("status/c.conf", `password = ${aPassword()}\n`);
    await host.app.call(changeFindingStatus, { ...byId(finding), body: { status: "accepted" }, as });
    await host.scanned({ scanConfig: { readAgain: true } });
    assert.equal((await detailsOf(finding)).status, "accepted");
  });

  test("a finding has an assignee, a due date and comments", async () => {
    const finding = await aFinding("assign/a.conf", `password = ${aPassword()}\n`);
    const body = { assigneeId: host.owner.id as never, dueAt: FAR };
    const assigned = await host.app.call(assignFinding, { ...byId(finding), body, as });
    assert.deepEqual([assigned.body.assignee?.id, assigned.body.due_at], [host.owner.id, FAR], assigned.text);
    const commented = await host.app.call(commentOnFinding, { ...byId(finding), body: { text: "Ask Ada" }, as });
    assert.equal(commented.status, 201, commented.text);
    assert.deepEqual(
      (await detailsOf(finding)).history.slice(1).map(({ kind }) => kind),
      ["assigned", "due", "comment"],
    );
  });

  test("a rule suppresses current and future findings until it is deleted", async () => {
    const finding = await aFinding("rules/a.conf", `password = ${aPassword()}\n`);
    const pattern = host.pathOf("rules/*");
    const wrong = { kind: "path" as const, pattern: "/elsewhere/*", reason: "Test data", reviewAt: FAR };
    assert.equal((await host.app.call(createFindingRule, { ...byId(finding), body: wrong, as })).status, 422);
    const rule = await host.app.call(createFindingRule, { ...byId(finding), body: { ...wrong, pattern }, as });
    assert.equal(rule.status, 201, rule.text);
    const later = await aFinding("rules/b.conf", `password = ${aPassword()}\n`);
    assert.deepEqual([(await detailsOf(finding)).status, later.status], ["false_positive", "false_positive"]);
    assert.equal((await host.app.call(listFindingRules, { as })).body.data.length, 1);
    assert.equal((await host.app.call(deleteFindingRule, { ...byId(rule.body), as })).status, 200);
    assert.equal((await detailsOf(later)).status, "new");
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
    const finding = await aFinding("quiet/a.conf", `password = ${aPassword()}\n`);
    await host.scanned({ scanConfig: { riskThreshold: "critical" } });
    const usual = await host.app.call(listFindings, { query: { targetId: host.target.id }, as });
    assert.ok(usual.body.data.every(({ id }) => id !== finding.id));
    assert.ok((await host.findings()).some(({ id }) => id === finding.id));
    await host.scanned();
  });

  test("FIND-14: exports in four formats contain the findings and no secret", async () => {
    const password = aPassword();
    const finding = await aFinding("export/a.conf", `password = ${password}\n`);
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
    const finding = await aFinding("hidden/a.conf", `password = ${aPassword()}\n`);
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
    const finding = await aFinding("canary/a.conf", content);
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
    assert.equal((await detailsOf(finding)).auto_vaulted, true, "the secret was read and stored");
    assert.ok(host.app.logLines.length > 0);
    assert.ok(host.app.logLines.every((line) => !line.includes(canary)));
    assert.deepEqual(await columnsWith(host.app.database.pool, canary.slice(0, -1)), []);
  });

  describe("that opens a real PostgreSQL", needs(postgresqlAvailable()), () => {
    let server: PostgresqlServer;
    before(async () => {
      server = await startPostgresql();
    });
    after(() => server.stop());

    async function aDatabaseFinding(name: string, mode = 0o640) {
      const { username, password } = await server.addRole();
      const dsn = `postgresql://${username}:${encodeURIComponent(password)}@${server.host}:${server.port}/postgres`;
      const finding = await aFinding(name, `[app]\ndatabase_url = ${dsn}\nlevel = 3\n`, mode);
      return { finding, username, password };
    }
    const login = () => ({
      systemType: "postgresql" as const,
      hostname: server.host,
      port: server.port,
      databaseName: "postgres",
    });

    test("verifying says whether the secret works, at most twice in 15 minutes", async () => {
      const { finding, username, password } = await aDatabaseFinding("verify/a.conf");
      const ask = () => host.app.call(verifyFinding, { ...byId(finding), body: { login: login() }, as });
      const live = await ask();
      assert.deepEqual([live.status, live.body.liveness], [200, "live"], live.text);
      assert.ok(!live.text.includes(password));
      const after = await detailsOf(finding);
      assert.deepEqual([after.liveness, after.finding_data.username], ["live", username]);
      assert.ok(after.risk_score > finding.risk_score);
      assert.deepEqual([after.severity, daysToFix(after)], ["high", 14]);
      assert.equal((await ask()).status, 200);
      const third = await ask();
      assert.deepEqual(
        [third.status, (third.body as unknown as { code: string }).code],
        [409, "finding.verified-often"],
      );
    });

    test("a secret that no longer works is dead, and less risky", async () => {
      const { finding, username } = await aDatabaseFinding("verify/dead.conf");
      await server.sql(`alter role "${username}" password 'changed-${randomBytes(9).toString("hex")}'`);
      const { status, body, text } = await host.app.call(verifyFinding, {
        ...byId(finding),
        body: { login: login() },
        as,
      });
      assert.deepEqual([status, body.liveness], [200, "dead"], text);
      const after = await detailsOf(finding);
      assert.deepEqual([after.liveness, after.risk_score], ["dead", finding.risk_score - 30]);
    });

    test("FIND-13, FIND-16: vault and fix stores the secret, rotates it and updates the file", async () => {
      const { finding, password } = await aDatabaseFinding("fix/app.conf", 0o640);
      const path = finding.finding_data.file_path;
      assert.equal(
        (await host.app.call(verifyFinding, { ...byId(finding), body: { login: login() }, as })).status,
        200,
      );
      const live = await detailsOf(finding);
      const body = { findingIds: [finding.id], vaultSettings: {}, fixFiles: true, login: login() };
      const reply = await host.app.call(vaultFindings, { body, as });
      assert.deepEqual([reply.body.vaulted, reply.body.failed], [1, []], reply.text);
      assert.equal(reply.body.message, "Vaulted 1 finding(s) successfully");
      assert.ok(!reply.text.includes(password));
      const fix = await eventually(async () => {
        const { fix: now } = await detailsOf(finding);
        assert.notEqual(now?.state, "attention", now?.message);
        return now?.state === "fixed" ? now : null;
      });
      const content = readFileSync(path, "utf8");
      assert.ok(!content.includes(encodeURIComponent(password)), "the old password is gone");
      assert.match(content, /^\[app\]\ndatabase_url = postgresql:\/\/[^\n]+\nlevel = 3\n$/);
      const written = decodeURIComponent(/:\/\/[^:]+:([^@]+)@/.exec(content)![1]!);
      const client = new Client({ connectionString: /postgresql:\S+/.exec(content)![0] });
      await client.connect();
      await client.end();
      assert.notEqual(written, password);
      assert.deepEqual([(statSync(path).mode & 0o777).toString(8), statSync(path).uid], ["640", 0]);
      assert.ok(readFileSync(`${path}.strongroom-backup`, "utf8").includes(encodeURIComponent(password)));
      const { body: listed } = await host.app.call(listDependents, { params: { id: fix.account_id! }, as });
      assert.deepEqual(
        listed.dependents.map(({ state, config }) => [state, config?.kind]),
        [["current", "file-value"]],
      );
      const closed = await detailsOf(finding);
      assert.deepEqual([live.liveness, closed.liveness, closed.status], ["live", "dead", "remediated"]);
      // The vaulted secret now belongs to an account (15); it worked (20), and no longer works (-30).
      assert.equal(closed.risk_score, live.risk_score + 15 - 20 - 30);
      assert.deepEqual(lastChange(closed), [
        "fixed",
        "investigating",
        "remediated",
        "The secret was rotated, and the file has the new one.",
      ]);
      await host.scanned();
      const later = (await host.findings()).filter(({ finding_data }) => finding_data.file_path === path);
      assert.deepEqual(
        later.map(({ id, status }) => [id, status]),
        [[finding.id, "remediated"]],
        "the scan proves that the secret is gone, and the managed copy is no new finding",
      );
      const undone = await host.app.call(undoVaulting, { ...byId(finding), as });
      assert.equal(undone.status, 409, "after the rotation, vaulting cannot be undone");
    });

    test("a fixed finding opens again when a scan finds the old secret in the file, and later rotations keep it open", async () => {
      const { finding, password } = await aDatabaseFinding("fix/again.conf");
      const path = finding.finding_data.file_path;
      const old = readFileSync(path, "utf8");
      const body = { findingIds: [finding.id], vaultSettings: {}, fixFiles: true, login: login() };
      assert.equal((await host.app.call(vaultFindings, { body, as })).body.vaulted, 1);
      const { fix } = await eventually(async () => {
        const now = await detailsOf(finding);
        return now.status === "remediated" ? now : null;
      });
      const fixed = readFileSync(path, "utf8");
      writeFileSync(path, `${fixed}${old}`);
      await host.scanned();
      const reopened = await detailsOf(finding);
      assert.deepEqual([reopened.status, reopened.liveness, lastChange(reopened)[0]], ["new", "dead", "reopened"]);
      await rotateNow(fix!.account_id!, decodeURIComponent(/:\/\/[^:]+:([^@]+)@/.exec(fixed)![1]!));
      assert.ok(readFileSync(path, "utf8").includes(encodeURIComponent(password)));
      assert.equal((await detailsOf(finding)).status, "new", "the file still has the old secret");
    });

    test("a finding stays open when the rotation fails or the file is not updated, and closes once it is", async () => {
      const { finding, username, password } = await aDatabaseFinding("fix/fails.conf");
      const path = finding.finding_data.file_path;
      const old = readFileSync(path, "utf8");
      await server.sql(`alter role "${username}" password 'changed-${randomBytes(9).toString("hex")}'`);
      const body = { findingIds: [finding.id], vaultSettings: {}, fixFiles: true, login: login() };
      assert.equal((await host.app.call(vaultFindings, { body, as })).body.vaulted, 1);
      const stopped = await eventually(async () => {
        const now = await detailsOf(finding);
        return now.fix?.state === "attention" ? now : null;
      });
      assert.equal(stopped.status, "investigating");

      await server.sql(`alter role "${username}" password '${password}'`);
      writeFileSync(path, "[app]\n");
      const params = { id: stopped.fix!.account_id! };
      assert.equal((await host.app.call(rotateAccount, { params, body: {}, as })).status, 202);
      const dependent = await eventually(async () => {
        const [first] = (await host.app.call(listDependents, { params, as })).body.dependents;
        return first?.state === "waiting" && first.tries > 0 ? first : null;
      });
      assert.match(dependent.message ?? "", /no longer contains the previous password/);
      assert.equal((await detailsOf(finding)).status, "investigating");

      writeFileSync(path, old);
      await host.app.call(updateDependent, { params: { ...params, dependentId: dependent.id }, as });
      const closed = await eventually(async () => {
        const now = await detailsOf(finding);
        return now.fix?.state === "fixed" ? now : null;
      });
      assert.deepEqual([closed.status, closed.liveness], ["remediated", "dead"]);
      assert.ok(!readFileSync(path, "utf8").includes(encodeURIComponent(password)));
    });

    test("FIND-16: a reference replaces the secret in the file, and rotations keep it", async () => {
      const { finding, password } = await aDatabaseFinding("reference/app.conf", 0o640);
      const path = finding.finding_data.file_path;
      const common = { findingIds: [finding.id], vaultSettings: {}, login: login() };
      const both = await host.app.call(vaultFindings, { body: { ...common, fixFiles: true, useReferences: true }, as });
      assert.equal(both.status, 422, both.text);
      const body = { ...common, useReferences: true };
      const reply = await host.app.call(vaultFindings, { body, as });
      assert.deepEqual([reply.body.vaulted, reply.body.failed], [1, []], reply.text);
      const fix = await eventually(async () => {
        const { fix: now } = await detailsOf(finding);
        assert.notEqual(now?.state, "attention", now?.message);
        assert.equal(now?.can_undo, false);
        return now?.state === "fixed" ? now : null;
      });
      assert.match(fix.message, /^The file refers to the account\. Rotate/);
      const closed = await detailsOf(finding);
      assert.deepEqual(
        [closed.status, closed.liveness],
        ["remediated", "unverified"],
        "it still works until a rotation",
      );
      assert.deepEqual(lastChange(closed), [
        "fixed",
        "investigating",
        "remediated",
        "The file refers to the account and no longer contains the secret.",
      ]);
      const content = readFileSync(path, "utf8");
      assert.match(
        content,
        new RegExp(
          `^\\[app\\]\\ndatabase_url = postgresql://[^:]+:\\{\\{strongroom:${fix.account_id}\\|url\\}\\}@[^\\n]+\\nlevel = 3\\n$`,
        ),
      );
      assert.equal((statSync(path).mode & 0o777).toString(8), "640");
      assert.equal(existsSync(`${path}.strongroom-backup`), false);
      const undone = await host.app.call(undoVaulting, { ...byId(finding), as });
      assert.equal(undone.status, 409, undone.text);
      await rotateNow(fix.account_id!, password);
      assert.equal(readFileSync(path, "utf8"), content, "a rotation leaves the reference");
      const rotated = await detailsOf(finding);
      assert.deepEqual([rotated.status, rotated.liveness], ["remediated", "dead"]);
      writeFileSync(path, content.replace("strongroom:", "elsewhere:"));
      const { body: listed } = await host.app.call(listDependents, { params: { id: fix.account_id! }, as });
      const [dependent] = listed.dependents;
      const params = { id: fix.account_id!, dependentId: dependent!.id };
      await host.app.call(updateDependent, { params, as });
      const lost = await eventually(async () => {
        const { dependents } = (await host.app.call(listDependents, { params: { id: fix.account_id! }, as })).body;
        return dependents[0]?.state === "waiting" ? dependents[0] : null;
      });
      assert.match(lost.message ?? "", /neither the previous password nor a reference/);
    });

    /** Rotates the account, and waits until its dependents have the new version. */
    async function rotateNow(id: AccountId, previous: string): Promise<void> {
      const started = await host.app.call(rotateAccount, { params: { id }, body: {}, as });
      assert.equal(started.status, 202, started.text);
      await eventually(async () => {
        const { password } = (await host.app.call(retrieveAccount, { params: { id }, body: {}, as })).body;
        const { dependents } = (await host.app.call(listDependents, { params: { id }, as })).body;
        return password !== previous && dependents.every(({ state }) => state === "current") ? true : null;
      });
    }

    test("vaulting without a rotation can be undone", async () => {
      const { finding } = await aDatabaseFinding("undo/app.conf");
      const body = { findingIds: [finding.id], vaultSettings: {}, login: login() };
      assert.equal((await host.app.call(vaultFindings, { body, as })).body.vaulted, 1);
      const before = await detailsOf(finding);
      assert.deepEqual([before.fix?.state, before.fix?.can_undo, before.auto_vaulted], ["stored", true, true]);
      const undone = await host.app.call(undoVaulting, { ...byId(finding), as });
      assert.deepEqual([undone.status, undone.body.state], [200, "undone"], undone.text);
      assert.equal((await detailsOf(finding)).auto_vaulted, false);
    });
  });
});
