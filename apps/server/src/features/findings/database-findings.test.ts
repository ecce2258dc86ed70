// Tests of verifying, vaulting and fixing findings, on a real sshd and a real PostgreSQL.
import {
  listDependents,
  retrieveAccount,
  rotateAccount,
  undoVaulting,
  updateDependent,
  vaultFindings,
  verifyFinding,
} from "@strongroom/contract";
import type { AccountId, SecurityFinding, SecurityFindingDetails } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { byId } from "#features/discovery/testing/discovery-world.ts";
import { aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";
import { eventually } from "#testing/waiting.ts";

describe("findings of a real database", needs(unixUsersAvailable(), postgresqlAvailable()), () => {
  let host: ScannedHost;
  let as: string;
  let server: PostgresqlServer;
  before(async () => {
    host = await aScannedHost(undefined, { sudo: "ALL" });
    as = host.owner.token;
    server = await startPostgresql();
  });
  after(async () => {
    await server?.stop();
    await host.stop();
  });

  const daysToFix = ({ created_at, due_at }: SecurityFinding) =>
    (Date.parse(due_at!) - Date.parse(created_at)) / (24 * 60 * 60 * 1000);
  const lastChange = ({ history }: SecurityFindingDetails) => {
    const { kind, from, to, reason } = history.at(-1)!;
    return [kind, from, to, reason];
  };

  async function aDatabaseFinding(name: string, mode = 0o640) {
    const { username, password } = await server.addRole();
    const dsn = `postgresql://${username}:${encodeURIComponent(password)}@${server.host}:${server.port}/postgres`;
    const finding = await host.aFinding(name, `[app]\ndatabase_url = ${dsn}\nlevel = 3\n`, mode);
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
    const after = await host.details(finding);
    assert.deepEqual([after.liveness, after.finding_data.username], ["live", username]);
    assert.ok(after.risk_score > finding.risk_score);
    assert.deepEqual([after.severity, daysToFix(after)], ["high", 14]);
    assert.equal((await ask()).status, 200);
    const third = await ask();
    assert.deepEqual([third.status, (third.body as unknown as { code: string }).code], [409, "finding.verified-often"]);
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
    const after = await host.details(finding);
    assert.deepEqual([after.liveness, after.risk_score], ["dead", finding.risk_score - 30]);
  });

  test("FIND-13, FIND-16: vault and fix stores the secret, rotates it and updates the file", async () => {
    const { finding, password } = await aDatabaseFinding("fix/app.conf", 0o640);
    const path = finding.finding_data.file_path;
    assert.equal((await host.app.call(verifyFinding, { ...byId(finding), body: { login: login() }, as })).status, 200);
    const live = await host.details(finding);
    const body = { findingIds: [finding.id], vaultSettings: {}, fixFiles: true, login: login() };
    const reply = await host.app.call(vaultFindings, { body, as });
    assert.deepEqual([reply.body.vaulted, reply.body.failed], [1, []], reply.text);
    assert.equal(reply.body.message, "Vaulted 1 finding(s) successfully");
    assert.ok(!reply.text.includes(password));
    const fix = await eventually(async () => {
      const { fix: now } = await host.details(finding);
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
    const closed = await host.details(finding);
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
      const now = await host.details(finding);
      return now.status === "remediated" ? now : null;
    });
    const fixed = readFileSync(path, "utf8");
    writeFileSync(path, `${fixed}${old}`);
    await host.scanned();
    const reopened = await host.details(finding);
    assert.deepEqual([reopened.status, reopened.liveness, lastChange(reopened)[0]], ["new", "dead", "reopened"]);
    await rotateNow(fix!.account_id!, decodeURIComponent(/:\/\/[^:]+:([^@]+)@/.exec(fixed)![1]!));
    assert.ok(readFileSync(path, "utf8").includes(encodeURIComponent(password)));
    assert.equal((await host.details(finding)).status, "new", "the file still has the old secret");
  });

  test("a finding stays open when the rotation fails or the file is not updated, and closes once it is", async () => {
    const { finding, username, password } = await aDatabaseFinding("fix/fails.conf");
    const path = finding.finding_data.file_path;
    const old = readFileSync(path, "utf8");
    await server.sql(`alter role "${username}" password 'changed-${randomBytes(9).toString("hex")}'`);
    const body = { findingIds: [finding.id], vaultSettings: {}, fixFiles: true, login: login() };
    assert.equal((await host.app.call(vaultFindings, { body, as })).body.vaulted, 1);
    const stopped = await eventually(async () => {
      const now = await host.details(finding);
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
    assert.equal((await host.details(finding)).status, "investigating");

    writeFileSync(path, old);
    await host.app.call(updateDependent, { params: { ...params, dependentId: dependent.id }, as });
    const closed = await eventually(async () => {
      const now = await host.details(finding);
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
      const { fix: now } = await host.details(finding);
      assert.notEqual(now?.state, "attention", now?.message);
      assert.equal(now?.can_undo, false);
      return now?.state === "fixed" ? now : null;
    });
    assert.match(fix.message, /^The file refers to the account\. Rotate/);
    const closed = await host.details(finding);
    assert.deepEqual([closed.status, closed.liveness], ["remediated", "unverified"], "it still works until a rotation");
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
    const rotated = await host.details(finding);
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
    const before = await host.details(finding);
    assert.deepEqual([before.fix?.state, before.fix?.can_undo, before.auto_vaulted], ["stored", true, true]);
    const undone = await host.app.call(undoVaulting, { ...byId(finding), as });
    assert.deepEqual([undone.status, undone.body.state], [200, "undone"], undone.text);
    assert.equal((await host.details(finding)).auto_vaulted, false);
  });
});
