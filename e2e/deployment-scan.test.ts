// Runs the script of docs/scanning.md that scans a host after a deployment, with a real server and a real sshd.
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import { createDiscoveryTarget, createToken } from "@strongroom/contract";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ownEnvironment } from "./testing/environment.ts";
import { anAccountOn } from "./testing/gateway.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../docs/scanning.md"), "utf8");
const SCRIPT = /```bash\n(#!\/usr\/bin\/env bash\n.*?)```/s.exec(PAGE)?.[1] ?? "";

const missing = ["curl", "jq", "bash"].find((name) => spawnSync(name, ["--version"]).status !== 0);

describe(
  "the script for pipelines",
  needs(missing === undefined ? unixUsersAvailable() : `${missing} is missing`),
  () => {
    let server: RunningServer;
    let sshd: Sshd;
    let home: string;
    let env: Record<string, string>;
    before(async () => {
      sshd = await startSshd();
      server = await startServer();
      const session = await tokenOf(server, await firstAdmin(server));
      const existing = new Set(readdirSync("/home"));
      const { accountId, safeId } = await anAccountOn(sshd, server, session);
      home = join(
        "/home",
        readdirSync("/home").find((name) => !existing.has(name))!,
      );
      const body = {
        name: "web-01",
        targetType: "linux",
        connectionMethod: "ssh",
        hostname: sshd.host,
        credentialId: accountId,
        safeId,
        settings: { port: sshd.port, timeout: 30_000 },
      } as const;
      const target = await ask(server.url, createDiscoveryTarget, { body }, session);
      const scopes = ["discovery.read", "discovery.manage"] as const;
      const { token } = await ask(
        server.url,
        createToken,
        { body: { name: "Pipeline", scopes: [...scopes], expires_in_days: 1 } },
        session,
      );
      // Only the account's own files are scanned, whatever else is on this machine.
      const homes = readdirSync("/home").map((name) => join("/home", name));
      const config = {
        scanDepth: "quick",
        scanServiceAccounts: false,
        scanSharedAccounts: false,
        excludePatterns: ["/etc", "/root", ...homes.filter((each) => each !== home)],
      };
      env = {
        STRONGROOM_URL: server.url,
        STRONGROOM_TOKEN: token,
        STRONGROOM_TARGET: target.id,
        STRONGROOM_SCAN_CONFIG: JSON.stringify(config),
      };
    });
    after(async () => {
      await server?.close();
      await sshd?.stop();
    });

    function run(more: Record<string, string> = {}) {
      const { status, stdout, stderr } = spawnSync("bash", ["-c", SCRIPT], {
        encoding: "utf8",
        env: ownEnvironment({ ...env, ...more }),
        timeout: 120_000,
      });
      return { status, stdout, stderr };
    }

    test("exits with 0 while there is no secret", () => {
      assert.deepEqual(run(), { status: 0, stdout: "", stderr: "" });
    });

    test("exits with 1 and names the new findings, without their secrets", () => {
      const password = `Tr0ub-${randomBytes(9).toString("base64url")}`;
      writeFileSync(join(home, "app.conf"), `[database]\nuser = ada\npassword = ${password}\n`);
      const { status, stdout, stderr } = run();
      assert.equal(status, 1, stderr);
      assert.match(stdout, /app\.conf/);
      assert.ok(!stdout.includes(password));
      // The finding is known now.
      assert.equal(run().status, 0);
    });

    test("fails for a token without the scope, and for a target that does not exist", () => {
      assert.notEqual(run({ STRONGROOM_TARGET: "0190c0de-0000-7000-8000-000000000001" }).status, 0);
      assert.notEqual(run({ STRONGROOM_TOKEN: "srt_unknown" }).status, 0);
    });
  },
);
