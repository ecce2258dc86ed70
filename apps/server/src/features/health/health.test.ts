// HTTP tests of the health, liveness and readiness of a server.
import { createCredential, readHealth, readLiveness, readReadiness } from "@strongroom/contract";
import type { Problem } from "@strongroom/contract";
import { keyFileProvider, parseSealRecord, rekeyRoot } from "@strongroom/keys";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import pg from "pg";
import { openDatabase } from "#kernel/db/database.ts";
import { until } from "#kernel/embedded/testing/child.ts";
import { rootKeyChanged } from "#kernel/keys/follow-rekeys.ts";
import { createKekStore, readSealRecord } from "#kernel/keys/kek-store.ts";
import { openLog } from "#kernel/log.ts";
import { startDatabaseProxy } from "#kernel/testing/database-proxy.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

const LEFT_BEHIND = /^The root key changed, and this server does not have the new one\. Copy its key file here/;

/** Rotates the root key as the command line does, on a machine whose new key file this server does not see. */
async function rekeyElsewhere(app: TestApp, keptAt: string): Promise<void> {
  const { keyFile } = app.config;
  const current = await keyFileProvider(keyFile).open(parseSealRecord(await readSealRecord(app.database)));
  await rekeyRoot(createKekStore(app.database), current, keyFileProvider(keyFile));
  renameSync(keyFile, keptAt);
  await app.database.transaction((tx) => app.kernel.events.publish(tx, rootKeyChanged));
}

test("API-20: a server without the new key file is not ready, says why, and keeps working with its loaded keys", async () => {
  const app = await testApp();
  const person = await aPerson(app);
  assert.equal((await app.call(readReadiness)).status, 200);
  const keptAt = `${app.config.keyFile}.elsewhere`;
  await rekeyElsewhere(app, keptAt);

  const ready = await app.call(readReadiness);
  assert.equal(ready.status, 503);
  const problem = ready.body as unknown as Problem;
  assert.equal(problem.code, "health.not-ready");
  assert.match(problem.message, LEFT_BEHIND);
  const health = (await app.call(readHealth)).body;
  assert.equal(health.status, "degraded");
  assert.match(health.summary, LEFT_BEHIND);
  assert.equal(health.checks.find(({ name }) => name === "root key")?.state, "failing");
  assert.equal((await app.call(readLiveness)).status, 200);
  // The first secret of a vault needs a new key.
  const body = { name: "Needs a new key", type: "application", value: "a secret value" } as const;
  assert.equal((await app.call(createCredential, { body, as: person.token })).status, 503);

  renameSync(keptAt, app.config.keyFile);
  const { database, dataFolder } = await app.stopOnly();
  const again = await testApp({ database, dataFolder });
  assert.equal((await again.call(readReadiness)).status, 200);
  assert.equal((await again.call(readHealth)).body.status, "healthy");
  await aCredential(again, person);
  await again.close();
});

const healthOf = async (app: TestApp) => (await app.call(readHealth)).body;
const checkOf = async (app: TestApp, name: string) => (await healthOf(app)).checks.find((each) => each.name === name);

/** Opens another session to the same database. */
async function aside(app: { database: { connection: pg.PoolConfig } }): Promise<pg.Client> {
  const client = new pg.Client({ ...app.database.connection, application_name: "the test" });
  await client.connect();
  return client;
}

test("health detects a read-only database and calls are refused; both work again once the database is writable", async () => {
  const app = await testApp();
  const person = await aPerson(app);
  const operator = await aside(app);
  const setReadOnly = async (value: "on" | "off") => {
    await operator.query("set default_transaction_read_only = off");
    await operator.query(
      `alter database ${app.database.connection.database} set default_transaction_read_only = ${value}`,
    );
    // Existing sessions keep their setting.
    await operator.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
  };
  const create = () =>
    app.call(createCredential, { body: { name: "One", type: "application", value: "a secret" }, as: person.token });

  await setReadOnly("on");
  await until(
    "health names it",
    async () => (await checkOf(app, "database"))?.message === "The database is not accepting changes",
  );
  assert.equal((await healthOf(app)).status, "degraded");
  const ready = await app.call(readReadiness);
  assert.deepEqual([ready.status, ready.headers["retry-after"]], [503, "5"]);
  const refused = await create();
  const problem = refused.body as unknown as Problem;
  assert.deepEqual([refused.status, problem.code, refused.headers["retry-after"]], [503, "database.read-only", "15"]);

  await setReadOnly("off");
  await until("it is healthy again", async () => (await healthOf(app)).status === "healthy");
  assert.equal((await create()).status, 201);
  await operator.end();
  await app.close();
});

