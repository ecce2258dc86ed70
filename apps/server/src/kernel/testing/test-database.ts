// A fresh, migrated database for one test, created in a few milliseconds by copying a template that all tests share.
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { openDatabase } from "#kernel/db/database.ts";
import type { Database, DatabaseConfig } from "#kernel/db/database.ts";
import { migrate, readMigrations } from "#kernel/db/migrate.ts";
import { installQueue } from "#kernel/jobs/queue.ts";
import { openLog } from "#kernel/log.ts";
import { startTemporaryServer } from "./temporary-server.ts";
import type { TemporaryServer } from "./temporary-server.ts";

export interface TestDatabase {
  database: Database;
  /** The options for the test's own connections. */
  connection: pg.ClientConfig;
  /** Closes the pool and drops the database, even if it has other connections. */
  drop(): Promise<void>;
}

/**
 * Creates a database on the server in STRONGROOM_TEST_DATABASE (a `pg` configuration as JSON whose role may create databases), or
 * else on a server of this process, which is stopped after the last test.
 */
export async function testDatabase(options: Partial<DatabaseConfig> = {}): Promise<TestDatabase> {
  const connection = await emptyTestDatabase(await template());
  const database = openDatabase({ connection, log: silent, poolSize: 10, ...options });
  // Tests make hundreds of calls at once, so on a slow machine the last ones wait longer than in production.
  database.pool.options.connectionTimeoutMillis = 60_000;
  return {
    database,
    connection,
    async drop() {
      await database.close();
      await dropTestDatabase(connection);
    },
  };
}

/** Creates a database without our tables, or a copy of `template`. Drop it with `dropTestDatabase`. */
export async function emptyTestDatabase(from?: string): Promise<pg.ClientConfig> {
  const server = await testServer();
  const name = `test_${randomBytes(8).toString("hex")}`;
  inUse++;
  await asAdministrator((client) =>
    client.query(`create database ${name}${from === undefined ? "" : ` template ${from}`}`),
  );
  return { ...server, database: name };
}

export async function dropTestDatabase({ database }: pg.ClientConfig): Promise<void> {
  await asAdministrator(async (client) => {
    // PostgreSQL checks only every 100 ms whether the last closing connections have ended.
    for (let looks = 0; looks < 50 && (await isInUse(client, database)); looks++) await delay(2);
    await client.query(`drop database if exists ${database} with (force)`).catch((error: unknown) => {
      // An ordinary role may not terminate autovacuum, but a plain drop makes it end.
      if (!(error instanceof pg.DatabaseError && error.code === "42501")) throw error;
      return client.query(`drop database if exists ${database}`);
    });
  });
  inUse--;
}

async function isInUse(client: pg.PoolClient, database: string | undefined): Promise<boolean> {
  return (await client.query("select from pg_stat_activity where datname = $1", [database])).rows.length > 0;
}

const silent = openLog("fatal");

let own: Promise<TemporaryServer> | null = null;
let administrator: Promise<pg.Pool> | null = null;
let ready: Promise<string> | null = null;
let inUse = 0;

// Not a hook of the test runner: that would run before the hooks of the tests, which still drop their databases.
process.on("beforeExit", () => {
  if (own === null || inUse > 0) return;
  void own.then((server) => server.stop());
  own = null;
});

async function testServer(): Promise<pg.ClientConfig> {
  const given = process.env["STRONGROOM_TEST_DATABASE"];
  if (given !== undefined && given !== "") return JSON.parse(given) as pg.ClientConfig;
  own ??= startTemporaryServer();
  return (await own).connection;
}

async function asAdministrator<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  administrator ??= testServer().then((connection) => {
    const pool = new pg.Pool({ ...connection, max: 4, allowExitOnIdle: true });
    // The server may be stopped before this process ends.
    pool.on("error", () => undefined);
    return pool;
  });
  const client = await (await administrator).connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

/** The template's name contains a hash of the migrations, so that a changed migration gets a new template. */
function template(): Promise<string> {
  ready ??= makeTemplate();
  return ready;
}

async function makeTemplate(): Promise<string> {
  const migrations = await readMigrations();
  const hash = createHash("sha256");
  for (const { version, checksum } of migrations) hash.update(`${version} ${checksum}\n`);
  const name = `template_${hash.digest("hex").slice(0, 16)}`;
  const server = await testServer();
  await asAdministrator(async (client) => {
    // If there are several test processes, the first one creates the template while the others wait.
    await client.query("select pg_advisory_lock(hashtext($1))", [name]);
    try {
      const found = await client.query("select datistemplate as done from pg_database where datname = $1", [name]);
      if (found.rows[0]?.done === true) return;
      // A killed process left the template incomplete.
      await client.query(`drop database if exists ${name} with (force)`);
      await client.query(`create database ${name}`);
      const connection = { ...server, database: name };
      await migrate({ connection }, silent, migrations);
      await installQueue(connection);
      await client.query(`alter database ${name} is_template true allow_connections false`);
    } finally {
      await client.query("select pg_advisory_unlock(hashtext($1))", [name]);
    }
  });
  return name;
}
