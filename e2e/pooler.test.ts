// Tests the server behind a real PgBouncer: session pooling works, and the other modes are refused by name.
import { createCredential, readHealth, readReadiness } from "@strongroom/contract";
import { needs, pgbouncerAvailable, startPgbouncer } from "@strongroom/connectors/testing";
import type { Pgbouncer, PoolMode } from "@strongroom/connectors/testing";
import { startDatabaseProxy } from "@strongroom/server/kernel/testing/database-proxy.ts";
import type { DatabaseProxy } from "@strongroom/server/kernel/testing/database-proxy.ts";
import { dropTestDatabase, emptyTestDatabase } from "@strongroom/server/kernel/testing/test-database.ts";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type pg from "pg";
import { becomes } from "./testing/becomes.ts";
import { ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

describe("behind PgBouncer", needs(pgbouncerAvailable()), () => {
  let connection: pg.ClientConfig;
  let proxy: DatabaseProxy;
  let role: { username: string; password: string };
  before(async () => {
    connection = await emptyTestDatabase();
    // PostgreSQL listens on a socket that only this process may use.
    proxy = await startDatabaseProxy(connection);
    role = { username: String(connection.user), password: "for the pooler alone" };
  });
  after(async () => {
    await proxy?.close();
    await dropTestDatabase(connection);
  });

  async function behind(mode: PoolMode): Promise<{ pooler: Pgbouncer; url: string }> {
    const pooler = await startPgbouncer({ host: "127.0.0.1", port: proxy.port }, role, mode);
    const { username, password } = role;
    const url = `postgres://${username}:${encodeURIComponent(password)}@127.0.0.1:${pooler.port}/${connection.database}`;
    return { pooler, url };
  }

  for (const mode of ["transaction", "statement"] as const) {
    test(`a server does not start with ${mode} pooling, and names the mode that works`, async () => {
      const { pooler, url } = await behind(mode);
      try {
        const started = startServer({ DATABASE_URL: url });
        await assert.rejects(started, /did not start: The connection pooler .* set its pool_mode to session/);
      } finally {
        await pooler.stop();
      }
    });
  }

  test("a server works with session pooling, and is not ready after the mode changes at run time", async () => {
    const { pooler, url } = await behind("session");
    let server: RunningServer | undefined;
    try {
      server = await startServer({ DATABASE_URL: url, STRONGROOM_LOG_LEVEL: "error" });
      const at = server.url;
      const token = await tokenOf(server, await firstAdmin(server));
      const body = { name: "Behind a pooler", type: "application" as const, value: "a secret" };
      const replies = await Promise.all(Array.from({ length: 40 }, () => send(at, createCredential, { body }, token)));
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
      const health = await ask(at, readHealth);
      assert.deepEqual([health.status, health.summary], ["healthy", "All systems operational"]);

      pooler.setMode("transaction");
      await becomes(async () => {
        const ready = await send(at, readReadiness);
        return ready.status === 503 && /connection pooler .* Set its pool_mode to session/.test(await ready.text());
      }, true);
      pooler.setMode("session");
      await becomes(async () => (await send(at, readReadiness)).status, 200);
    } finally {
      await server?.close();
      await pooler.stop();
    }
  });
});
