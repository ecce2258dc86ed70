import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { openLog } from "#kernel/log.ts";
import { startEmbedded } from "./embedded.ts";
import { isZombie, serverPid } from "./server-process.ts";
import { startChild, temporaryFolder, until } from "./testing/child.ts";
import type { Child } from "./testing/child.ts";

const KILLS = Number(process.env["STRONGROOM_KILL_ROUNDS"] ?? 20);
const POWER_CUTS = Number(process.env["STRONGROOM_POWER_CUT_ROUNDS"] ?? 5);

/** Ids are consecutive, so a lost row leaves a gap or is missing at the end. */
async function assertNothingLost(child: Child, acknowledged: number): Promise<void> {
  const { count, last } = await child.ready;
  assert.equal(count, last, "a row in the middle is missing");
  assert.ok(last >= acknowledged, `${acknowledged} was acknowledged, ${last} is the last one there`);
}

/** Reads every page, each of which has a checksum, and compares each index with its table. */
async function assertSound(dataFolder: string): Promise<void> {
  const embedded = await startEmbedded({ dataFolder, log: openLog("silent") });
  const client = new pg.Client({ ...embedded.administration, database: "strongroom" });
  await client.connect();
  await client.query("create extension if not exists amcheck");
  const { rows } = await client.query("select corrupt.* from verify_heapam('written') corrupt");
  await client.query("select bt_index_check('written_pkey', true)");
  await client.end();
  await embedded.stop();
  assert.deepEqual(rows, []);
}

describe("data acknowledged by the embedded database", () => {
  test(`survives ${KILLS} kill -9 at random moments during writes, and the next start works`, async (t) => {
    const temporary = temporaryFolder();
    const dataFolder = join(temporary.path, "data");
    const cluster = join(dataFolder, "postgres", "cluster");
    let acknowledged = 0;
    let child: Child | null = null;
    try {
      for (let round = 0; round < KILLS; round++) {
        child = startChild(dataFolder, "write");
        await assertNothingLost(child, acknowledged);
        await child.wrote(acknowledged + 1);
        await delay(Math.random() * 60);
        const pid = serverPid(cluster);
        // Every second time, the server is killed too, without a clean shutdown.
        if (round % 2 === 1 && pid !== null) process.kill(pid, "SIGKILL");
        await child.kill();
        acknowledged = child.acknowledged();
      }
      child = startChild(dataFolder, "hold");
      await assertNothingLost(child, acknowledged);
      await child.stop();
      await assertSound(dataFolder);
      t.diagnostic(`${acknowledged} rows acknowledged in ${KILLS} rounds, none lost`);
    } finally {
      await child?.kill();
      temporary.remove();
    }
  });

  test("a start killed while creating the folder does not block the next start", async () => {
    const temporary = temporaryFolder();
    const dataFolder = join(temporary.path, "data");
    try {
      for (let round = 0; round < 4; round++) {
        const child = startChild(dataFolder, "hold");
        await delay(100 + round * 100);
        await child.kill();
      }
      const child = startChild(dataFolder, "hold");
      assert.equal((await child.ready).count, 0);
      await child.stop();
    } finally {
      temporary.remove();
    }
  });

  const impossible = whyNoPowerCut();
  test(`survives ${POWER_CUTS} power cuts during writes`, { skip: impossible ?? false }, async (t) => {
    const temporary = temporaryFolder();
    const disk = join(temporary.path, "disk");
    const mounted = join(temporary.path, "mounted");
    const dataFolder = join(mounted, "data");
    const cluster = join(dataFolder, "postgres", "cluster");
    let acknowledged = 0;
    let child: Child | null = null;
    writeFileSync(disk, "");
    truncateSync(disk, 320 * 1024 * 1024);
    mkdirSync(mounted);
    execFileSync("mkfs.ext4", ["-q", "-F", disk]);
    mount(disk, mounted);
    try {
      for (let round = 0; round < POWER_CUTS; round++) {
        child = startChild(dataFolder, "write");
        await assertNothingLost(child, acknowledged);
        await child.wrote(acknowledged + 50);
        await delay(Math.random() * 300);
        const pid = serverPid(cluster)!;
        cutPower(mounted);
        // Everything acknowledged so far must be on the disk, and nothing can be acknowledged afterwards. The server
        // may have exited on its own.
        if (!hasGone(pid)) process.kill(pid, "SIGKILL");
        await child.kill();
        acknowledged = child.acknowledged();
        await until("the server has gone", () => hasGone(pid));
        await unmount(mounted);
        mount(disk, mounted);
      }
      child = startChild(dataFolder, "hold");
      await assertNothingLost(child, acknowledged);
      await child.stop();
      await assertSound(dataFolder);
      t.diagnostic(`${acknowledged} rows acknowledged before ${POWER_CUTS} power cuts, none lost`);
    } finally {
      await child?.kill();
      await unmount(mounted);
      temporary.remove();
    }
  });
});

/**
 * EXT4_IOC_SHUTDOWN, `_IOR('X', 125, __u32)`, with EXT4_GOING_FLAGS_NOLOGFLUSH (2): the file system drops all data that was not
 * flushed, including the journal, and refuses everything from then on.
 */
function cutPower(mounted: string): void {
  const script = "open(my $d, '<', $ARGV[0]) or die $!; my $f = pack('L', 2); ioctl($d, 0x8004587D, $f) or die $!";
  execFileSync("perl", ["-e", script, mounted]);
}

function mount(disk: string, folder: string): void {
  execFileSync("mount", ["-o", "loop", disk, folder]);
}

/** The killed server's processes may need a moment to release the disk. */
async function unmount(folder: string): Promise<void> {
  await until(`${folder} is unmounted`, () => {
    try {
      execFileSync("umount", [folder], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
}

function hasGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return isZombie(pid);
  } catch {
    return true;
  }
}

/** Tries a power cut once on a small disk. Returns null if power cuts work here, otherwise the reason in one sentence. */
function whyNoPowerCut(): string | null {
  const why = lookForPower();
  if (why !== null && process.env["STRONGROOM_REQUIRE_TARGETS"] === "1" && process.getuid?.() === 0) {
    throw new Error(`the power-cut test is required here but cannot run: ${why}`);
  }
  return why;
}

function lookForPower(): string | null {
  if (process.platform !== "linux") return "cutting power needs Linux's ext4";
  if (process.getuid?.() !== 0) return "cutting power needs root, to mount a disk of its own";
  const temporary = temporaryFolder();
  const disk = join(temporary.path, "disk");
  const mounted = join(temporary.path, "mounted");
  let step = "mkfs.ext4 failed";
  try {
    writeFileSync(disk, "");
    truncateSync(disk, 8 * 1024 * 1024);
    mkdirSync(mounted);
    execFileSync("mkfs.ext4", ["-q", "-F", disk], { stdio: "pipe" });
    step = "mounting a loop device failed";
    execFileSync("mount", ["-o", "loop", disk, mounted], { stdio: "pipe" });
    step = "the shutdown ioctl failed";
    try {
      cutPower(mounted);
    } finally {
      execFileSync("umount", [mounted], { stdio: "pipe" });
    }
    return null;
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer };
    return `${step}: ${stderr?.toString().trim() || (error as Error).message}`;
  } finally {
    temporary.remove();
  }
}
