// A temporary PostgreSQL server for tests and benchmarks.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbedded } from "#kernel/embedded/embedded.ts";
import { openLog } from "#kernel/log.ts";

export interface TemporaryServer {
  /** Connects with the application's ordinary role, which may create databases here. */
  connection: pg.ClientConfig;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

export async function startTemporaryServer(): Promise<TemporaryServer> {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-test-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // Cleans up after a process that ends without stopping it.
  process.once("exit", remove);
  try {
    const options = { dataFolder: folder, log: openLog("fatal") };
    const first = await startEmbedded(options);
    const superuser = new pg.Client(first.administration);
    await superuser.connect();
    await superuser.query("alter role strongroom createdb");
    // Several test files run concurrently, each with several applications that have separate pools.
    await superuser.query("alter system set max_connections = 300");
    await superuser.end();
    await first.stop();
    const embedded = await startEmbedded(options);
    return {
      connection: { ...embedded.connection, database: "postgres" },
      async stop() {
        await embedded.stop();
        process.off("exit", remove);
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
