// Cost of list, search and reveal with 1,000, 10,000 and 100,000 credentials of one owner.
import type { LoadRequest } from "./support/load.ts";
import { fillVault } from "./support/fill.ts";
import { costOf } from "./support/measure.ts";
import type { Cost } from "./support/measure.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { addCredentials, startBenchServer } from "./support/strongroom.ts";
import { figure, printTable } from "./support/table.ts";

const SIZES = [1_000, 10_000, 100_000];
const REVEALED = 200;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);

const postgres = await startBenchPostgres();
const url = await postgres.database();
const server = await startBenchServer({ DATABASE_URL: url });
const { user } = await server.request("GET", "/api/v1/auth/session");
const ids = await addCredentials(server, REVEALED);

const headers = { authorization: `Bearer ${server.token}` };
let turn = 0;
const get = (path: () => string) => (): LoadRequest => ({ method: "GET", path: path(), headers });
const number = () => String((turn++ * 7919) % 100_000).padStart(6, "0");
const calls: Record<string, () => LoadRequest> = {
  "first page of 100": get(() => "/api/v1/credentials?limit=100"),
  "search, one match at most": get(() => `/api/v1/credentials?limit=100&search=${number()}`),
  "search, a quarter matches": get(() => "/api/v1/credentials?limit=100&search=payroll"),
  "search of two letters": get(() => `/api/v1/credentials?limit=100&search=${number().slice(4)}`),
  "filter by type": get(() => "/api/v1/credentials?limit=100&type=database"),
  reveal: () => ({
    method: "POST",
    path: `/api/v1/credentials/${ids[turn++ % ids.length]}/reveal`,
    headers: { ...headers, "content-type": "application/json" },
    body: "{}",
  }),
};

const measured = { server, connections: 4, seconds: SECONDS, rounds: ROUNDS };
const results = new Map<string, Cost[]>(Object.keys(calls).map((name) => [name, []]));
let filled = REVEALED;
for (const size of SIZES) {
  await fillVault(url, user.id, size - filled, filled);
  filled = size;
  for (const [name, next] of Object.entries(calls)) {
    results.get(name)!.push(await costOf(measured, next));
  }
}
printTable(
  [
    "call (4 connections)",
    ...SIZES.map((size) => `${size.toLocaleString("en")}: CPU ms / p50 ms`),
    "100,000 / 1,000, CPU",
    "p50",
  ],
  [...results].map(([name, [small, middle, large]]) => [
    name,
    ...[small!, middle!, large!].map((each) => `${figure(each.cpu)} / ${figure(each.p50)}`),
    figure(large!.cpu / small!.cpu),
    figure(large!.p50 / small!.p50),
  ]),
);
await server.close();
await postgres.stop();
