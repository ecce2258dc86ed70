// Delay of access expiry: on two server processes with one database, from the end of a grant until a retrieval is refused, and
// until browsers receive the event.
import pg from "pg";
import { setTimeout as delay } from "node:timers/promises";
import { aPolicy } from "../apps/server/src/testing/accounts.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { startBenchServer } from "./support/strongroom.ts";
import type { BenchServer } from "./support/strongroom.ts";
import { figure, printTable } from "./support/table.ts";

const GRANTS = Number(process.env.BENCH_GRANTS ?? 100);
/** Milliseconds between the ends of two grants. */
const APART = 50;
const BEGIN_BEFORE = 30;
const PASSWORD = "a long enough password";

const postgres = await startBenchPostgres();
const url = await postgres.database();
const first = await startBenchServer({ DATABASE_URL: url });
const second = await startBenchServer({ DATABASE_URL: url }, first.dataFolder);
const servers: readonly BenchServer[] = [first, second];

interface Grant {
  requestId: string;
  accountId: string;
  /** Milliseconds since 1970. */
  endsAt: number;
}

/** A user who may only list a safe's accounts, with a hundred approved grants. */
async function prepare(): Promise<{ token: string; grants: Grant[] }> {
  const email = "requester@example.com";
  await first.request("POST", "/api/v1/auth/register", { email, password: PASSWORD });
  const { token } = await first.request("POST", "/api/v1/auth/login", { email, password: PASSWORD });
  const found = await first.request("GET", `/api/v1/users?search=${email}`);
  const safe = await first.request("POST", "/api/v1/safes", { name: "Granted" });
  const member = { user_id: found.data[0].id, role: "custom", permissions: ["list"] };
  await first.request("POST", `/api/v1/safes/${safe.id}/members`, member);
  const platform = await first.request("POST", "/api/v1/platforms", { ...aPolicy, approvals_level_1: 1 });
  const grants: Grant[] = [];
  for (let number = 0; number < GRANTS; number++) {
    const account = await first.request("POST", "/api/v1/accounts", {
      name: `granted ${number}`,
      hostname: "app.example.com",
      username: "svc",
      password: `secret ${number} ${"x".repeat(16)}`,
      platform_id: platform.id,
      safe_id: safe.id,
      system_type: platform.system_type,
      connection_method: platform.connection_method,
    });
    const body = { resource: account.name, account_id: account.id, reason: "To measure it" };
    const asked = await (await send(first, token, "POST", "/api/v1/jit", body)).json();
    await first.request("POST", `/api/v1/jit/${asked.id}/approve`);
    grants.push({ requestId: asked.id, accountId: account.id, endsAt: 0 });
  }
  return { token, grants };
}

const send = (server: BenchServer, token: string, method: string, path: string, body?: object) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Makes the grants end one after the other. The database and this process share a clock. */
async function stagger(grants: Grant[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const [number, grant] of grants.entries()) {
    const { rows } = await client.query(
      `update access_requests set starts_at = moved.ends_at - (access_requests.ends_at - access_requests.starts_at),
         ends_at = moved.ends_at
       from (select now() + $2 * interval '1 ms' as ends_at) moved
       where id = $1 returning extract(epoch from access_requests.ends_at)::float8 * 1000 as ends_at`,
      [grant.requestId, 4_000 + number * APART],
    );
    grant.endsAt = rows[0].ends_at;
  }
  await client.end();
}

/** Records the time when a server's stream reports each end. */
async function follow(server: BenchServer, token: string, told: Map<string, number>, signal: AbortSignal) {
  const { body } = await fetch(`${server.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal,
  });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body!) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop()!;
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      const event = data === undefined ? {} : JSON.parse(data);
      if (event.data?.change === "ended") told.set(event.data.request_id, Date.now());
    }
  }
}

/** Retrieves until refused. Returns the delay after the end, and the number of retrievals that started later and succeeded. */
async function untilRefused(server: BenchServer, token: string, { accountId, endsAt }: Grant) {
  let late = 0;
  await delay(Math.max(0, endsAt - BEGIN_BEFORE - Date.now()));
  for (;;) {
    const started = Date.now();
    const answer = await send(server, token, "POST", `/api/v1/accounts/${accountId}/retrieve`, {});
    await answer.text();
    if (answer.status !== 200) return { after: Date.now() - endsAt, late };
    if (started > endsAt + 1) late += 1;
  }
}

const { token, grants } = await prepare();
const stopping = new AbortController();
const heard = servers.map(() => new Map<string, number>());
const streams = servers.map((server, index) =>
  follow(server, token, heard[index]!, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  }),
);
await stagger(grants);
const refusals = await Promise.all(
  servers.map((server) => Promise.all(grants.map((grant) => untilRefused(server, token, grant)))),
);
for (const told of heard) while (told.size < grants.length) await delay(10);
stopping.abort();
await Promise.all(streams);

const spread = (times: readonly number[]): string => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    figure(Math.max(0, sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!));
  return `${at(0.5)} / ${at(0.99)} / ${at(1)}`;
};

printTable(
  [
    "process",
    "grants",
    "refused after ms, p50 / p99 / max",
    "event after ms, p50 / p99 / max",
    "retrieved after the end",
  ],
  servers.map((_, index) => [
    String(index + 1),
    String(grants.length),
    spread(refusals[index]!.map(({ after }) => after)),
    spread(grants.map(({ requestId, endsAt }) => heard[index]!.get(requestId)! - endsAt)),
    String(refusals[index]!.reduce((sum, { late }) => sum + late, 0)),
  ]),
);
await second.stop();
await first.close();
await postgres.stop();
