// Tests of scanning the arguments and environments of real processes.
import { readFinding, verifyFinding } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { byId } from "#features/discovery/testing/discovery-world.ts";
import { textsOf } from "./processes.policy.ts";
import { aPassword, aScannedHost } from "./testing/scanned-host.ts";
import type { ScannedHost } from "./testing/scanned-host.ts";

describe("a scan of running processes", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  let folder: string;
  before(async () => {
    host = await aScannedHost(undefined, { sudo: "ALL" });
    folder = mkdtempSync(join(tmpdir(), "strongroom-process-"));
  });
  after(async () => {
    await host.stop();
    rmSync(folder, { recursive: true });
  });

  /** A program of this name that waits for its input. */
  async function aProcess(name: string, args: readonly string[], env: Record<string, string>) {
    const program = join(folder, name);
    copyFileSync("/bin/sh", program);
    chmodSync(program, 0o755);
    const child = spawn(program, ["-c", "echo started; read line", name, ...args], { env });
    await once(child.stdout, "data");
    return {
      async stop() {
        child.stdin.end();
        await once(child, "exit");
      },
    };
  }
  const scanned = () => host.scanned({ scanConfig: { scanProcesses: true } });
  const findingsOf = async (name: string) =>
    (await host.findings({ limit: "500" })).filter(({ finding_data }) => finding_data.file_path.endsWith(`:${name}`));

  test("finds passwords in arguments and environments, and closes the findings when the process has ended", async () => {
    const [inArguments, inEnvironment] = [aPassword(), aPassword()];
    const child = await aProcess("payroll-app", [`--db-password=${inArguments}`], { DB_PASSWORD: inEnvironment });
    try {
      assert.equal((await host.scanned()).status, "completed");
      assert.deepEqual(await findingsOf("payroll-app"), [], "only when the scan asks for it");
      const scan = await scanned();
      assert.equal(scan.status, "completed", scan.error_message ?? "");
      const found = await findingsOf("payroll-app");
      assert.deepEqual(found.map(({ title, finding_type }) => `${finding_type}: ${title}`).toSorted(), [
        "credential_exposure: Password in the arguments of payroll-app",
        "credential_exposure: Password in the environment of payroll-app",
      ]);
      const text = JSON.stringify(found);
      assert.ok(!text.includes(inArguments) && !text.includes(inEnvironment));
      const [open] = found.filter(({ title }) => title.includes("arguments"));
      const details = await host.app.call(readFinding, { ...byId(open!), as: host.owner.token });
      assert.match(details.body.remediation_steps[0]!, /^Every user of the host can list the arguments/);
      assert.ok(!details.text.includes(inArguments) && !details.text.includes("chmod"));
      const body = { login: { username: "app", systemType: "postgresql" as const } };
      const verified = await host.app.call(verifyFinding, { ...byId(open!), body, as: host.owner.token });
      assert.equal(verified.status, 422, verified.text);
    } finally {
      await child.stop();
    }
    const scan = await scanned();
    const ended = await findingsOf("payroll-app");
    assert.deepEqual(
      ended.map(({ status, fixed_by_scan }) => [status, fixed_by_scan]),
      [
        ["remediated", scan.id],
        ["remediated", scan.id],
      ],
    );
  });

  test("a login without sudo reads arguments, and no environments of others", async () => {
    const limited = await aScannedHost(host);
    const child = await aProcess("billing-app", [`--password=${aPassword()}`], { API_PASSWORD: aPassword() });
    try {
      const scan = await limited.scanned({ scanConfig: { scanProcesses: true } });
      assert.equal(scan.status, "completed", scan.error_message ?? "");
      const found = (await limited.findings({ limit: "500" })).filter(({ title }) => title.endsWith(" billing-app"));
      assert.deepEqual(
        found.map(({ title }) => title),
        ["Password in the arguments of billing-app"],
      );
    } finally {
      await child.stop();
      await limited.stop();
    }
  });
});

test("processes of one program share a place, and names cannot forge another", () => {
  const one = { user: "ada", name: "app", args: ["app", "--a b"], environment: ["A=1\nB=2"] };
  const forged = { user: "ada", name: "a:b\u0000\n", args: ["x"], environment: [] };
  assert.deepEqual(
    textsOf([one, one, forged]).map(({ place, text, mode }) => [place, text, mode]),
    [
      ["process:arguments:ada:app", "app '--a b'", "644"],
      ["process:environment:ada:app", "A=1 B=2", "600"],
      ["process:arguments:ada:a_b", "x", "644"],
    ],
  );
});
