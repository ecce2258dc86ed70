// Reveals per second and CPU per reveal, over HTTP with PostgreSQL, compared with a bare server in the same run.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { load } from "./support/load.ts";
import type { LoadRequest, LoadResult } from "./support/load.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { cpuOf } from "./support/processes.ts";
import { addCredentials, startBenchServer } from "./support/strongroom.ts";
import { figure, median, printTable, withRange } from "./support/table.ts";

const ROWS = 1000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);

interface Side {
  name: string;
  origin: string;
  pid: number;
  next: () => LoadRequest;
}

interface Round extends LoadResult {
  /** CPU of the server process per answer, in microseconds. */
  cpu: number;
}

async function measure(side: Side, connections: number): Promise<Round> {
  const before = cpuOf(side.pid);
  const result = await load(side.origin, connections, SECONDS, side.next);
  return { ...result, cpu: ((cpuOf(side.pid) - before) / result.answers) * 1e6 };
}

const postgres = await startBenchPostgres();
const reference = fork(join(import.meta.dirname, "support/reference-server.ts"), {
  env: { ...process.env, DATABASE_URL: await postgres.database(), REFERENCE_ROWS: String(ROWS) },
});
const [{ url, token, ids }] = (await once(reference, "message")) as [{ url: string; token: string; ids: string[] }];
const server = await startBenchServer({ DATABASE_URL: await postgres.database() });
const stored = await addCredentials(server, ROWS);

let turn = 0;
const reveal =
  (path: (id: string) => string, all: readonly string[], bearer: string, body?: string) => (): LoadRequest => ({
    method: "POST",
    path: path(all[turn++ % all.length]!),
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });
const sides: Side[] = [
  {
    name: "Strongroom",
    origin: server.url,
    pid: server.pid,
    next: reveal((id) => `/api/v1/credentials/${id}/reveal`, stored, server.token, "{}"),
  },
  { name: "reference", origin: url, pid: reference.pid!, next: reveal((id) => `/reveal/${id}`, ids, token) },
];

const rows: string[][] = [];
for (const connections of [1, 16, 64]) {
  const rounds = new Map(sides.map((side) => [side.name, [] as Round[]]));
  for (const side of sides) await measure(side, connections);
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of sides) rounds.get(side.name)!.push(await measure(side, connections));
  }
  const of = (name: string, pick: (round: Round) => number) => rounds.get(name)!.map(pick);
  const ratios = (pick: (round: Round) => number) =>
    of("Strongroom", pick).map((value, round) => value / of("reference", pick)[round]!);
  rows.push([
    String(connections),
    withRange(of("Strongroom", (round) => round.perSecond)),
    withRange(of("reference", (round) => round.perSecond)),
    figure(median(ratios((round) => round.perSecond))),
    figure(median(of("Strongroom", (round) => round.cpu))),
    figure(median(of("reference", (round) => round.cpu))),
    figure(median(ratios((round) => round.cpu))),
    `${figure(median(of("Strongroom", (round) => round.p99)))} / ${figure(median(of("reference", (round) => round.p99)))}`,
  ]);
}
printTable(
  [
    "connections",
    "Strongroom /s",
    "reference /s",
    "throughput ratio",
    "Strongroom CPU µs",
    "reference CPU µs",
    "CPU ratio",
    "p99 ms",
  ],
  rows,
);

await server.close();
reference.disconnect();
await once(reference, "exit");
await postgres.stop();
