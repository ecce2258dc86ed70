// Tests of enhanced scans over HTTP, of a real sshd.
import {
  cancelEnhancedScan,
  createScanConfig,
  deleteScanConfig,
  listEnhancedScans,
  listScanConfigs,
  readDiscoveryTarget,
  readEnhancedScan,
  readFinding,
  readScanConfig,
  updateScanConfig,
  vaultFindings,
} from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SSH, byId } from "#features/discovery/testing/discovery-world.ts";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { aPassword, aScannedHost } from "./testing/scanned-host.ts";
import type { ScannedHost } from "./testing/scanned-host.ts";

/** A value that a careful person would choose. */

describe("enhanced scans of a real host", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  before(async () => {
    host = await aScannedHost();
  });
  after(() => host.stop());

  test("SCAN-29, SCAN-45: a scan finds the password in a file and reports its coverage", async () => {
    const password = aPassword();
    const path = host.write("app/db.conf", `[database]\nuser = ada\npassword = ${password}\n`);
    host.write("app/hidden.conf", "password = nobody-reads-this\n", 0o600);
    host.write("app/notes.txt", `password = ${password}\n`);
    const scan = await host.scanned();
    assert.deepEqual([scan.status, scan.error_message, scan.progress], ["completed", null, 100]);
    assert.deepEqual([scan.coverage.way, scan.coverage.limit, scan.coverage.as_root], ["tar", null, false]);
    assert.deepEqual(scan.coverage.unread, [host.pathOf("app/hidden.conf")]);
    assert.equal(scan.coverage.files_read, 1);
    const [finding, ...others] = await host.findings();
    assert.deepEqual(others, []);
    assert.equal(finding?.finding_data.file_path, path);
    assert.deepEqual([finding.finding_data.line_number, finding.finding_data.key_name], [3, "password"]);
    assert.deepEqual([finding.finding_type, finding.status], ["hardcoded_password", "new"]);
    assert.equal(scan.results.findings_discovered, 1);
    assert.equal(scan.findings[0]?.id, finding.id);
    const target = await host.app.call(readDiscoveryTarget, { ...byId(host.target), as: host.owner.token });
    assert.deepEqual(target.body.last_enhanced_scan, { status: "completed", completed_at: scan.completed_at });
    assert.equal(target.body.last_scan, null);
    const details = await host.app.call(readFinding, { ...byId(finding), as: host.owner.token });
    assert.deepEqual([details.body.file.mode, details.body.file.owner], ["644", "root"]);
    assert.ok(!details.text.includes(password));
    assert.deepEqual(
      details.body.context.map(({ text }) => text),
      ["[database]", "user = ••••", details.body.context[2]!.text, ""],
    );
  });

  test("a moved line keeps its finding, and a second scan reads only what changed", async () => {
    const [first] = await host.findings();
    const quiet = await host.scanned();
    assert.deepEqual([quiet.coverage.files_read, quiet.results.findings_discovered], [0, 1]);
    const { readFileSync } = await import("node:fs");
    const content = readFileSync(host.pathOf("app/db.conf"), "utf8");
    host.write("app/db.conf", `# moved\n\n${content}`);
    const scan = await host.scanned();
    assert.deepEqual([scan.coverage.files_read, scan.results.new_findings], [1, 0]);
    const [moved] = await host.findings();
    assert.deepEqual([moved?.id, moved?.finding_data.line_number], [first?.id, 5]);
  });

  test("a finding that is gone is remediated by the scan that proved it, and new again when it returns", async () => {
    const content = `password = ${aPassword()}\n`;
    host.write("gone/a.conf", content);
    host.write("gone/b.conf", `password = ${aPassword()}\n`);
    await host.scanned();
    host.write("gone/a.conf", "password = ${PASSWORD}\n");
    host.remove("gone/b.conf");
    const scan = await host.scanned();
    assert.equal(scan.results.fixed_findings, 2);
    const fixed = (await host.findings({ status: "remediated" })).filter(({ finding_data }) =>
      finding_data.file_path.includes("/gone/"),
    );
    assert.deepEqual(
      fixed.map(({ fixed_by_scan }) => fixed_by_scan),
      [scan.id, scan.id],
    );
    host.write("gone/a.conf", content);
    await host.scanned();
    const again = (await host.findings()).find(({ finding_data }) => finding_data.file_path.endsWith("gone/a.conf"));
    assert.deepEqual([again?.status, again?.fixed_by_scan], ["new", null]);
    assert.ok(fixed.some(({ id }) => id === again?.id));
  });

  test("a scan recognises the password of a stored account, whatever the syntax around it", async () => {
    const path = host.write("known/start.conf", `Exec /opt/tool (${host.user.password}) now\n`);
    await host.scanned();
    const found = (await host.findings()).find(({ finding_data }) => finding_data.file_path === path);
    assert.deepEqual([found?.class, found?.account_id], ["known_secret", host.account.id]);
    const outsider = await aPerson(host.app);
    assert.deepEqual(await host.findings({}, outsider), []);
  });

  test("a file full of guesses reveals nothing about secrets that its scanner may not retrieve", async () => {
    const other = await aPerson(host.app);
    const elsewhere = await aSafe(host.app, other);
    const [password, hidden] = [aPassword(), aPassword()];
    await anAccount(host.app, other, elsewhere, { ...SSH, hostname: "db1.example.com", username: "root", password });
    const approved = await aPlatform(host.app, { approvals_level_1: 1 });
    const guarded = {
      ...SSH,
      hostname: "db2.example.com",
      username: "root",
      password: hidden,
      platform_id: approved.id,
    };
    const away = await aSafe(host.app, other);
    await aMember(host.app, other, away, host.owner, "user");
    await anAccount(host.app, other, away, guarded);
    const path = host.write(
      "guesses/list.conf",
      `Exec /opt/tool (${password}) (${hidden}) now\npassword = ${password}\n`,
    );
    await host.scanned();
    const found = (await host.findings()).filter(({ finding_data }) => finding_data.file_path === path);
    assert.deepEqual(
      found.map(({ class: kind, account_id: id, finding_data }) => [kind, id, finding_data.username ?? null]),
      [["password", null, null]],
    );
    const body = {
      findingIds: [found[0]!.id],
      vaultSettings: {},
      login: { username: "app", systemType: "Linux" as const },
    };
    const vaulted = await host.app.call(vaultFindings, { body, as: host.owner.token });
    assert.deepEqual([vaulted.status, vaulted.body.failed, vaulted.body.vaulted], [200, [], 1], vaulted.text);
  });

  test("SCAN-07, SCAN-47: a running scan can be cancelled, an ended one cannot", async () => {
    const started = await host.startScan({ scanConfig: { readAgain: true } });
    assert.equal(started.status, 202, started.text);
    const again = await host.startScan();
    assert.equal(again.status, 409, "one open scan for each target");
    const cancelled = await host.app.call(cancelEnhancedScan, { ...byId(started.body), as: host.owner.token });
    if (cancelled.status === 200) assert.equal(cancelled.body.status, "cancelled");
    const repeated = await host.app.call(cancelEnhancedScan, { ...byId(started.body), as: host.owner.token });
    assert.equal(repeated.status, 409);
    assert.equal((await host.ended(started.body.id)).status === "running", false);
  });

  test("a wrong credential fails the scan and is not sent twice", async () => {
    const other = await aScannedHost(host);
    try {
      await other.app.database.pool.query("update credentials set host = host where id = $1", [other.account.id]);
      const { spawnSync } = await import("node:child_process");
      spawnSync("/usr/sbin/chpasswd", { input: `${other.user.username}:${aPassword()}\n` });
      const first = await other.scanned();
      assert.deepEqual([first.status, first.error], ["failed", "wrong-password"]);
      const second = await other.scanned();
      assert.deepEqual([second.status, second.error], ["failed", "credential-rejected"]);
    } finally {
      await other.stop();
    }
  });

  test("users see the scans of targets in their safes only", async () => {
    const outsider = await aPerson(host.app, "admin");
    const [own] = (await host.app.call(listEnhancedScans, { as: host.owner.token })).body.data;
    assert.ok(own !== undefined);
    const stranger = await aPerson(host.app);
    const hidden = await host.app.call(readEnhancedScan, { ...byId(own), as: stranger.token });
    const unknown = await host.app.call(readEnhancedScan, { ...byId({ id: outsider.id }), as: stranger.token });
    assert.deepEqual([hidden.status, unknown.status], [404, 404]);
    const listed = await host.app.call(listEnhancedScans, { as: stranger.token });
    assert.deepEqual([listed.body.data, listed.body.total], [[], 0]);
  });
});

