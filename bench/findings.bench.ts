// Cost of listing, filtering and counting 10,000 and 1,000,000 findings on 100 targets.
import pg from "pg";
import type { LoadRequest } from "./support/load.ts";
import { costOf } from "./support/measure.ts";
import type { Cost } from "./support/measure.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { startBenchServer } from "./support/strongroom.ts";
import { figure, printTable } from "./support/table.ts";

const SIZES = (process.env.BENCH_SIZES ?? "10000,1000000").split(",").map(Number);
const TARGETS = 100;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const BATCH = 20_000;

const postgres = await startBenchPostgres();
const url = await postgres.database();
const server = await startBenchServer({ DATABASE_URL: url });
const client = new pg.Client({ connectionString: url });
await client.connect();

const safe = await server.request("POST", "/api/v1/safes", { name: "Scanned" });
const { platforms } = await server.request("GET", "/api/v1/platforms");
const account = await server.request("POST", "/api/v1/accounts", {
  name: "Scanner",
  system_type: "Linux",
  connection_method: "SSH",
  hostname: "host.example.com",
  username: "scanner",
  password: "a secret of the scanner",
  platform_id: platforms.find(({ name }: { name: string }) => name === "Linux").id,
  safe_id: safe.id,
});
await client.query(
  `insert into discovery_targets (id, safe_id, name, target_type, connection_method, hostname, port, timeout_ms, credential_id,
     credential_safe_id, created_at, updated_at)
   select gen_random_uuid(), $1, 'host-' || number, 'linux', 'ssh', 'host-' || number, 22, 30000, $2, $1, now(), now()
   from generate_series(1, $3::integer) as number`,
  [safe.id, account.id, TARGETS],
);

/** Statuses and types as uneven as in a real installation: a thousandth is accepted. */
async function fill(from: number, to: number): Promise<void> {
  for (let begin = from; begin < to; begin += BATCH) {
    await client.query(
      `with target as (select id, row_number() over (order by id) - 1 as place from discovery_targets)
       insert into findings (id, target_id, identity, path, fingerprint, finding_type, class, detector, reason, confidence, status,
         risk_score, risk_factors, is_below_threshold, line, preview, context, file_owner, file_group, file_mode,
         file_modified_at, first_scan_id, last_scan_id, created_at, last_seen_at)
       select gen_random_uuid(), target.id, md5(number::text), '/srv/app/' || number || '.conf', md5((number / 3)::text),
         (array['hardcoded_password', 'hardcoded_password', 'ssh_key', 'credential_exposure'])[1 + number % 4], 'password',
         'assignment', 'A password.', 0.9,
         case when number % 1000 = 0 then 'accepted' when number % 20 = 0 then 'remediated' else 'new' end,
         (number % 100000 * 7919) % 101, '[]', (number % 100000 * 7919) % 101 < 40, 3, 'se••••', '[]', 'root', 'root', '644', now(),
         gen_random_uuid(), gen_random_uuid(), now(), now()
       from generate_series($1::integer, $2::integer) as number join target on target.place = number % $3`,
      [begin, Math.min(begin + BATCH, to) - 1, TARGETS],
    );
  }
  await client.query("vacuum analyze findings");
  await client.query("vacuum analyze finding_counts");
}

const headers = { authorization: `Bearer ${server.token}` };
const LIST = "/api/v1/discovery/enhanced/findings";
const get = (path: string) => (): LoadRequest => ({ method: "GET", path, headers });
const calls: Record<string, () => LoadRequest> = {
  "first page of 100": get(LIST),
  "page at offset 5,000": get(`${LIST}?offset=5000`),
  "critical and new": get(`${LIST}?severity=critical&status=new`),
  "a rare status": get(`${LIST}?status=accepted&includeBelowThreshold=true`),
  "one type": get(`${LIST}?findingType=ssh_key`),
  "a range of risk scores": get(`${LIST}?minRiskScore=55&maxRiskScore=65`),
  "a rare text": get(`${LIST}?search=${encodeURIComponent("/app/9876.")}`),
  "a common text": get(`${LIST}?search=srv`),
  "the name of a host": get(`${LIST}?search=host-42`),
  statistics: get("/api/v1/discovery/enhanced/statistics"),
};

const measured = { server, connections: 2, seconds: SECONDS, rounds: ROUNDS };
const results = new Map<string, Cost[]>(Object.keys(calls).map((name) => [name, []]));
let filled = 0;
for (const size of SIZES) {
  await fill(filled, size);
  filled = size;
  for (const [name, next] of Object.entries(calls)) results.get(name)!.push(await costOf(measured, next));
}
printTable(
  [
    "call (2 connections)",
    ...SIZES.map((size) => `${size.toLocaleString("en")}: CPU ms / p50 ms`),
    "ratio, CPU",
    "p50",
  ],
  [...results].map(([name, costs]) => [
    name,
    ...costs.map((each) => `${figure(each.cpu)} / ${figure(each.p50)}`),
    figure(costs.at(-1)!.cpu / costs[0]!.cpu),
    figure(costs.at(-1)!.p50 / costs[0]!.p50),
  ]),
);
await client.end();
await server.close();
await postgres.stop();
