// Checks that the database is at this Strongroom's version. Commands never migrate: a server may be running.
import type { Database } from "@strongroom/server/kernel/db/database.ts";
import { readMigrations } from "@strongroom/server/kernel/db/migrate.ts";
import { CommandError } from "./command-error.ts";

/** The database's version (0 for a database without Strongroom), and this code's. Throws CommandError. */
export async function versions({ pool }: Pick<Database, "pool">): Promise<{ stored: number; known: number }> {
  const known = (await readMigrations()).at(-1)?.version ?? 0;
  const stored = await storedVersion(pool).catch((error: unknown) => {
    throw new CommandError(`Cannot connect to the database (${reasonOf(error)}).`, { cause: error });
  });
  return { stored, known };
}

/** Throws CommandError with one sentence when the database does not answer or is at a different version. */
export async function requireVersion(database: Pick<Database, "pool">): Promise<void> {
  const { stored, known } = await versions(database);
  if (stored === known) return;
  if (stored === 0) throw new CommandError("Strongroom has not set up this database yet. Start Strongroom once.");
  if (stored < known) {
    throw new CommandError(
      `The database is at version ${stored}, this Strongroom at ${known}. Restart the server, which migrates it.`,
    );
  }
  throw new CommandError(
    `The database is at version ${stored}, but this Strongroom only supports ${known}. Use the newer Strongroom.`,
  );
}

async function storedVersion(pool: Database["pool"]): Promise<number> {
  const found = await pool.query("select to_regclass('schema_migrations') is not null as is_there");
  if (found.rows[0].is_there !== true) return 0;
  const { rows } = await pool.query("select max(version) as version from schema_migrations");
  return Number(rows[0].version ?? 0);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message || code || "no reason given";
}
