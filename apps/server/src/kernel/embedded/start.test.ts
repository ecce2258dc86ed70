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
/** A folder that belongs to `nobody`, or to the current user if that is not root. */
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

describe("a failed start of the embedded database", () => {
  test("explains in one sentence that the data folder is a file", async () => {
    const file = join(temporary.path, "a-file");
    writeFileSync(file, "");
    assert.match(await refusal(file), /data folder .*a-file cannot be written \(it is not a folder\)/);
    assert.match(await refusal(join(file, "below")), /cannot be written \(it is not a folder\)/);
  });

  test("explains in one sentence that the data folder is read-only", async () => {
    const folder = join(temporary.path, "not-ours");
    mkdirSync(folder, { mode: 0o555 });
    const child = startChild(join(folder, "data"), "hold", isRoot ? nobody : {});
    await assert.rejects(child.ready, /data folder .* cannot be written \(permission denied\)/);
    await child.kill();
  });

  test("explains in one sentence that the database folder belongs to another user", { skip: needsRoot }, async () => {
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

  test("explains in one sentence that the PostgreSQL of the database folder is not installed", async () => {
    const dataFolder = join(temporary.path, "old");
    const embedded = await startEmbedded({ dataFolder, log });
    await embedded.stop();
    writeFileSync(join(dataFolder, "postgres", "cluster", "PG_VERSION"), "9\n");
    assert.match(await refusal(dataFolder), /made by PostgreSQL 9 but only .*\d+ .*installed: install PostgreSQL 9/);
  });

  test("explains in one sentence that the database folder contains no database", async () => {
    const dataFolder = join(temporary.path, "gutted");
    const embedded = await startEmbedded({ dataFolder, log });
    await embedded.stop();
    rmSync(join(dataFolder, "postgres", "cluster", "PG_VERSION"));
    assert.match(await refusal(dataFolder), /is not a database folder/);
  });

  test("explains in one sentence why a damaged database folder does not start, with the server's own reason", async () => {
    const dataFolder = join(temporary.path, "damaged");
    const embedded = await startEmbedded({ dataFolder, log });
    await embedded.stop();
    rmSync(join(dataFolder, "postgres", "cluster", "global", "pg_control"));
    assert.match(await refusal(dataFolder), /did not start \(.*pg_control.*\); its log is in /);
  });
});

describe("the embedded database", () => {
  test("runs under the account of the unprivileged user who starts it", async () => {
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
    "runs for root on an ordinary user's folder as that user, without changing the folder's owner",
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

  test(
    "runs for root and gives every file to the server user, who may run the next start",
    { skip: needsRoot },
    async () => {
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
    },
  );

  test("runs for root on a folder that root copied", { skip: needsRoot }, async () => {
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

  test(
    "runs below a folder that only root may enter, without other privileges of root",
    { skip: needsRoot },
    async () => {
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
    },
  );

  test("runs in a folder that other users may enter, without any privilege of root", { skip: needsRoot }, async () => {
    const dataFolder = join(temporary.path, "open");
    const embedded = await startEmbedded({ dataFolder, log });
    const status = readFileSync(`/proc/${serverPid(join(dataFolder, "postgres", "cluster"))}/status`, "utf8");
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapAmb"])
      assert.match(status, new RegExp(`^${set}:\\t0{16}$`, "m"));
    await embedded.stop();
  });
});
