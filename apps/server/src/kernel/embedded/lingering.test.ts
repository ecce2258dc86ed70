import assert from "node:assert/strict";
import { lstatSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import pg from "pg";
import { openLog } from "#kernel/log.ts";
import { startEmbedded } from "./embedded.ts";
import { isZombie, serverPid } from "./server-process.ts";
import { startChild, temporaryFolder } from "./testing/child.ts";

const temporary = temporaryFolder();
const dataFolder = join(temporary.path, "data");
const cluster = join(dataFolder, "postgres", "cluster");
const log = openLog("silent");
const isRoot = process.geteuid?.() === 0;
after(temporary.remove);

test("a command's database server ends with the command if unused", async () => {
  const command = startChild(dataFolder, "linger");
  assert.equal((await command.ready).adopted, false);
  const pid = serverPid(cluster)!;
  await command.stop();
  assert.ok(isGone(pid));
});

test(
  "what root's command writes is the server user's, who may run the next Strongroom",
  { skip: !isRoot && "needs root" },
  async () => {
    const home = join(dataFolder, "postgres");
    for (const name of ["supervisor.pid", "log/server.log.1"]) rmSync(join(home, name), { force: true });
    writeFileSync(join(home, "log", "server.log"), "x".repeat(6 * 1024 * 1024), { flag: "a" });
    const command = startChild(dataFolder, "linger");
    await command.ready;
    await command.stop();
    const { uid } = statSync(home);
    assert.notEqual(uid, 0);
    for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
      assert.equal(lstatSync(join(home, name)).uid, uid, name);
    }
  },
);

test("a Strongroom started during a command adopts the command's database server and stops it", async () => {
  const command = startChild(dataFolder, "linger");
  await command.ready;
  const pid = serverPid(cluster)!;
  const strongroom = await startEmbedded({ dataFolder, log });
  const client = new pg.Client(strongroom.connection);
  await client.connect();

  await command.stop();
  // The same connection as before.
  assert.equal((await client.query("select 1 as one")).rows[0].one, 1);
  assert.equal(serverPid(cluster), pid);

  await client.end();
  await strongroom.stop();
  assert.ok(isGone(pid));
});

test("a command does not stop an unsupervised database server that a Strongroom uses", async () => {
  const dead = startChild(dataFolder, "linger");
  await dead.ready;
  const pid = serverPid(cluster)!;
  await dead.kill();
  const strongroom = await startEmbedded({ dataFolder, log });
  assert.equal(strongroom.adopted, true);

  const command = startChild(dataFolder, "linger");
  assert.equal((await command.ready).adopted, true);
  await command.stop();
  assert.deepEqual([serverPid(cluster), isGone(pid)], [pid, false]);

  await strongroom.stop();
  assert.ok(isGone(pid));
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return isZombie(pid);
  } catch {
    return true;
  }
}
