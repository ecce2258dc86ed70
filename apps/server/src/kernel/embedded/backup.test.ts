import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { openLog } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { backUp, segmentsBetween } from "./backup.ts";
import type { BackupOptions } from "./backup.ts";
import { readManifest } from "./backup-manifest.ts";
import { startEmbedded } from "./embedded.ts";
import type { Embedded } from "./embedded.ts";
import { restore } from "./restore.ts";
import type { RestoreOptions } from "./restore.ts";
import { chooseServerUser } from "./server-user.ts";
import { aRootKey } from "./testing/root-key.ts";
import { startChild, temporaryFolder } from "./testing/child.ts";
const temporary = temporaryFolder();
const dataFolder = join(temporary.path, "data");
const log = openLog("silent");
after(temporary.remove);

const inside = (name: string): string => join(temporary.path, name);

function backUpTo(target: string, embedded: Embedded, more: Partial<BackupOptions> = {}) {
  const { administration } = embedded;
  return backUp({ administration, dataFolder, target, beside: ["audit"], seal: async () => seal, findMac, ...more });
}

const { seal, findMac } = aRootKey();

function restoreFrom(backup: string, to: string, more: Partial<RestoreOptions> = {}) {
  const kept = (name: string): boolean => name === "audit";
  return restore({ backup, dataFolder: to, kept, prove: async () => {}, findMac, log, ...more });
}

async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The number of rows and the highest id, which are equal if no row is missing. */
async function written(embedded: Embedded): Promise<{ count: number; last: number }> {
  return withClient(embedded.connection, async (client) => {
    const { rows } = await client.query(
      "select count(*)::int as count, coalesce(max(id), 0)::int as last from written",
    );
    return rows[0] as { count: number; last: number };
  });
}

describe("a backup of a live database", () => {
  test("contains every acknowledged row and no partial transaction", async () => {
    const writer = startChild(dataFolder, "write");
    await writer.wrote(300);
    const embedded = await startEmbedded({ dataFolder, log });
    const before = writer.acknowledged();
    const manifest = await backUpTo(inside("under-writes"), embedded);
    const after = writer.acknowledged();
    await writer.wrote(after + 50);
    await writer.kill();
    await embedded.stop();

    assert.ok(after > before, "rows were written meanwhile");
    assert.deepEqual(manifest.root_key, { id: seal.rootKeyId, provider: "key-file" });
    let found = { count: 0, last: 0 };
    const restored = inside("restored");
    await restoreFrom(inside("under-writes"), restored, {
      prove: async (embedded) => void (found = await written(embedded)),
    });
    assert.equal(found.count, found.last, "none is missing");
    assert.ok(found.last >= before && found.last <= after + 1, `${before} <= ${found.last} <= ${after + 1}`);

    const again = await startEmbedded({ dataFolder: restored, log });
    assert.deepEqual([again.adopted, await written(again)], [false, found]);
    await again.stop();
  });

  test("keeps the write-ahead log that it needs, even if the server would recycle it", async () => {
    const embedded = await startEmbedded({ dataFolder, log });
    const done = new AbortController();
    const churning = withClient(embedded.administration, async (client) => {
      await client.query("alter system set max_wal_size = '32MB'");
      await client.query("alter system set min_wal_size = '32MB'");
      await client.query("select pg_reload_conf()");
      for (let turn = 0; !done.signal.aborted; turn++) {
        await client.query(`create table if not exists churn (n int)`);
        await client.query(`insert into churn values (${turn})`);
        await client.query("select pg_switch_wal()");
        await client.query("checkpoint");
      }
    });
    try {
      await backUpTo(inside("under-churn"), embedded);
    } finally {
      done.abort();
      await churning;
    }
    await restoreFrom(inside("under-churn"), inside("restored-churn"));
    await withClient(embedded.administration, async (client) => {
      const { rows } = await client.query("select count(*)::int as count from pg_replication_slots");
      assert.equal(rows[0].count, 0, "nothing is kept any longer than that");
    });
    await embedded.stop();
  });
});

