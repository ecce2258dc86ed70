// The context of a command: the database, with or without a running server, and the dependencies of the server's use
// cases.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { UserAdminContext } from "@strongroom/server/features/sign-in/index.ts";
import { createPendingKeys, usePendingKeys } from "@strongroom/server/kernel/audit/pending-keys.ts";
import { systemClock } from "@strongroom/server/kernel/clock.ts";
import { readConfig } from "@strongroom/server/kernel/config.ts";
import type { Config } from "@strongroom/server/kernel/config.ts";
import { openDatabase } from "@strongroom/server/kernel/db/database.ts";
import type { Database } from "@strongroom/server/kernel/db/database.ts";
import { startEmbedded } from "@strongroom/server/kernel/embedded/embedded.ts";
import type { Embedded } from "@strongroom/server/kernel/embedded/embedded.ts";
import { createEvents } from "@strongroom/server/kernel/events/events.ts";
import { openLog } from "@strongroom/server/kernel/log.ts";
import { CommandError } from "./command-error.ts";
import { requireVersion } from "./schema-version.ts";

export interface CommandContext extends UserAdminContext {
  /** Null when DATABASE_URL is set. */
  embedded: Embedded | null;
}

/** Log lines would mix with a command's results; important problems are errors anyway. */
export const log = openLog("silent");

/**
 * Opens the database named by the environment, runs the work and restores the previous state: a database server used
 * by a running Strongroom keeps running. `anyVersion` is for work that must be possible before and after an upgrade.
 * Throws StartError or CommandError with one sentence on failure.
 */
export async function withContext<T>(
  work: (context: CommandContext) => Promise<T>,
  { anyVersion = false } = {},
): Promise<T> {
  const config = readConfig(process.env);
  const resources = openResources();
  try {
    const starting = config.databaseUrl === null ? openEmbedded(config) : null;
    // Also closed when the user interrupts the command during the start.
    resources.push(async () => (await starting?.catch(() => null))?.stop());
    const embedded = await starting;
    const connection = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
    const database = openDatabase({ connection, log, poolSize: 4, applicationName: "strongroom command" });
    resources.push(() => database.close());
    // Entries recorded by a command carry a MAC made with the key file of this data folder, so no command needs the
    // vault for that.
    usePendingKeys(database.pool, createPendingKeys(join(config.dataFolder, "audit")));
    if (!anyVersion) await requireVersion(database);
    return await work(contextOf(config, database, embedded));
  } finally {
    await resources.close();
  }
}

const INTERRUPTED = 130;

/** Resources to close at the end, in reverse order, even after an interrupt. */
function openResources(): { push(close: () => Promise<void>): void; close(): Promise<void> } {
  const resources: (() => Promise<void>)[] = [];
  let closing: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    for (const close of resources.toReversed()) await close();
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  const interrupt = (): void => void close().finally(() => process.exit(INTERRUPTED));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  return {
    push(door) {
      if (closing !== null) throw new CommandError("Interrupted.", { status: INTERRUPTED });
      resources.push(door);
    },
    async close() {
      for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupt);
      await close();
    },
  };
}

/** INVARIANT: a command creates no database: a mistyped folder must not look like an empty Strongroom. */
async function openEmbedded({ dataFolder }: Config): Promise<Embedded> {
  const cluster = join(dataFolder, "postgres", "cluster");
  try {
    statSync(cluster);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw new CommandError(`No access to ${dataFolder}. Run this command as the user that runs Strongroom.`, {
        cause: error,
      });
    }
    throw new CommandError(`There is no database in ${dataFolder}. Set STRONGROOM_DATA, or start Strongroom once.`);
  }
  return startEmbedded({ dataFolder, log });
}

function contextOf(config: Config, database: Database, embedded: Embedded | null): CommandContext {
  return {
    config,
    database,
    embedded,
    clock: systemClock,
    events: createEvents(database, log),
    publicUrl: () => config.publicUrl ?? localUrl(config),
  };
}

/** The URL of a server with the same environment. */
function localUrl({ host, port }: Config): string {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
