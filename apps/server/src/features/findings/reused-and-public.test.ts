// Tests of the scores and actions of findings that depend on their class or on other targets, on a real sshd.
import { vaultFindings, verifyFinding } from "@strongroom/contract";
import { makeSelfSigned, needs, opensslAvailable, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { byId } from "#features/discovery/testing/discovery-world.ts";
import { aPassword, aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";

describe("findings of two real hosts", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  let as: string;
  before(async () => {
    host = await aScannedHost(undefined, { sudo: "ALL" });
    as = host.owner.token;
  });
  after(() => host.stop());

  test("a secret on two targets has the same score on both, whichever was scanned first", async () => {
    const other = await aScannedHost(host, { sudo: "ALL" });
    try {
      const content = `password = ${aPassword()}\n`;
      const first = await host.aFinding("reused/a.conf", content);
      const path = other.write("reused/b.conf", content);
      await other.scanned();
      const second = (await other.findings()).find(({ finding_data }) => finding_data.file_path === path)!;
      const [one, two] = await Promise.all([host.details(first), host.details(second)]);
      assert.deepEqual([one.reused_on, one.risk_score], [2, first.risk_score + 5]);
      assert.equal(two.risk_score, one.risk_score);
      other.remove("reused/b.conf");
      await other.scanned();
      assert.equal((await host.details(first)).risk_score, first.risk_score);
    } finally {
      await other.stop();
    }
  });

  test(
    "a certificate cannot be verified or vaulted, and no step makes it unreadable",
    needs(opensslAvailable()),
    async () => {
      const { certificate } = await makeSelfSigned(["web-01.example.com"]);
      const finding = await host.aFinding("web.pem", certificate);
      assert.equal(finding.class, "certificate");
      const steps = (await host.details(finding)).remediation_steps.join(" ");
      assert.ok(!steps.includes("chmod"), steps);
      const login = { username: "app", hostname: "127.0.0.1", port: 9, systemType: "postgresql" as const };
      const verified = await host.app.call(verifyFinding, { ...byId(finding), body: { login }, as });
      assert.deepEqual([verified.status, verified.text.includes("finding.no-secret")], [422, true], verified.text);
      const body = { findingIds: [finding.id], vaultSettings: {}, login };
      const vaulted = await host.app.call(vaultFindings, { body, as });
      assert.deepEqual([vaulted.body.vaulted, vaulted.body.failed[0]?.code], [0, "finding.no-secret"], vaulted.text);
    },
  );
});
