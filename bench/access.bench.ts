// Cost of Access Control for an administrator and a manager of many safes: access overview, access paths of one user, previews,
// and the start of a review. With 100,000 accounts in 2,000 safes and 5,000 users, and with 1 % of that.
import { fillSafes, joinSafes, safeId } from "./support/fill-safes.ts";
import type { LoadRequest } from "./support/load.ts";
import { costOf } from "./support/measure.ts";
import type { Cost } from "./support/measure.ts";
import { startBenchPostgres } from "./support/postgres.ts";
import { startBenchServer } from "./support/strongroom.ts";
import { figure, median, printTable } from "./support/table.ts";

const SCALE = Number(process.env.BENCH_SCALE ?? 1);
const NOTHING = { users: 0, safes: 0, accounts: 0 };
const ONE_PERCENT = { users: 50, safes: 20, accounts: 1_000 };
const ALL = {
  users: Math.max(50, 5_000 * SCALE),
  safes: Math.max(20, 2_000 * SCALE),
  accounts: Math.max(1_000, 100_000 * SCALE),
};
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);

const postgres = await startBenchPostgres();
const url = await postgres.database();
const server = await startBenchServer({ DATABASE_URL: url });
await fillSafes(url, NOTHING, ONE_PERCENT);

const [email, password] = ["manager@example.com", "a long enough password"];
await server.request("POST", "/api/v1/auth/register", { email, password });
const managerId: string = (await server.request("GET", `/api/v1/users?search=${email}`)).data[0].id;
await server.request("PUT", `/api/v1/users/${managerId}/role`, { role: "manager" });
const tokens = {
  administrator: server.token,
  manager: (await server.request("POST", "/api/v1/auth/login", { email, password })).token as string,
};
type Role = keyof typeof tokens;

const someId = (kind: number, number: number): string =>
  `be0c${kind}000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const person = someId(1, 7);
const group = someId(2, 1);
/** A safe of which the manager is a member. */
const safe = safeId(0);
const AT = "/api/v1/access-control";
const change = (body: object): Omit<LoadRequest, "headers"> => ({
  method: "POST",
  path: `${AT}/preview`,
  body: JSON.stringify({ change: body }),
});
const get = (path: string): Omit<LoadRequest, "headers"> => ({ method: "GET", path });

const CALLS: Record<string, Omit<LoadRequest, "headers">> = {
  "access overview: 25 users": get(`${AT}/people?limit=25`),
  "access overview: users, search": get(`${AT}/people?limit=25&search=Person%201`),
  "one person": get(`${AT}/people/${person}`),
  "one user: 25 safes with access paths": get(`${AT}/people/${person}/safes?limit=25`),
  "one user: accounts of one safe": get(`${AT}/people/${person}/accounts?limit=25&safe_id=${safe}`),
  "25 safes with the number of users": get(`${AT}/safes?limit=25`),
  "users with access to one safe": get(`/api/v1/safes/${safe}/access?limit=25`),
  "preview: add a member": change({
    kind: "member-added",
    safe_id: safe,
    member: { user_id: someId(1, 13), role: "user" },
  }),
};
const OF_ADMINISTRATORS: Record<string, Omit<LoadRequest, "headers">> = {
  "preview: remove a group member": change({ kind: "group-member-removed", group_id: group, user_id: someId(1, 26) }),
  "preview: delete a group": change({ kind: "group-deleted", group_id: group }),
  "preview: promote to administrator": change({ kind: "role-changed", user_id: person, role: "admin" }),
};

const headersOf = (role: Role, isSent: boolean): Record<string, string> => ({
  authorization: `Bearer ${tokens[role]}`,
  ...(isSent ? { "content-type": "application/json" } : {}),
});

async function measureAll(): Promise<Map<string, Cost>> {
  const results = new Map<string, Cost>();
  const measured = { server, connections: 1, seconds: SECONDS, rounds: ROUNDS };
  const calls: [Role, Record<string, Omit<LoadRequest, "headers">>][] = [
    ["administrator", { ...CALLS, ...OF_ADMINISTRATORS }],
    ["manager", CALLS],
  ];
  for (const [role, named] of calls) {
    for (const [name, request] of Object.entries(named)) {
      const headers = headersOf(role, request.body !== undefined);
      const cost = await costOf(measured, () => ({ ...request, headers }));
      results.set(`${role}: ${name}`, cost);
      console.log(`${role}: ${name}: ${figure(cost.p50)} ms`);
    }
  }
  return results;
}

/** Median latency of each call in milliseconds, with a description of its result. */
async function measureOnce(): Promise<Map<string, { ms: number; about: string }>> {
  const results = new Map<string, { ms: number; about: string }>();
  const timed = async (name: string, work: () => Promise<string>): Promise<void> => {
    const times: number[] = [];
    let about = "";
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = performance.now();
      about = await work();
      times.push(performance.now() - started);
    }
    results.set(name, { ms: median(times), about });
    console.log(`${name}: ${figure(median(times))} ms, ${about}`);
  };
  const due_at = new Date(Date.now() + 86_400_000).toISOString();
  let review = { id: "", items: { total: 0 } };
  await timed("start a review of everything", async () => {
    const body = { name: "Everything", scope: { kind: "all" }, due_at, unreviewed: "stays" };
    review = await server.request("POST", `${AT}/reviews`, body);
    return `${review.items.total.toLocaleString("en")} memberships`;
  });
  await timed("read its first 50 memberships", async () => {
    const { items } = await server.request("GET", `${AT}/reviews/${review.id}/items?show=open`);
    return `${items.length} shown`;
  });
  await timed("list reviews", async () => {
    const { reviews } = await server.request("GET", `${AT}/reviews`);
    return `${reviews.length} reviews`;
  });
  const { platforms } = await server.request("GET", "/api/v1/platforms");
  const linux = platforms.find((each: { name: string }) => each.name === "Linux").id;
  const approvals = { kind: "platform-approvals", platform_id: linux, approvals_level_1: 1, approvals_level_2: 0 };
  await timed("preview: approvals for the platform of every account", async () => {
    const answer = await fetch(`${server.url}${AT}/preview`, {
      method: "POST",
      headers: headersOf("administrator", true),
      body: JSON.stringify({ change: approvals }),
    });
    const told = (await answer.json()) as { people_losing?: number; message?: string };
    return answer.ok ? `${told.people_losing?.toLocaleString("en")} people lose something` : `refused: ${told.message}`;
  });
  return results;
}

await joinSafes(url, managerId, 20, "manager");
const small = { all: await measureAll(), once: await measureOnce() };
console.log(`filling: ${ALL.accounts.toLocaleString("en")} accounts`);
await fillSafes(url, ONE_PERCENT, ALL);
await joinSafes(url, managerId, Math.min(200, ALL.safes), "manager");
const large = { all: await measureAll(), once: await measureOnce() };

printTable(
  ["call (1 connection)", "1 %: CPU ms / p50 ms", "all: CPU ms / p50 ms", "all / 1 %, CPU", "p50"],
  [...small.all].map(([name, before]) => {
    const after = large.all.get(name)!;
    const shown = [before, after].map((each) => `${figure(each.cpu)} / ${figure(each.p50)}`);
    return [name, ...shown, figure(after.cpu / before.cpu), figure(after.p50 / before.p50)];
  }),
);
printTable(
  ["once, median of rounds", "1 %: ms", "all: ms", "all / 1 %", "about"],
  [...small.once].map(([name, before]) => {
    const after = large.once.get(name)!;
    return [name, figure(before.ms), figure(after.ms), figure(after.ms / before.ms), after.about];
  }),
);
await server.close();
await postgres.stop();
