// Breaks the database while eight clients write: the server stays up, refuses calls with 503, and recovers automatically.
import { createCredential, listCredentials, readReadiness, verifyAudit } from "@strongroom/contract";
import { startDatabaseProxy } from "@strongroom/server/kernel/testing/database-proxy.ts";
import type { DatabaseProxy } from "@strongroom/server/kernel/testing/database-proxy.ts";
import { dropTestDatabase, emptyTestDatabase } from "@strongroom/server/kernel/testing/test-database.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { becomes } from "./testing/becomes.ts";
import { ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steadyClient } from "./testing/steady-client.ts";

/** Few enough to stay within CI's budget of 20 s per test. For 20 rounds and more, see docs/testing.md. */
const EXTERNAL_ROUNDS = Number(process.env.STRONGROOM_DATABASE_FAULT_ROUNDS ?? 20);
const EMBEDDED_ROUNDS = Number(process.env.STRONGROOM_DATABASE_FAULT_ROUNDS ?? 6);
const SILENT_ROUNDS = Number(process.env.STRONGROOM_DATABASE_FAULT_ROUNDS ?? 2);
const CLIENTS = 8;
const LONGEST_PAUSE_MS = 200;
const RECOVERS_WITHIN_MS = 30_000;
const RECOVERS_FROM_SILENCE_WITHIN_MS = 10_000;
const EXPECTED = /^(503 database\.(unavailable|busy|outcome-unknown)|409 idempotency\.(under-way|answer-unknown))$/;

let token: string;

/** Returns the milliseconds until a write succeeded. */
async function recovery(server: RunningServer, within = RECOVERS_WITHIN_MS): Promise<number> {
  const started = performance.now();
  for (;;) {
    assert.equal(server.process.exitCode, null, `the server died:\n${server.output().slice(-3000)}`);
    const body = { name: "After the fault", type: "application" as const, value: "a secret" };
    const answer = await send(server.url, createCredential, { body }, token);
    const said = await answer.text();
    const took = performance.now() - started;
    if (answer.status === 201) return took;
    assert.ok(took < within, `no write succeeded within ${within} ms: ${said}\n${server.output().slice(-3000)}`);
    await delay(50);
  }
}

interface Fault {
  rounds: number;
  fail: (round: number) => unknown;
  clients?: number;
  within?: number;
}

let runs = 0;

/** Breaks the database under load. No acknowledged write is lost, no write happens twice, and no reply is a 500. */
async function survive(server: RunningServer, fault: Fault): Promise<string> {
  const { rounds, fail, clients: count = CLIENTS, within } = fault;
  runs += 1;
  const clients = Array.from({ length: count }, (_, index) =>
    steadyClient(server.url, token, `run ${runs}, client ${index}`),
  );
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await delay(Math.random() * LONGEST_PAUSE_MS);
    await fail(round);
    times.push(await recovery(server, within));
  }
  await Promise.all(clients.map((client) => client.stop()));
  assert.equal(server.process.exitCode, null);
  const refusals = [...new Set(clients.flatMap((client) => [...client.refusals.keys()]))].toSorted();
  assert.deepEqual(
    refusals.filter((how) => !EXPECTED.test(how)),
    [],
  );
  const kept = await allCredentials(server);
  const names = [...kept.values()].filter((name) => name.startsWith("run "));
  assert.equal(new Set(names).size, names.length, "a request was carried out twice");
  const acknowledged = clients.flatMap((client) => client.acknowledged);
  assert.deepEqual(
    acknowledged.filter((id) => !kept.has(id)),
    [],
    "acknowledged but lost",
  );
  const { is_intact: isIntact, findings } = await ask(server.url, verifyAudit, {}, token);
  assert.deepEqual({ isIntact, findings }, { isIntact: true, findings: [] }, "the audit trail went on");
  const slowest = Math.round(Math.max(...times));
  return `${rounds} faults, ${acknowledged.length} writes acknowledged and kept; slowest recovery ${slowest} ms; ${refusals.join(", ")}`;
}

