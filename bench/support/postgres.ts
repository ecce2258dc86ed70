// A temporary PostgreSQL server for a benchmark, with databases for server processes.
import { dropTestDatabase, emptyTestDatabase } from "../../apps/server/src/kernel/testing/test-database.ts";
import { startTemporaryServer } from "../../apps/server/src/kernel/testing/temporary-server.ts";

export interface BenchPostgres {
  /** Creates an empty database and returns its `DATABASE_URL`. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

type Connection = Awaited<ReturnType<typeof emptyTestDatabase>>;

/** The server listens only on a Unix socket, so the address names its folder as `host`. */
function urlOf({ host = "", user = "", password, database = "", port = 5432 }: Connection): string {
  const secret = typeof password === "string" ? `:${encodeURIComponent(password)}` : "";
  return `postgres://${encodeURIComponent(user)}${secret}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const server = await startTemporaryServer();
  process.env.STRONGROOM_TEST_DATABASE = JSON.stringify(server.connection);
  const made: Connection[] = [];
  return {
    async database() {
      const connection = await emptyTestDatabase();
      made.push(connection);
      return urlOf(connection);
    },
    async stop() {
      for (const connection of made) await dropTestDatabase(connection);
      await server.stop();
    },
  };
}