describe("a backup", () => {
  const made = inside("made");
  let embedded: Embedded;

  before(async () => {
    mkdirSync(join(dataFolder, "audit"), { recursive: true });
    writeFileSync(join(dataFolder, "audit", "checkpoint"), "signed\n");
    writeFileSync(join(dataFolder, "root.key"), "canary of the root key\n", { mode: 0o600 });
    embedded = await startEmbedded({ dataFolder, log });
    await backUpTo(made, embedded);
  });
  after(() => embedded.stop());

  const copyOfIt = (name: string): string => {
    cpSync(made, inside(name), { recursive: true });
    return inside(name);
  };
  const manifestOf = async (folder: string) => (await readManifest(folder)).manifest;
  const refuses = (work: Promise<unknown>, sentence: RegExp) =>
    assert.rejects(work, (error) => error instanceof StartError && sentence.test(error.message));

  test("is readable only by its owner and contains no root key", async () => {
    const { files } = await manifestOf(made);
    assert.equal(statSync(made).mode & 0o777, 0o700);
    for (const { path } of files) assert.equal(statSync(join(made, path)).mode & 0o777, 0o600, path);
    assert.ok(files.some(({ path }) => path === "audit/checkpoint"));
    assert.ok(!files.some(({ path }) => path.includes("root.key")));
    const key = Buffer.from("canary of the root key");
    assert.ok(files.every(({ path }) => !readFileSync(join(made, path)).includes(key)));
  });

  test("contains no file that belongs to the running server process", async () => {
    const { files, folders } = await manifestOf(made);
    for (const name of ["postmaster.pid", "postmaster.opts"])
      assert.ok(!files.some(({ path }) => path.endsWith(name)), name);
    assert.ok(folders.includes("postgres/cluster/pg_replslot"), "folders that are empty are made again");
  });

  test("rejects a target that is not empty or lies in the data folder", async () => {
    await refuses(backUpTo(made, embedded), /is not empty/);
    await refuses(backUpTo(join(dataFolder, "backup"), embedded), /is inside the data folder/);
    assert.ok(!existsSync(join(dataFolder, "backup")));
    symlinkSync(dataFolder, inside("way-in"));
    await refuses(backUpTo(join(inside("way-in"), "backup"), embedded), /is inside the data folder/);
  });

  test("removes its files if it fails", async () => {
    const failing = { seal: async () => Promise.reject(new Error("no answer")) };
    await assert.rejects(backUpTo(inside("failed"), embedded, failing), /no answer/);
    assert.ok(!existsSync(inside("failed")));
    let asked = 0;
    const changing = { seal: async () => ({ ...seal, rootKeyId: String(asked++).padStart(32, "0") }) };
    await refuses(backUpTo(inside("failed"), embedded, changing), /root key changed during the backup/);
    assert.ok(!existsSync(inside("failed")));
  });

  test("is refused if any file was changed, truncated, removed or added, and no database is restored", async () => {
    const victim = (await manifestOf(made)).files
      .filter(({ path }) => path.includes("/base/"))
      .find(({ size }) => size > 0)!;
    const spoil: [name: string, how: (folder: string) => void, says: RegExp][] = [
      [
        "flipped",
        (folder) => {
          const bytes = readFileSync(join(folder, victim.path));
          bytes[bytes.length >> 1]! ^= 1;
          writeFileSync(join(folder, victim.path), bytes);
        },
        /is damaged: postgres\/cluster\/base/,
      ],
      ["cut", (folder) => writeFileSync(join(folder, victim.path), ""), /is damaged/],
      ["removed", (folder) => rmSync(join(folder, victim.path)), /is not complete/],
      ["added", (folder) => writeFileSync(join(folder, "postgres/cluster/pg_wal/extra"), ""), /manifest does not list/],
      ["checkpoint", (folder) => writeFileSync(join(folder, "audit/checkpoint"), "forged\n"), /is damaged: audit/],
      [
        "manifest",
        (folder) => {
          const file = join(folder, "manifest.json");
          writeFileSync(file, readFileSync(file, "utf8").replace(/"made_at": "20/, '"made_at": "21'));
        },
        /was changed after it was made/,
      ],
      ["unfinished", (folder) => rmSync(join(folder, "manifest.json")), /is not a complete backup/],
      [
        "outwards",
        (folder) => {
          rmSync(join(folder, victim.path));
          symlinkSync("/etc/hostname", join(folder, victim.path));
        },
        /is damaged/,
      ],
    ];
    for (const [name, how, says] of spoil) {
      const folder = copyOfIt(`spoilt-${name}`);
      how(folder);
      const target = inside(`target-${name}`);
      await refuses(restoreFrom(folder, target), says);
      assert.ok(!existsSync(join(target, "postgres", "cluster")), name);
      assert.ok(
        !existsSync(join(target, "postgres")) ||
          !readdirSync(join(target, "postgres")).some((each) => each.startsWith("cluster")),
        name,
      );
    }
  });

  test("is not restored over an existing database or into a folder with other files", async () => {
    await refuses(restoreFrom(made, dataFolder), /There is a database in/);
    mkdirSync(inside("other"));
    writeFileSync(join(inside("other"), "notes.txt"), "mine");
    await refuses(restoreFrom(made, inside("other")), /is not empty \(notes\.txt\)/);
    assert.deepEqual(readdirSync(inside("other")), ["notes.txt"]);
  });

  test("restores the files beside the database without replacing existing ones", async () => {
    await restoreFrom(made, inside("bare"));
    assert.equal(readFileSync(join(inside("bare"), "audit", "checkpoint"), "utf8"), "signed\n");

    mkdirSync(join(inside("newer"), "audit"), { recursive: true });
    writeFileSync(join(inside("newer"), "audit", "checkpoint"), "signed later\n");
    await restoreFrom(made, inside("newer"));
    assert.equal(readFileSync(join(inside("newer"), "audit", "checkpoint"), "utf8"), "signed later\n");
  });

  test("does not write through a link in the data folder", async () => {
    const [target, outside] = [inside("linked"), inside("outside")];
    for (const folder of [target, outside]) mkdirSync(folder);
    symlinkSync(outside, join(target, "audit"));
    await refuses(restoreFrom(made, target), /audit is a link\. Replace it with a folder first\.$/);
    assert.deepEqual(readdirSync(outside), []);
    assert.ok(!existsSync(join(target, "postgres", "cluster")));
  });

  const skip = process.geteuid?.() === 0 ? false : "needs root";
  test("cannot be redirected by the server user while root restores it", { skip }, async () => {
    const target = inside("raced");
    let attack: number | null = null;
    await restoreFrom(made, target, {
      progress: async () => {
        if (attack !== null) return;
        const cwd = join(target, "postgres");
        const { uid, gid } = chooseServerUser(cwd, null);
        const script = 'mv cluster.new-* away && ln -s /tmp "cluster.new-$1"';
        attack = spawnSync("/bin/sh", ["-c", script, "sh", String(process.pid)], { cwd, uid, gid }).status;
      },
    });
    assert.notEqual(attack, 0, "the server user could enter the folder");
    assert.notEqual(statSync(join(target, "postgres", "cluster")).uid, 0);
  });

  test("is rolled back if the check of the restored database fails, and can be restored again", async () => {
    const target = inside("unproved");
    await assert.rejects(
      restoreFrom(made, target, { prove: async () => Promise.reject(new Error("not this one")) }),
      /not this one/,
    );
    assert.ok(!existsSync(join(target, "postgres", "cluster")));
    await restoreFrom(made, target);
    assert.ok(existsSync(join(target, "postgres", "cluster")));
  });

  test("a backup of a restored database can itself be restored", async () => {
    const restored = inside("bare");
    const second = await startEmbedded({ dataFolder: restored, log });
    await backUp({
      administration: second.administration,
      dataFolder: restored,
      target: inside("second"),
      beside: [],
      seal: async () => seal,
      findMac,
    });
    await second.stop();
    await restoreFrom(inside("second"), inside("restored-second"));
  });
});

test("`segmentsBetween` lists the write-ahead log files from the first to the one that contains the byte before the end", () => {
  const label = (file: string) => `START WAL LOCATION: 0/0 (file ${file})\nCHECKPOINT LOCATION: 0/0\n`;
  const size = 16n * 1024n * 1024n;
  assert.deepEqual(segmentsBetween(label("000000010000000000000002"), "0/2000158", size), ["000000010000000000000002"]);
  assert.deepEqual(segmentsBetween(label("0000000300000001000000FE"), "2/1000028", size), [
    "0000000300000001000000FE",
    "0000000300000001000000FF",
    "000000030000000200000000",
    "000000030000000200000001",
  ]);
  // When the end is at a segment boundary, the last byte is in the previous file.
  assert.deepEqual(segmentsBetween(label("000000010000000000000002"), "0/3000000", size), ["000000010000000000000002"]);
});