async function allCredentials({ url }: RunningServer): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let cursor: string | undefined; ;) {
    const answer = await send(url, listCredentials, { query: { limit: 100, ...(cursor && { cursor }) } }, token);
    const page = (await answer.json()) as { data: { id: string; name: string }[]; next_cursor: string | null };
    for (const { id, name } of page.data) found.set(id, name);
    if (page.next_cursor === null) return found;
    cursor = page.next_cursor;
  }
}

describe("the server with its embedded database", () => {
  let server: RunningServer;
  let watching: pg.Client;
  before(async () => {
    server = await startServer({ STRONGROOM_LOG_LEVEL: "error" });
    token = await tokenOf(server, await firstAdmin(server));
  });
  after(() => server?.close());

  const postmaster = () =>
    Number.parseInt(readFileSync(join(server.dataFolder, "postgres/cluster/postmaster.pid"), "utf8"), 10);

  async function aBackend(): Promise<number> {
    watching = new pg.Client({ host: join(server.dataFolder, "postgres/run"), user: "strongroom", ssl: false });
    watching.on("error", () => undefined);
    await watching.connect();
    const { rows } = await watching.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'strongroom' order by state = 'active' desc, random()",
    );
    await watching.end();
    return rows[0]!.pid;
  }

  test(
    `survives ${EMBEDDED_ROUNDS} kills, of one backend and of the whole database server in turn`,
    { timeout: 900_000 },
    async (t) => {
      const fail = async (round: number) => process.kill(round % 2 === 0 ? await aBackend() : postmaster(), "SIGKILL");
      t.diagnostic(await survive(server, { rounds: EMBEDDED_ROUNDS, fail }));
    },
  );
});

describe("the server with a database on a different host", () => {
  let connection: pg.ClientConfig;
  let proxy: DatabaseProxy;
  let server: RunningServer;
  before(async () => {
    connection = await emptyTestDatabase();
    proxy = await startDatabaseProxy(connection);
    const url = `postgres://${connection.user}@127.0.0.1:${proxy.port}/${connection.database}`;
    server = await startServer({ STRONGROOM_LOG_LEVEL: "error", DATABASE_URL: url });
    token = await tokenOf(server, await firstAdmin(server));
  });
  after(async () => {
    await server?.close();
    await proxy?.close();
    await dropTestDatabase(connection);
  });

  async function terminateAll(): Promise<void> {
    const client = new pg.Client(connection);
    await client.connect();
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
    await client.end();
  }

  test(
    `survives ${EXTERNAL_ROUNDS} times that the database drops every connection, as in a restart or a failover`,
    { timeout: 900_000 },
    async (t) => {
      t.diagnostic(await survive(server, { rounds: EXTERNAL_ROUNDS, fail: terminateAll }));
    },
  );

  test(
    `survives ${EXTERNAL_ROUNDS} times that the network closes every connection`,
    { timeout: 900_000 },
    async (t) => {
      t.diagnostic(await survive(server, { rounds: EXTERNAL_ROUNDS, fail: () => proxy.closeAll() }));
    },
  );

  test("works again within 10 s after the network stops dropping all traffic", async (t) => {
    const fail = async () => {
      proxy.blackHole();
      // The server has detected the failure when it refuses calls immediately.
      for (let isNoticed = false; !isNoticed;)
        isNoticed = (await send(server.url, listCredentials, {}, token)).status === 503;
      const ready = await send(server.url, readReadiness);
      assert.equal(ready.status, 503, await ready.text());
      proxy.heal();
    };
    const within = RECOVERS_FROM_SILENCE_WITHIN_MS;
    t.diagnostic(await survive(server, { rounds: SILENT_ROUNDS, fail, clients: 40, within }));
    await becomes(async () => (await send(server.url, readReadiness)).status, 200);
  });
});
