// Cost of lists and access decisions for an ordinary user, a manager of many safes and an administrator, with 100,000 accounts in
// 2,000 safes and 5,000 users, and with 1 % of that.
import { fillSafes, joinSafes, safeId } from "./support/fill-safes.ts";
import type { LoadRequest } from "./support/load.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { costOf } from "./support/measure.ts";
import type { Cost } from "./support/measure.ts";
import { startBenchServer } from "./support/strongroom.ts";
import { figure, printTable } from "./support/table.ts";

const NOTHING = { users: 0, safes: 0, accounts: 0 };
const ONE_PERCENT = { users: 50, safes: 20, accounts: 1_000 };
const ALL = { users: 5_000, safes: 2_000, accounts: 100_000 };
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
/** Runs only calls with matching names. */
const WANTED = new RegExp(process.env.BENCH_CALLS ?? "");
/** Real accounts, whose secrets can be retrieved. */
const RETRIEVED = 40;

const postgres = await startBenchPostgres();
const url = await postgres.database();
const server = await startBenchServer({ DATABASE_URL: url });
await fillSafes(url, NOTHING, ONE_PERCENT);

async function signUp(name: string, role: "user" | "manager"): Promise<{ id: string; token: string }> {
  const [email, password] = [`${name}@example.com`, "a long enough password"];
  await server.request("POST", "/api/v1/auth/register", { email, password });
  const found = await server.request("GET", `/api/v1/users?search=${email}`);
  const id = found.data[0].id;
  if (role === "manager") await server.request("PUT", `/api/v1/users/${id}/role`, { role });
  const { token } = await server.request("POST", "/api/v1/auth/login", { email, password });
  return { id, token };
}

const people = {
  "ordinary user": await signUp("ordinary", "user"),
  manager: await signUp("manager", "manager"),
  administrator: { id: (await server.request("GET", "/api/v1/auth/session")).user.id, token: server.token },
};
type Name = keyof typeof people;

/** A safe with real accounts and all three users as members. */
async function aRealSafe(): Promise<{ id: string; accounts: string[] }> {
  const { id } = await server.request("POST", "/api/v1/safes", { name: "Real accounts" });
  for (const name of ["ordinary user", "manager"] as const) {
    const body = { user_id: people[name].id, role: "manager" };
    await server.request("POST", `/api/v1/safes/${id}/members`, body);
  }
  const { platforms } = await server.request("GET", "/api/v1/platforms");
  const platform = platforms.find((each: { name: string }) => each.name === "Application");
  const made = Array.from({ length: RETRIEVED }, (_, number) =>
    server.request("POST", "/api/v1/accounts", {
      name: `real ${number}`,
      hostname: `app${number}.example.com`,
      username: "svc",
      password: `secret ${number} ${"x".repeat(16)}`,
      platform_id: platform.id,
      safe_id: id,
      system_type: "Application",
      connection_method: "HTTPS",
    }),
  );
  return { id, accounts: (await Promise.all(made)).map((account) => account.id) };
}
const { id: realSafe, accounts: real } = await aRealSafe();
const { id: otherSafe } = await server.request("POST", "/api/v1/safes", { name: "Target of moved accounts" });

const REQUESTABLE = "/api/v1/jit/resources";
let turn = 0;
let moves = 0;
/** Moves all accounts to the other safe, then back, one by one. */
const moving = (): Omit<LoadRequest, "headers"> => {
  const safe_id = Math.floor(moves / real.length) % 2 === 0 ? otherSafe : realSafe;
  const path = `/api/v1/accounts/${real[moves++ % real.length]}/move`;
  return { method: "POST", path, body: JSON.stringify({ safe_id }) };
};
/** The other users are not members of the other safe. */
async function moveAllBack(): Promise<void> {
  while (moves % (2 * real.length) !== 0) {
    const { path, body } = moving();
    await server.request("POST", path, JSON.parse(body!));
  }
}
const CALLS: Record<string, () => Omit<LoadRequest, "headers">> = {
  "20 safes": () => ({ method: "GET", path: "/api/v1/safes?limit=20" }),
  "100 accounts": () => ({ method: "GET", path: "/api/v1/accounts?limit=100" }),
  "accounts of one safe": () => ({ method: "GET", path: `/api/v1/accounts?limit=100&safe_id=${safeId(0)}` }),
  "accounts, search, one match at most": () => ({
    method: "GET",
    path: `/api/v1/accounts?limit=100&search=web${String(turn++ % 1_000).padStart(6, "0")}`,
  }),
  "account statistics": () => ({ method: "GET", path: "/api/v1/accounts/statistics" }),
  "requestable accounts": () => ({ method: "GET", path: REQUESTABLE }),
  "requestable accounts, search": () => ({
    method: "GET",
    path: `${REQUESTABLE}?search=web${String(turn++ % 1_000).padStart(6, "0")}`,
  }),
  "one account": () => ({ method: "GET", path: `/api/v1/accounts/${real[turn++ % real.length]}/details` }),
  retrieve: () => ({ method: "POST", path: `/api/v1/accounts/${real[turn++ % real.length]}/retrieve`, body: "{}" }),
};

const requestOf = (call: () => Omit<LoadRequest, "headers">, name: Name) => (): LoadRequest => {
  const request = call();
  const headers = { authorization: `Bearer ${people[name].token}` };
  return {
    ...request,
    headers: request.body === undefined ? headers : { ...headers, "content-type": "application/json" },
  };
};

const MOVING = "administrator: move an account (1 connection)";
const measured = { server, connections: 4, seconds: SECONDS, rounds: ROUNDS };

async function measureAll(): Promise<Map<string, Cost>> {
  const results = new Map<string, Cost>();
  for (const name of Object.keys(people) as Name[]) {
    for (const [title, call] of Object.entries(CALLS)) {
      if (WANTED.test(title)) results.set(`${name}: ${title}`, await costOf(measured, requestOf(call, name)));
    }
  }
  const oneByOne = { ...measured, connections: 1 };
  if (WANTED.test(MOVING)) results.set(MOVING, await costOf(oneByOne, requestOf(moving, "administrator")));
  await moveAllBack();
  return results;
}

await joinSafes(url, people["ordinary user"].id, 5, "user");
await joinSafes(url, people.manager.id, 20, "manager");
const small = await measureAll();
await fillSafes(url, ONE_PERCENT, ALL);
await joinSafes(url, people.manager.id, 200, "manager");
const large = await measureAll();

printTable(
  ["call (4 connections)", "1 %: CPU ms / p50 ms", "all: CPU ms / p50 ms", "all / 1 %, CPU", "p50"],
  [...small].map(([name, before]) => {
    const after = large.get(name)!;
    const shown = [before, after].map((each) => `${figure(each.cpu)} / ${figure(each.p50)}`);
    return [name, ...shown, figure(after.cpu / before.cpu), figure(after.p50 / before.p50)];
  }),
);
await server.close();
await postgres.stop();