describe("saved scan configurations", () => {
  let host: Pick<ScannedHost, "app" | "owner" | "stop">;
  before(async () => {
    const { aDiscoveryWorld } = await import("#features/discovery/testing/discovery-world.ts");
    const world = await aDiscoveryWorld();
    host = { ...world, stop: () => world.app.close() };
  });
  after(() => host.stop());

  test("SCAN-35 to SCAN-44: a configuration has the documented defaults", async () => {
    const made = await host.app.call(createScanConfig, {
      body: { name: "Nightly", scanConfig: {} },
      as: host.owner.token,
    });
    assert.equal(made.status, 201, made.text);
    const { scan_config: config, compliance_frameworks } = made.body;
    assert.deepEqual(compliance_frameworks, ["sox", "pci_dss"]);
    assert.deepEqual(
      [config.scanHardcodedPasswords, config.scanSshKeys, config.scanCertificates, config.scanServiceAccounts],
      [true, true, true, true],
    );
    assert.deepEqual(
      [config.scanSharedAccounts, config.scanCredentialExposure, config.autoVaultFindings],
      [true, true, false],
    );
    assert.deepEqual(
      [config.riskThreshold, config.scanDepth, config.includeSystemFiles],
      ["medium", "standard", false],
    );
    assert.deepEqual(config.filePatterns, ["*.conf", "*.config", "*.ini", "*.env", "*.properties"]);
    assert.deepEqual(config.excludePatterns, ["/tmp/*", "/var/tmp/*", "*.log"]);
    assert.deepEqual([config.maxFileSize, config.timeoutSeconds], [10_485_760, 300]);
  });

  test("a user changes and deletes own configurations, and cannot see those of others", async () => {
    const as = host.owner.token;
    const { body: made } = await host.app.call(createScanConfig, { body: { name: "Weekly", scanConfig: {} }, as });
    const taken = await host.app.call(createScanConfig, { body: { name: "WEEKLY", scanConfig: {} }, as });
    assert.equal(taken.status, 409);
    const body = { name: "Monthly", scanConfig: made.scan_config, complianceFrameworks: ["gdpr" as const] };
    const changed = await host.app.call(updateScanConfig, { ...byId(made), body, as });
    assert.deepEqual([changed.status, changed.body.name], [200, "Monthly"], changed.text);
    const other = await aPerson(host.app, "admin");
    assert.equal((await host.app.call(readScanConfig, { ...byId(made), as: other.token })).status, 404);
    assert.equal((await host.app.call(deleteScanConfig, { ...byId(made), as: other.token })).status, 404);
    assert.equal((await host.app.call(deleteScanConfig, { ...byId(made), as })).status, 200);
    const left = await host.app.call(listScanConfigs, { as });
    assert.ok(left.body.data.every(({ id }) => id !== made.id));
  });
});
