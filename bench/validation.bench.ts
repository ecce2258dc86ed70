// Cost of the Validation Dashboard for an ordinary user, a manager of many safes and an administrator, with 100,000 accounts
// verified daily for ten days, compared with counting all accounts in the database.
import pg from "pg";
import { fillAttempts } from "./support/fill-attempts.ts";
import { fillSafes, joinSafes } from "./support/fill-safes.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { startBenchServer } from "./support/strongroom.ts";
import { figure, median, printTable } from "./support/table.ts";

const SIZE = Number(process.env.BENCH_ACCOUNTS ?? 100_000);
const ALL = { users: 5_000, safes: SIZE / 50, accounts: SIZE };
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);

const postgres = await startBenchPostgres();
const url = await postgres.database();
const server = await startBenchServer({ DATABASE_URL: url });
await fillSafes(url, { users: 0, safes: 0, accounts: 0 }, ALL);
await fillAttempts(url, { days: 10, failingOneIn: 25, grantedOneIn: 200 });

async function signUp(name: string): Promise<{ id: string; token: string }> {
  const [email, password] = [`${name}@example.com`, "a long enough password"];
  await server.request("POST", "/api/v1/auth/register", { email, password });
  const found = await server.request("GET", `/api/v1/users?search=${email}`);
  const { token } = await server.request("POST", "/api/v1/auth/login", { email, password });
  return { id: found.data[0].id, token };
}
const [ordinary, manager] = [await signUp("ordinary"), await signUp("manager")];
await joinSafes(url, ordinary.id, 5, "user");
await joinSafes(url, manager.id, Math.min(500, ALL.safes), "manager");
const people = { "ordinary user": ordinary.token, "manager of 500 safes": manager.token, administrator: server.token };

const search = (filter: object) => ["POST", "/api/v1/validation/search", { filter }] as const;
const get = (path: string) => ["GET", `/api/v1/${path}`] as const;
const CALLS: Record<string, readonly [string, string, object?]> = {
  "dashboard, 24 hours": get("validation/dashboard"),
  "dashboard, 30 days": get("validation/dashboard?range=30d"),
  "system health, 7 days": get("validation/system-health?range=7d"),
  statistics: get("validation/statistics"),
  "attempts, all": get("validation/attempts"),
  "attempts, by duration": get("validation/attempts?range=30d&sort=-duration"),
  "attempts, failed": get("validation/attempts?status=failed"),
  "attempts, search, one account": get("validation/attempts?search=web000123&range=30d"),
  "attempts, search, nothing": get("validation/attempts?search=zzzzzz&range=30d"),
  failures: get("validation/failures"),
  "failures, critical": get("validation/failures?severity=critical"),
  "active grants": get("validation/jit-sessions"),
  "search, no filter": search({}),
  "search, text, one account": search({ text: "web000123" }),
  "search, text, nothing": search({ text: "zzzzzz" }),
  "search, error and active grant": search({ text: "refused the", jit: ["active"] }),
  "search, critical": search({ critical_only: true }),
  "search, no match": search({ connection_methods: ["Telnet"] }),
  "search, never validated": search({ statuses: ["never_validated"] }),
  "CPM status": get("cpm/status"),
  "CPM attention": get("cpm/credentials/attention"),
};

async function timeOf(token: string, [method, path, body]: readonly [string, string, object?]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const started = performance.now();
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
    if (round > 0) times.push(performance.now() - started);
  }
  return median(times);
}

const client = new pg.Client({ connectionString: url });
await client.connect();
const references: number[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const started = performance.now();
  await client.query("select verification_status, count(*) from credentials where deleted_at is null group by 1");
  if (round > 0) references.push(performance.now() - started);
}
const reference = median(references);
await client.end();

const rows: string[][] = [];
for (const [name, call] of Object.entries(CALLS)) {
  const times: number[] = [];
  for (const token of Object.values(people)) times.push(await timeOf(token, call));
  rows.push([name, ...times.map((time) => `${figure(time)} (${figure(time / reference)})`)]);
}
printTable([`p50 ms (in counts of all accounts: ${figure(reference)} ms)`, ...Object.keys(people)], rows);
await server.close();
await postgres.stop();