test("health replies while tables are locked: not ready if the database cannot be written to, otherwise ready", async () => {
  const app = await testApp();
  const holder = await aside(app);
  await holder.query("begin; lock table audit_sinks, users in access exclusive mode");
  assert.equal((await app.call(readReadiness)).status, 200);
  const health = await healthOf(app);
  assert.equal(health.checks.find(({ name }) => name === "database")?.state, "ok");
  assert.match(health.checks.find(({ name }) => name === "audit sinks")?.message ?? "", /took longer than 2 seconds/);

  await holder.query("lock table health_probe in access exclusive mode");
  await until("health names it", async () => (await checkOf(app, "database"))?.state === "failing");
  assert.equal((await app.call(readReadiness)).status, 503);
  await holder.end();
  await until("it is healthy again", async () => (await healthOf(app)).status === "healthy");
  await app.close();
});

test("health replies when the database does not respond, and reports the problem", async () => {
  const own = await testDatabase();
  const proxy = await startDatabaseProxy(own.connection);
  const { user, database: name } = own.connection;
  const connection = { host: "127.0.0.1", port: proxy.port, user, database: name, ssl: false };
  const database = openDatabase({ connection, log: openLog("silent") });
  const app = await testApp({ database: { ...own, database } });
  assert.equal((await healthOf(app)).status, "healthy");
  proxy.blackHole();
  await until("health names it", async () => {
    const said = (await checkOf(app, "database"))?.message ?? "";
    return /did not save anything within 2 seconds|cannot be reached/.test(said);
  });
  assert.equal((await app.call(readReadiness)).status, 503);
  assert.equal((await app.call(readLiveness)).status, 200);
  proxy.heal();
  await until("it is ready again", async () => (await app.call(readReadiness)).status === 200);
  await app.stopOnly();
  await database.close();
  await proxy.close();
  await own.drop();
});

test("simultaneous health checks share one write, which adds no audit entry", async () => {
  const app = await testApp();
  const watcher = await aside(app);
  await watcher.query(`create table probed (at timestamptz default clock_timestamp());
    create function note_probe() returns trigger language plpgsql as $$ begin insert into probed default values; return null; end $$;
    create trigger note_probe after update on health_probe for each row execute function note_probe()`);
  const entries = async () => (await watcher.query("select count(*)::int as count from audit_entries")).rows[0].count;
  const before = await entries();
  await Promise.all(Array.from({ length: 50 }, () => healthOf(app)));
  const { rows } = await watcher.query("select count(*)::int as count from probed");
  assert.deepEqual([rows[0].count, await entries()], [1, before]);
  await watcher.end();
  await app.close();
});

test("a clock difference of more than 2 s between process and database causes a warning, and readiness stays `ok`", async () => {
  const app = await testApp({ clock: { now: () => new Date(Date.now() - 60_000) } });
  const clock = await checkOf(app, "clock");
  assert.equal(clock?.state, "warning");
  assert.match(clock?.message ?? "", /^The database's clock is (59|60) s ahead of this server's/);
  assert.equal((await healthOf(app)).status, "degraded");
  assert.equal((await app.call(readReadiness)).status, 200);
  await app.close();
  const close = await testApp({ clock: { now: () => new Date(Date.now() + 1500) } });
  assert.equal((await checkOf(close, "clock"))?.state, "ok");
  await close.close();
});

/** Mounts a small disk. Skips the test if this process may not mount one. */
function smallDisk(context: TestContext): { folder: string; remove: () => void } | null {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], { stdio: "pipe" });
  } catch {
    rmSync(folder, { recursive: true });
    context.skip("mounting a disk needs root");
    return null;
  }
  const remove = () => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  };
  return { folder, remove };
}

test("a disk with less than a tenth of its space free is reported before it is full", async (context) => {
  const disk = smallDisk(context);
  if (disk === null) return;
  const dataFolder = join(disk.folder, "data");
  mkdirSync(dataFolder);
  const app = await testApp({ dataFolder });
  assert.equal((await checkOf(app, "disk of the data folder"))?.state, "ok");
  const { bavail, bsize } = statfsSync(dataFolder);
  writeFileSync(join(disk.folder, "filler"), Buffer.alloc(bavail * bsize - 400_000));
  const full = await checkOf(app, "disk of the data folder");
  assert.equal(full?.state, "warning");
  assert.match(full?.message ?? "", /^The disk of the data folder has only [0-9] % \(0 MB\) left/);
  assert.equal((await app.call(readReadiness)).status, 200);
  await app.close();
  disk.remove();
});
