import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { openLog } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { dropTestDatabase, emptyTestDatabase } from "#kernel/testing/test-database.ts";
import { migrate, readMigrations } from "./migrate.ts";

const log = openLog("silent");
const temporary = mkdtempSync(join(tmpdir(), "strongroom-test-"));
after(() => rmSync(temporary, { recursive: true, force: true }));

let connection: pg.ClientConfig;
beforeEach(async () => {
  connection = await emptyTestDatabase();
});
afterEach(() => dropTestDatabase(connection));

async function ask(text: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

let folders = 0;
async function migrations(files: Record<string, string>) {
  const folder = join(temporary, String(folders++));
  mkdirSync(folder);
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql);
  return await readMigrations(folder);
}

const FIRST = { "0001-first.sql": "create table first (id int)" };
const SECOND = { "0002-second.sql": "create table second (id int); insert into first values (1)" };

const isRefused = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartError, String(error));
  assert.match(error.message, pattern);
  assert.equal(error.message.split("\n").length, 1);
  return true;
};

describe("migrations", () => {
  test("all apply to an empty database, and a second start applies none", async () => {
    const known = (await readMigrations()).map((migration) => migration.version);
    assert.deepEqual(await migrate({ connection }, log), known);
    assert.deepEqual(await migrate({ connection }, log), []);
    const recorded = await ask(
      "select version, length(checksum) as digits, applied_at is not null as at from schema_migrations order by 1",
    );
    assert.deepEqual(
      recorded,
      known.map((version) => ({ version, digits: 64, at: true })),
    );
  });

  test("are applied in the order of their numbers when they are new", async () => {
    assert.deepEqual(await migrate({ connection }, log, await migrations({ ...SECOND, ...FIRST })), [1, 2]);
    const more = await migrations({ ...FIRST, ...SECOND, "0010-tenth.sql": "create table tenth (id int)" });
    assert.deepEqual(await migrate({ connection }, log, more), [10]);
  });

  test("are logged each in an upgrade, and once for a new database", async () => {
    const lines: unknown[][] = [];
    const recording = { info: (...line: unknown[]) => void lines.push(line) };
    await migrate({ connection }, recording, await migrations({ ...FIRST, ...SECOND }));
    const more = { "0003-third.sql": "select 1", "0004-fourth.sql": "select 1" };
    await migrate({ connection }, recording, await migrations({ ...FIRST, ...SECOND, ...more }));
    await migrate({ connection }, recording, await migrations({ ...FIRST, ...SECOND, ...more }));
    assert.deepEqual(lines, [
      [{ version: 2 }, "the tables of a new database were created"],
      [{ version: 3, name: "third" }, "the database was migrated"],
      [{ version: 4, name: "fourth" }, "the database was migrated"],
    ]);
  });

  test("stay applied when a later migration fails and is rolled back", async () => {
    const broken = await migrations({
      ...FIRST,
      "0002-broken.sql": "create table half (id int); select nonsense from first",
    });
    await assert.rejects(migrate({ connection }, log, broken), /nonsense/);
    assert.deepEqual(await ask("select to_regclass('first') is not null as first, to_regclass('half') as half"), [
      { first: true, half: null },
    ]);
    assert.deepEqual(await migrate({ connection }, log, await migrations({ ...FIRST, ...SECOND })), [2]);
  });

  test("are refused for a database of a newer Strongroom", async () => {
    await migrate({ connection }, log, await migrations({ ...FIRST, "0012-twelfth.sql": "select 1" }));
    await assert.rejects(
      migrate({ connection }, log, await migrations({ ...FIRST, "0009-ninth.sql": "select 1" })),
      isRefused(
        /^This database is at version 12 but this Strongroom supports only 9\. Start the newer version, or restore a backup made before the upgrade\.$/,
      ),
    );
  });

  test("are refused if one of them changed after it was applied", async () => {
    await migrate({ connection }, log, await migrations(FIRST));
    const changed = await migrations({ "0001-first.sql": "create table first (id bigint)" });
    await assert.rejects(
      migrate({ connection }, log, changed),
      isRefused(/Migration 1 \(first\) of this database differs/),
    );
  });

  test("are refused if a new one has a number below the database's version", async () => {
    await migrate({ connection }, log, await migrations({ ...FIRST, "0003-third.sql": "select 1" }));
    const late = await migrations({ ...FIRST, ...SECOND, "0003-third.sql": "select 1" });
    await assert.rejects(
      migrate({ connection }, log, late),
      isRefused(/Migration 2 \(second\) is missing .* version 3/),
    );
  });

  test("are applied once each by four concurrent processes", async () => {
    const slow = Object.fromEntries(
      [1, 2, 3, 4, 5].map((number) => [
        `000${number}-slow.sql`,
        `create table t${number} (id int); select pg_sleep(0.05)`,
      ]),
    );
    const folder = join(temporary, "raced");
    mkdirSync(folder);
    for (const [name, sql] of Object.entries(slow)) writeFileSync(join(folder, name), sql);
    const results = await Promise.all([1, 2, 3, 4].map(() => migrateElsewhere(folder)));
    assert.deepEqual(
      results.flat().toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5],
    );
    assert.equal((await ask("select 1 from schema_migrations")).length, 5);
  });

  test("are refused for misnamed files and duplicate numbers", async () => {
    await assert.rejects(migrations({ "1-short.sql": "" }), /not named NNNN-name\.sql/);
    await assert.rejects(migrations({ "0001-one.sql": "", "0001-other.sql": "" }), /two migrations have the number 1/);
  });
});

/** Migrates in a separate process and returns the applied versions. */
async function migrateElsewhere(folder: string): Promise<number[]> {
  const script = `
    const { migrate, readMigrations } = await import(${JSON.stringify(join(import.meta.dirname, "migrate.ts"))});
    const { openLog } = await import(${JSON.stringify(join(import.meta.dirname, "../log.ts"))});
    const [connection, folder] = JSON.parse(process.env.WHAT);
    console.log(JSON.stringify(await migrate({ connection }, openLog("silent"), await readMigrations(folder))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    env: { ...process.env, WHAT: JSON.stringify([connection, folder]) },
  });
  return JSON.parse(stdout) as number[];
}
