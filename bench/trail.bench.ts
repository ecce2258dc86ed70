// Cost of a page of the audit trail and its counters with two million entries (BENCH_ROWS), compared with 1 % of that.
import { aPerson, anAccount, busyActor, fillTrail } from "./support/fill-trail.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { startBenchServer } from "./support/strongroom.ts";
import { figure, median, printTable } from "./support/table.ts";

const ROWS = Number(process.env.BENCH_ROWS ?? 2_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);

const postgres = await startBenchPostgres();
const url = await postgres.database();
const server = await startBenchServer({ DATABASE_URL: url });
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

const QUERIES: Record<string, string> = {
  everything: "",
  "everything until half a year ago": `to=${daysAgo(180)}`,
  "a week, 90 days ago": `from=${daysAgo(97)}&to=${daysAgo(90)}`,
  failures: "status=failure",
  pending: "status=pending",
  "one event, failures": "event=account.retrieved&status=failure",
  "regular verification": "view=regular",
  "JIT verification": "view=jit",
  "critical failures": "view=critical",
  "critical failures of verification": "view=critical&scope=verification",
  "one person": `actor_id=${aPerson}`,
  "a machine identity with a fifth of all": `actor_id=${busyActor}`,
  "that identity's failures until half a year ago": `actor_id=${busyActor}&status=failure&to=${daysAgo(180)}`,
  "one account": `target_id=${anAccount}`,
  "search: one account": "search=account%2054321",
  "search: a hundred hosts": "search=host777",
  "search: more than a thousand people": "search=person",
  "search: critical entries of a hundred hosts": "search=host777&severity=critical",
};

/** Latency in milliseconds: median and worst, after a warm-up. */
async function timed(path: string): Promise<{ p50: number; worst: number; reply: any }> {
  const reply = await server.request("GET", path);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await server.request("GET", path);
    times.push(performance.now() - started);
  }
  return { p50: median(times), worst: Math.max(...times), reply };
}

async function measureAll() {
  console.log(`measuring ${Object.keys(QUERIES).length} kinds of lists`);
  const results = new Map<string, { page: number; worst: number; counts: number; total: string }>();
  for (const [name, query] of Object.entries(QUERIES)) {
    const page = await timed(`/api/v1/audit?${query}`);
    const counts = await timed(`/api/v1/audit/counts?${query}`);
    const { total, is_exact } = counts.reply;
    const found = `${total.toLocaleString("en")}${is_exact ? "" : "+"}`;
    results.set(name, { page: page.p50, worst: page.worst, counts: counts.p50, total: found });
  }
  return results;
}

const started = performance.now();
// Filling takes longer than the idle timeout of a session.
const keepingOpen = setInterval(() => void server.request("GET", "/api/v1/auth/session"), 60_000);
await fillTrail(url, 0, ROWS / 100);
const small = await measureAll();
await fillTrail(url, ROWS / 100, ROWS);
console.log(`filled in ${figure((performance.now() - started) / 1000)} s`);
clearInterval(keepingOpen);
const large = await measureAll();

printTable(
  [
    `${ROWS.toLocaleString("en")} entries`,
    "page of 25, ms (worst)",
    "counters, ms",
    "matches",
    "page / 1 %",
    "counters",
  ],
  [...large].map(([name, { page, worst, counts, total }]) => {
    const before = small.get(name)!;
    const ratios = [figure(page / before.page), figure(counts / before.counts)];
    return [name, `${figure(page)} (${figure(worst)})`, figure(counts), total, ...ratios];
  }),
);
await server.close();
await postgres.stop();
