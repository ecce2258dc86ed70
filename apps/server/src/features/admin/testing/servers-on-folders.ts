// Starts the server on a data folder with its own embedded database, as often as a test wants.
import { openDatabase } from "#kernel/db/database.ts";
import { migrate } from "#kernel/db/migrate.ts";
import { startEmbedded } from "#kernel/embedded/embedded.ts";
import type { Embedded } from "#kernel/embedded/embedded.ts";
import { openLog } from "#kernel/log.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

const log = openLog("silent");

export interface Running {
  app: TestApp;
  embedded: Embedded;
  stop(): Promise<void>;
}

/** All running servers, which must be stopped after the tests. */
export const running = new Set<Running>();

export async function startOn(dataFolder: string): Promise<Running> {
  const embedded = await startEmbedded({ dataFolder, log });
  const database = openDatabase({ connection: embedded.connection, log, poolSize: 10 });
  await migrate(database, log);
  const given = { database, connection: embedded.connection, drop: () => database.close() };
  const app = await testApp({ database: given, dataFolder, embedded });
  const started: Running = {
    app,
    embedded,
    async stop() {
      if (!running.delete(started)) return;
      await app.stopOnly();
      await database.close();
      await embedded.stop();
    },
  };
  running.add(started);
  return started;
}
