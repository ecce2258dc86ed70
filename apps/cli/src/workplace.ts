// Where commands work: the database, whether a server runs or not, and what the server's use cases ask for.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Desk } from "@strongroom/server/features/sign-in/index.ts";
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

export interface Workplace extends Desk {
  /** Null with DATABASE_URL. */
  embedded: Embedded | null;
}

/** What is logged while a command works would stand among its results; what matters to the person is an error anyway. */
export const log = openLog("silent");

/**
 * Opens the database that the environment names, does the work and leaves everything as it was: a database server that a
 * running Strongroom uses goes on. `anyVersion` is for work that must be possible before and after an upgrade too. Throws
 * StartError or CommandError with one sentence when it cannot.
 */
export async function atWork<T>(work: (workplace: Workplace) => Promise<T>, { anyVersion = false } = {}): Promise<T> {
  const config = readConfig(process.env);
  const doors = openDoors();
  try {
    const starting = config.databaseUrl === null ? openEmbedded(config) : null;
    // Also closed when the person interrupts the command while it is still being started.
    doors.push(async () => (await starting?.catch(() => null))?.stop());
    const embedded = await starting;
    const connection = embedded?.connection ?? { connectionString: config.databaseUrl ?? "" };
    const database = openDatabase({ connection, log, poolSize: 4, applicationName: "strongroom command" });
    doors.push(() => database.close());
    // Entries that a command records carry a MAC by the key file of this data folder, so no command needs the vault for that.
    usePendingKeys(database.pool, createPendingKeys(join(config.dataFolder, "audit")));
    if (!anyVersion) await requireVersion(database);
    return await work(workplaceOf(config, database, embedded));
  } finally {
    await doors.close();
  }
}

const INTERRUPTED = 130;

/** What is to be closed at the end, in the opposite order, also when the person interrupts the command. */
function openDoors(): { push(close: () => Promise<void>): void; close(): Promise<void> } {
  const doors: (() => Promise<void>)[] = [];
  let closing: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    for (const close of doors.toReversed()) await close();
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  const interrupt = (): void => void close().finally(() => process.exit(INTERRUPTED));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  return {
    push(door) {
      if (closing !== null) throw new CommandError("Interrupted.", { status: INTERRUPTED });
      doors.push(door);
    },
    async close() {
      for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupt);
      await close();
    },
  };
}

/** INVARIANT: a command makes no database: a mistyped folder must not look like an empty Strongroom. */
async function openEmbedded({ dataFolder }: Config): Promise<Embedded> {
  const cluster = join(dataFolder, "postgres", "cluster");
  try {
    statSync(cluster);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw new CommandError(`You may not enter ${dataFolder}: run this as the user of Strongroom.`, { cause: error });
    }
    throw new CommandError(`There is no database in ${dataFolder}. Set STRONGROOM_DATA, or start Strongroom once.`);
  }
  return startEmbedded({ dataFolder, log, lingers: true });
}

function workplaceOf(config: Config, database: Database, embedded: Embedded | null): Workplace {
  return {
    config,
    database,
    embedded,
    clock: systemClock,
    events: createEvents(database, log),
    publicUrl: () => config.publicUrl ?? localUrl(config),
  };
}

/** Where a server with the same environment listens. */
function localUrl({ host, port }: Config): string {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
