// Tests two servers on one data folder: the embedded database outlives the server that started it, and stops with the last
// server.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { currentSession } from "@strongroom/contract";
import { becomes } from "./testing/becomes.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import { processesOf } from "./testing/start-script.ts";
import { steadyClient } from "./testing/steady-client.ts";

const folder = mkdtempSync(join(tmpdir(), "strongroom-shared-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const WRITES = 10;

const postmasterOf = (dataFolder: string) =>
  Number.parseInt(readFileSync(join(dataFolder, "postgres/cluster/postmaster.pid"), "utf8"), 10);

describe("a server that adopted the embedded database", () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    test(`keeps reading and writing when ${signal} ends the server that started it`, async (t) => {
      const dataFolder = join(folder, signal);
      const owner = await startServer({}, dataFolder);
      const admin = await firstAdmin(owner);
      const second = await startServer({}, dataFolder);
      t.after(() => second.kill());
      const token = await tokenOf(second, admin);
      const postmaster = postmasterOf(dataFolder);
      const client = steadyClient(second.url, token, "kept");
      try {
        await becomes(() => client.acknowledged.length >= WRITES, true);
        await (signal === "SIGTERM" ? owner.stop() : owner.kill());
        const before = client.acknowledged.length;
        await becomes(() => client.acknowledged.length >= before + WRITES, true);
        assert.equal((await ask(second.url, currentSession, {}, token)).user.email, admin.email);
      } finally {
        await client.stop();
      }
      assert.deepEqual([...client.refusals], []);
      assert.equal(postmasterOf(dataFolder), postmaster);

      process.kill(postmaster, "SIGKILL");
      await becomes(async () => (await fetch(`${second.url}/health/ready`)).status, 200);
      assert.notEqual(postmasterOf(dataFolder), postmaster);

      assert.equal(await second.stop(), 0);
      await becomes(() => processesOf(dataFolder), []);
    });
  }

  test("leaves the database running for the server that started it", async () => {
    const dataFolder = join(folder, "adopted");
    const owner = await startServer({}, dataFolder);
    const admin = await firstAdmin(owner);
    const second = await startServer({}, dataFolder);
    const postmaster = postmasterOf(dataFolder);
    await second.kill();
    await tokenOf(owner, admin);
    assert.equal(postmasterOf(dataFolder), postmaster);
    assert.equal(await owner.stop(), 0);
    assert.deepEqual(processesOf(dataFolder), []);
  });

  test("does not keep the database running after all servers that use it are killed", async () => {
    const dataFolder = join(folder, "killed");
    const owner = await startServer({}, dataFolder);
    const second = await startServer({}, dataFolder);
    await owner.kill();
    await second.kill();
    await becomes(() => processesOf(dataFolder), []);
  });
});
