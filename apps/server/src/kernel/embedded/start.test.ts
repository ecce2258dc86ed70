import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openLog } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { startEmbedded } from "./embedded.ts";
import { serverPid } from "./server-process.ts";
import { startChild, temporaryFolder } from "./testing/child.ts";

const log = openLog("silent");
const isRoot = process.getuid?.() === 0;
const nobody = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : { uid: process.getuid!(), gid: process.getgid!() };
const needsRoot = isRoot ? false : "only root can become another user";

const temporary = temporaryFolder();
after(temporary.remove);

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

let made = 0;
/** A folder that belongs to `nobody`, or to us if we are not root. */
function unreadableFolder(): string {
  const folder = join(temporary.path, `nobody-${made++}`);
  mkdirSync(folder);
  if (isRoot) chownSync(folder, nobody.uid, nobody.gid);
  return folder;
}

async function refusal(dataFolder: string): Promise<string> {
  const error = await startEmbedded({ dataFolder, log }).then(
    async (embedded) => {
      await embedded.stop();
      return null;
    },
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StartError, String(error));
  assert.equal(error.message.split("\n").length, 1);
  return error.message;
}

describe("the embedded database explains in one sentence that it cannot start", () => {
  test("in a data folder that is a file", async () => {
    const file = join(temporary.path, "a-file");
    writeFileSync(file, "");
    assert.match(await refusal(file), /data folder .*a-file cannot be written \(it is not a folder\)/);
    assert.match(await refusal(join(file, "below")), /cannot be written \(it is not a folder\)/);
  });

  test("in a read-only data folder", async () => {
    const folder = join(temporary.path, "not-ours");
    mkdirSync(folder, { mode: 0o555 });
    const child = startChild(join(folder, "data"), "hold", isRoot ? nobody : {});
    await assert.rejects(child.ready, /data folder .* cannot be written \(permission denied\)/);
    await child.kill();
  });

  test("in a database folder of another user", { skip: needsRoot }, async () => {
    const dataFolder = unreadableFolder();
    const embedded = await startEmbedded({ dataFolder: join(temporary.path, "of-root"), log });
    await embedded.stop();
    execFileSync("cp", ["-a", join(temporary.path, "of-root", "postgres"), dataFolder]);
    const owner = statSync(join(dataFolder, "postgres")).uid;
    assert.notEqual(owner, nobody.uid);
    const child = startChild(dataFolder, "hold", nobody);
    await assert.rejects(child.ready, /belongs to user \w+ but Strongroom runs as \w+: start it as \w+/);
    await child.kill();
  });

  test("in a database folder of a PostgreSQL that is not installed", async () => {
    const dataFolder = join(temporary.path, "old");
    const embedded = await startEmbedded({ dataFolder, log });
    await embedded.stop();
    writeFileSync(join(dataFolder, "postgres", "cluster", "PG_VERSION"), "9\n");
    assert.match(await refusal(dataFolder), /made by PostgreSQL 9 but only .*\d+ .*installed: install PostgreSQL 9/);
  });

  test("in a database folder without a database", async () => {
    const dataFolder = join(temporary.path, "gutted");
    const embedded = await startEmbedded({ dataFolder, log });
    await embedded.stop();
    rmSync(join(dataFolder, "postgres", "cluster", "PG_VERSION"));
    assert.match(await refusal(dataFolder), /is not a database folder/);
  });

  test("in a damaged database folder, with the server's own reason", async () => {
    const dataFolder = join(temporary.path, "damaged");
    const embedded = await startEmbedded({ dataFolder, log });
    await embedded.stop();
    rmSync(join(dataFolder, "postgres", "cluster", "global", "pg_control"));
    assert.match(await refusal(dataFolder), /did not start \(.*pg_control.*\); its log is in /);
  });
});

describe("the embedded database runs", () => {
  test("for an ordinary user, as that user", async () => {
    const dataFolder = join(unreadableFolder(), "data");
    const child = startChild(dataFolder, "hold", isRoot ? nobody : {});
    assert.deepEqual(await child.ready, { adopted: false, count: 0, last: 0 });
    const cluster = join(dataFolder, "postgres", "cluster");
    assert.equal(statSync(cluster).uid, nobody.uid);
    if (process.platform === "linux") assert.equal(statSync(`/proc/${serverPid(cluster)}`).uid, nobody.uid);
    await child.stop();
    assert.equal(serverPid(cluster), null);
  });

  test(
    "for root on an ordinary user's folder, as that user, without changing its owner",
    { skip: needsRoot },
    async () => {
      const dataFolder = join(unreadableFolder(), "data");
      const theirs = startChild(dataFolder, "hold", nobody);
      await theirs.ready;
      await theirs.stop();
      const embedded = await startEmbedded({ dataFolder, log });
      assert.equal(statSync(`/proc/${serverPid(join(dataFolder, "postgres", "cluster"))}`).uid, nobody.uid);
      await embedded.stop();
      const again = startChild(dataFolder, "hold", nobody);
      assert.equal((await again.ready).adopted, false);
      await again.stop();
    },
  );

  test("for root, leaving every file to the server user, who may start the next one", { skip: needsRoot }, async () => {
    const dataFolder = join(temporary.path, "left");
    const home = join(dataFolder, "postgres");
    await (await startEmbedded({ dataFolder, log })).stop();
    writeFileSync(join(home, "log", "server.log"), "x".repeat(6 * 1024 * 1024), { flag: "a" });
    const embedded = await startEmbedded({ dataFolder, log });
    const { uid } = statSync(home);
    assert.notEqual(uid, 0);
    for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
      assert.equal(lstatSync(join(home, name)).uid, uid, name);
    }
    await embedded.stop();
  });

  test("for root on a folder that root copied", { skip: needsRoot }, async () => {
    const original = join(temporary.path, "original");
    const embedded = await startEmbedded({ dataFolder: original, log });
    await embedded.stop();
    const copy = join(temporary.path, "copy");
    execFileSync("cp", ["-r", original, copy]);
    assert.equal(statSync(join(copy, "postgres", "cluster")).uid, 0);
    const restored = await startEmbedded({ dataFolder: copy, log });
    assert.notEqual(statSync(join(copy, "postgres", "cluster")).uid, 0);
    await restored.stop();
  });

  test("below a folder that only root may enter, without other privileges of root", { skip: needsRoot }, async () => {
    const closed = join(temporary.path, "only-root");
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    const dataFolder = join(closed, "data");
    const embedded = await startEmbedded({ dataFolder, log });
    const status = readFileSync(`/proc/${serverPid(join(dataFolder, "postgres", "cluster"))}/status`, "utf8");
    assert.doesNotMatch(status, /^Uid:\t0/m);
    // CAP_DAC_READ_SEARCH is bit 2.
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapAmb"])
      assert.match(status, new RegExp(`^${set}:\\t0{15}4$`, "m"));
    assert.equal(statSync(closed).mode & 0o777, 0o700);
    await embedded.stop();
  });

  test("in a folder that others may enter, without any privilege of root", { skip: needsRoot }, async () => {
    const dataFolder = join(temporary.path, "open");
    const embedded = await startEmbedded({ dataFolder, log });
    const status = readFileSync(`/proc/${serverPid(join(dataFolder, "postgres", "cluster"))}/status`, "utf8");
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapAmb"])
      assert.match(status, new RegExp(`^${set}:\\t0{16}$`, "m"));
    await embedded.stop();
  });
});
