// Whether a database is at the version that this Strongroom works with. Commands migrate nothing: a server may be at work.
import type { Database } from "@strongroom/server/kernel/db/database.ts";
import { readMigrations } from "@strongroom/server/kernel/db/migrate.ts";
import { CommandError } from "./command-error.ts";

/** The version of the database, 0 where there is nothing of ours, and the one of this code. Throws CommandError. */
export async function versions({ pool }: Pick<Database, "pool">): Promise<{ stored: number; known: number }> {
  const known = (await readMigrations()).at(-1)?.version ?? 0;
  const stored = await storedVersion(pool).catch((error: unknown) => {
    throw new CommandError(`The database does not answer (${reasonOf(error)}).`, { cause: error });
  });
  return { stored, known };
}

/** Throws CommandError with one sentence when the database does not answer or is at another version. */
export async function requireVersion(database: Pick<Database, "pool">): Promise<void> {
  const { stored, known } = await versions(database);
  if (stored === known) return;
  if (stored === 0) throw new CommandError("There is no Strongroom in this database yet: start it once.");
  if (stored < known) {
    throw new CommandError(
      `The database is at version ${stored}, this Strongroom at ${known}: restart the server, which migrates it.`,
    );
  }
  throw new CommandError(`The database is at version ${stored}, this Strongroom only at ${known}: use the newer one.`);
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
