// A throwaway PostgreSQL for a benchmark, and databases in it that a server process can be pointed at.
import { dropTestDatabase, emptyTestDatabase } from "../../apps/server/src/kernel/testing/test-database.ts";
import { startTemporaryServer } from "../../apps/server/src/kernel/testing/temporary-server.ts";

export interface BenchPostgres {
  /** Makes an empty database and returns its `DATABASE_URL`. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

type Connection = Awaited<ReturnType<typeof emptyTestDatabase>>;

/** The server listens on a unix socket only, so its folder stands in the address as `host`. */
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
