// Scans of Linux hosts compared with bare SSH commands that run the same script, and lists of discovered accounts at
// 10,000 and 1,000,000 accounts. `BENCH_SCANS=0` leaves out the scans.
import { collectBare, scanHost, startUnixHost, unixHostAvailable } from "@strongroom/connectors/testing";
import type { UnixHost } from "@strongroom/connectors/testing";
import { fillDiscovered } from "./support/fill-discovered.ts";
import type { LoadRequest } from "./support/load.ts";
import { costOf } from "./support/measure.ts";
import type { Cost } from "./support/measure.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { addCredentials, startBenchServer } from "./support/strongroom.ts";
import { figure, median, printTable, withRange } from "./support/table.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const SIZES = (process.env.BENCH_SIZES ?? "10000,1000000").split(",").map(Number);
const ACCOUNTS = 1000;
const HOSTS = Number(process.env.BENCH_HOSTS ?? 200);
const AT_ONCE = 32;
/** The goal for lists at the largest size, compared with the smallest. */
const MOST_RATIO = 3;

/** One in five accounts has a key. */
const MANY_ACCOUNTS = `
key=$(ssh-keygen -q -t ed25519 -N '' -f /run/bench-key && cat /run/bench-key.pub)
i=0; while [ $i -lt ${ACCOUNTS} ]; do
  echo "user$i:x:$((3000 + i)):100::/home/user$i:/bin/sh" >> /etc/passwd
  echo "user$i:!:20000:0:99999:7:::" >> /etc/shadow
  if [ $((i % 5)) = 0 ]; then mkdir -p /home/user$i/.ssh; echo "$key" > /home/user$i/.ssh/authorized_keys; fi
  i=$((i + 1))
done
echo '%users ALL = /bin/systemctl restart app' > /etc/sudoers.d/bench`;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

async function scan(host: UnixHost): Promise<void> {
  const result = await scanHost(host);
  if (result.outcome !== "listed") throw new Error(result.message);
}

/** Runs the work for `HOSTS` hosts in turn, at most `AT_ONCE` at a time. */
async function each(hosts: readonly UnixHost[], work: (host: UnixHost) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < HOSTS) await work(hosts[next++ % hosts.length]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function compareScans(): Promise<void> {
  const large = await startUnixHost("large", MANY_ACCOUNTS);
  const small = await Promise.all(Array.from({ length: 8 }, (_, number) => startUnixHost(`small${number}`, "true")));
  try {
    const one = { ours: [] as number[], bare: [] as number[] };
    const many = { ours: [] as number[], bare: [] as number[] };
    await scan(large);
    for (let round = 0; round < ROUNDS; round += 1) {
      one.bare.push(await seconds(() => collectBare(large)));
      one.ours.push(await seconds(() => scan(large)));
    }
    for (let round = 0; round < Math.min(ROUNDS, 3); round += 1) {
      many.bare.push(HOSTS / (await seconds(() => each(small, collectBare))));
      many.ours.push(HOSTS / (await seconds(() => each(small, scan))));
    }
    printTable(
      ["", "Strongroom", "bare SSH command", "ratio"],
      [
        [
          `host with ${ACCOUNTS} accounts, s`,
          withRange(one.ours),
          withRange(one.bare),
          figure(median(one.ours) / median(one.bare)),
        ],
        [
          `${HOSTS} hosts, ${AT_ONCE} at once, per s`,
          withRange(many.ours),
          withRange(many.bare),
          figure(median(many.ours) / median(many.bare)),
        ],
      ],
    );
  } finally {
    for (const host of [large, ...small]) await host.stop();
  }
}

async function compareSizes(): Promise<void> {
  const postgres = await startBenchPostgres();
  const url = await postgres.database();
  const server = await startBenchServer({ DATABASE_URL: url });
  const [credentialId = ""] = await addCredentials(server, 1);
  const safe = await server.request("POST", "/api/v1/safes", { name: "Bench" });
  const headers = { authorization: `Bearer ${server.token}` };
  const get = (path: string) => (): LoadRequest => ({ method: "GET", path: `/api/v1/discovery/${path}`, headers });
  const calls: Record<string, () => LoadRequest> = {
    "first page of 50": get("accounts?limit=50"),
    "first page, all statuses": get("accounts?limit=50&status=all"),
    "filter: privileged": get("accounts?limit=50&privileged=true"),
    "filter: one target": get("accounts?limit=50&targetId=be0c7000-0000-4000-8000-000000000007"),
    statistics: get("statistics"),
    "blast radius of an account": get("blast-radius?account=be0c8000-0000-4000-8000-000000000000"),
    "filter: no longer found": get("accounts?limit=50&status=all&presence=missing"),
    "filter: in a safe": get("accounts?limit=50&status=all&managed=true"),
    "filter: a system without accounts": get("accounts?limit=50&status=all&system=windows"),
    "search: one match": get("accounts?limit=50&status=all&search=user7777"),
    "search: 500 matches": get("accounts?limit=50&status=all&search=host19.example"),
    "search: every account": get("accounts?limit=50&status=all&search=example"),
    "search: no match": get("accounts?limit=50&search=nowhere"),
  };
  const results = new Map<string, Cost[]>(Object.keys(calls).map((name) => [name, []]));
  let filled = 0;
  for (const size of SIZES) {
    await fillDiscovered(url, { safeId: safe.id, credentialId }, filled, size);
    filled = size;
    for (const [name, next] of Object.entries(calls)) {
      const measured = { server, connections: 4, seconds: SECONDS, rounds: Math.min(ROUNDS, 3) };
      results.get(name)!.push(await costOf(measured, next));
    }
  }
  printTable(
    [
      "call (4 connections)",
      ...SIZES.map((size) => `${size.toLocaleString("en")}: CPU ms / p50 ms`),
      "CPU ratio",
      "p50 ratio",
    ],
    [...results].map(([name, costs]) => [
      name,
      ...costs.map((cost) => `${figure(cost.cpu)} / ${figure(cost.p50)}`),
      figure(costs.at(-1)!.cpu / costs[0]!.cpu),
      figure(costs.at(-1)!.p50 / costs[0]!.p50),
    ]),
  );
  await server.close();
  await postgres.stop();
  const over = [...results].filter(([, costs]) => costs.at(-1)!.cpu > MOST_RATIO * costs[0]!.cpu);
  for (const [name] of over) console.log(`${name} costs more than ${MOST_RATIO} times as much.`);
  if (over.length > 0) process.exitCode = 1;
}

const obstacle = process.env.BENCH_SCANS === "0" ? "BENCH_SCANS is 0" : unixHostAvailable();
if (obstacle === null) await compareScans();
else console.log(`Scans are skipped: ${obstacle}.`);
await compareSizes();
