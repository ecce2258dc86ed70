// Migrates a database to this version: numbered SQL files, each applied once, in order, forward only.
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import type { Log } from "#kernel/log.ts";
import { StartError } from "#kernel/start-error.ts";
import { DatabaseClient } from "./client.ts";

export interface Migration {
  version: number;
  name: string;
  sql: string;
  /** SHA-256 of the file, in hex. */
  checksum: string;
}

interface Applied {
  version: number;
  name: string;
  checksum: string;
}

/** Advisory lock key of migrations, used by all Strongroom processes and nothing else. */
const LOCK = 7_305_808_869;
const FILE = /^(\d{4})-([a-z0-9-]+)\.sql$/;

const OWN_FOLDER = join(import.meta.dirname, "..", "migrations");

/** The files `NNNN-name.sql` of a folder, by number. Throws for a duplicate number or an invalid name. */
export async function readMigrations(folder = OWN_FOLDER): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).toSorted();
  const migrations = await Promise.all(files.map((file) => readMigration(folder, file)));
  for (const [index, migration] of migrations.entries()) {
    if (migration.version === migrations[index - 1]?.version) {
      throw new Error(`two migrations have the number ${migration.version}`);
    }
  }
  return migrations;
}

async function readMigration(folder: string, file: string): Promise<Migration> {
  const [, version, name] = FILE.exec(file) ?? [];
  if (version === undefined || name === undefined) throw new Error(`${file} is not named NNNN-name.sql`);
  const sql = await readFile(join(folder, file), "utf8");
  return { version: Number(version), name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
}

/**
 * Applies the missing migrations and returns their versions. Any number of processes may call this function at once: each
 * migration runs in a transaction that holds a transaction-level lock, which also works through a pooler. Throws `StartError` if
 * the database is unreachable, is newer than the code, or was created by other migrations.
 */
export async function migrate(
  { connection }: { connection: pg.ClientConfig },
  log: Pick<Log, "info">,
  migrations?: readonly Migration[],
): Promise<number[]> {
  const known = migrations ?? (await readMigrations());
  const client = new DatabaseClient(connection);
  await connect(client);
  try {
    const isUpgrade = (await readApplied(client)).length > 0;
    const applied: number[] = [];
    for (;;) {
      const migration = await applyNext(client, known);
      if (migration === null) break;
      if (isUpgrade) log.info({ version: migration.version, name: migration.name }, "the database was migrated");
      applied.push(migration.version);
    }
    if (!isUpgrade && applied.length > 0)
      log.info({ version: applied.at(-1) }, "the tables of a new database were created");
    return applied;
  } finally {
    await client.end();
  }
}

/** Opens the first connection of a start. On failure, throws a `StartError` that does not contain the connection's secret. */
async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    const where = `The database ${client.database ?? ""} at ${client.host}:${client.port}`;
    throw new StartError(`${where} cannot be used (${reasonOf(error)}): check DATABASE_URL.`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const { code = "", message } = error as { code?: string; message: string };
  if (code === "ECONNREFUSED") return "no server answers there";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "there is no such host";
  if (code === "28P01") return "it does not accept the user's password";
  if (code === "3D000") return "it does not exist";
  return message.split("\n", 1)[0] || code;
}

/** Applies the first missing migration and returns its version; null if none is missing. */
async function applyNext(client: pg.Client, known: readonly Migration[]): Promise<Migration | null> {
  if (nextOf(known, await readApplied(client)) === undefined) return null;
  await client.query("begin");
  try {
    await client.query("set local statement_timeout = 0");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(`create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`);
    // Read the versions again: another process may have been faster while this one waited for the lock.
    const next = nextOf(known, await readApplied(client));
    if (next !== undefined) {
      await client.query(next.sql);
      await client.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
        next.version,
        next.name,
        next.checksum,
      ]);
    }
    await client.query("commit");
    return next ?? null;
  } catch (error) {
    // If the rollback fails too, the connection is lost and the server rolls back.
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

async function readApplied(client: pg.Client): Promise<Applied[]> {
  const found = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  );
  if (found.rows[0]?.exists !== true) return [];
  return (await client.query<Applied>("select version, name, checksum from schema_migrations order by version")).rows;
}

function nextOf(known: readonly Migration[], applied: readonly Applied[]): Migration | undefined {
  const newest = applied.at(-1)?.version ?? 0;
  const newestKnown = known.at(-1)?.version ?? 0;
  if (newest > newestKnown) {
    throw new StartError(
      `This database is at version ${newest} but this Strongroom supports only ${newestKnown}. ` +
        "Start the newer version, or restore a backup made before the upgrade.",
    );
  }
  const byVersion = new Map(known.map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of applied) {
    const migration = byVersion.get(version);
    if (migration === undefined || migration.name !== name || migration.checksum !== checksum) {
      throw new StartError(
        `Migration ${version} (${name}) of this database differs from the one in this version of Strongroom. ` +
          "Start the version that created the database.",
      );
    }
  }
  const missing = known.find((migration) => !applied.some((each) => each.version === migration.version));
  if (missing !== undefined && missing.version < newest) {
    throw new StartError(
      `Migration ${missing.version} (${missing.name}) is missing from this database, which is already at version ` +
        `${newest}. Start the version that created the database.`,
    );
  }
  return missing;
}
