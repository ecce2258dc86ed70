// Cost of the global search, compared with a bare indexed prefix query over the same accounts in the same run: with
// 100,000 accounts in 2,000 safes and 5,000 users, and with 1 % of that.
import pg from "pg";
import { fillSafes, joinSafes } from "./support/fill-safes.ts";
import type { LoadRequest } from "./support/load.ts";
import { costOf } from "./support/measure.ts";
import type { Cost } from "./support/measure.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { startBenchServer } from "./support/strongroom.ts";
import { figure, median, printTable } from "./support/table.ts";

const NOTHING = { users: 0, safes: 0, accounts: 0 };
const ONE_PERCENT = { users: 50, safes: 20, accounts: 1_000 };
const ALL = { users: 5_000, safes: 2_000, accounts: 100_000 };
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);

const postgres = await startBenchPostgres();
const url = await postgres.database();
const server = await startBenchServer({ DATABASE_URL: url });
await fillSafes(url, NOTHING, ONE_PERCENT);

const [email, password] = ["ordinary@example.com", "a long enough password"];
await server.request("POST", "/api/v1/auth/register", { email, password });
const ordinaryId = (await server.request("GET", `/api/v1/users?search=${email}`)).data[0].id;
const tokens = {
  "ordinary user": (await server.request("POST", "/api/v1/auth/login", { email, password })).token as string,
  administrator: server.token,
};
await joinSafes(url, ordinaryId, 5, "user");

let turn = 0;
const number = () => String(turn++ % 1_000).padStart(6, "0");
/** Typical searches: a name prefix, a rare substring, a common substring, and a text without a match. */
const TEXTS: Record<string, () => string> = {
  "prefix of a name": () => `root on web${number()}`,
  "rare substring": () => `eb${number()}`,
  "common substring": () => "web",
  "no match": () => `zq${number()}`,
};

const requestOf = (token: string, text: () => string) => (): LoadRequest => ({
  method: "GET",
  path: `/api/v1/search?search=${encodeURIComponent(text())}`,
  headers: { authorization: `Bearer ${token}` },
});

/** One connection, like one typing user. */
const measured = { server, connections: 1, seconds: SECONDS, rounds: ROUNDS };

async function measureAll(): Promise<Map<string, Cost>> {
  const results = new Map<string, Cost>();
  for (const [person, token] of Object.entries(tokens)) {
    for (const [name, text] of Object.entries(TEXTS)) {
      results.set(`${person}: ${name}`, await costOf(measured, requestOf(token, text)));
    }
  }
  return results;
}

/** Median latency in milliseconds of one bare query with the same index. */
async function bareQuery(): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const times: number[] = [];
  for (let count = 0; count < 600; count++) {
    const started = performance.now();
    const text = `root on web${number()}`;
    await client.query(
      `select id, name, host from credentials where user_id is null and deleted_at is null
         and left(search_text, 120) collate "C" >= $1 and left(search_text, 120) collate "C" < $2
       order by left(search_text, 120) collate "C" limit 6`,
      [text, `${text}\u{10ffff}`],
    );
    times.push(performance.now() - started);
  }
  await client.end();
  return median(times);
}

const small = { bare: await bareQuery(), product: await measureAll() };
await fillSafes(url, ONE_PERCENT, ALL);
const large = { bare: await bareQuery(), product: await measureAll() };

console.log(`bare indexed query: ${figure(small.bare)} ms at 1 %, ${figure(large.bare)} ms at all`);
printTable(
  [
    "search (1 connection)",
    "1 %: CPU ms / p50 ms",
    "all: CPU ms / p50 ms",
    "all / 1 %, CPU",
    "p50",
    "p50 / bare query: 1 %",
    "all",
  ],
  [...small.product].map(([name, before]) => {
    const after = large.product.get(name)!;
    const shown = [before, after].map((each) => `${figure(each.cpu)} / ${figure(each.p50)}`);
    const ratios = [after.cpu / before.cpu, after.p50 / before.p50, before.p50 / small.bare, after.p50 / large.bare];
    return [name, ...shown, ...ratios.map(figure)];
  }),
);
await server.close();
await postgres.stop();
