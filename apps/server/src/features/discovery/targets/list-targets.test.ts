// Tests of the list of discovery targets: orders, pages, search and filters.
import { listDiscoveryTargets, updateDiscoveryTarget } from "@strongroom/contract";
import type { DiscoveryTarget, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { anAccount } from "#testing/accounts.ts";
import { SSH, aDiscoveryWorld, byId } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

type Query = NonNullable<InputOf<typeof listDiscoveryTargets>["query"]>;

let world: DiscoveryWorld;
let beta: DiscoveryTarget;
const HOURLY = { cron: "0 * * * *", timezone: "UTC", jitterMinutes: 0, window: null };

before(async () => {
  world = await aDiscoveryWorld();
  const { app, owner, linuxTarget, aTarget, anyCredential } = world;
  const other = await aSafe(app, owner, { name: "Zebra" });
  const [account, elsewhere] = [await anyCredential(), await anAccount(app, owner, other, SSH)];
  const at = (host: string) => ({ host, port: 22 });
  const alpha = await aTarget(linuxTarget(account, at("c.example.com"), { name: "alpha", schedule: HOURLY }));
  beta = await aTarget(linuxTarget(account, at("b.example.com"), { name: "Beta", description: "100% of the shop" }));
  const gamma = await aTarget(linuxTarget(elsewhere, at("a.example.com"), { name: "gamma", safeId: other.id }));
  const database = { targetType: "database", connectionMethod: "database" } as const;
  const login = await anAccount(app, owner, world.safe, {
    system_type: "mysql",
    connection_method: "SQL",
    database_name: "shop",
  });
  await aTarget({ ...linuxTarget(login, at("d.example.com"), { name: "delta" }), ...database });
  await app.database.pool.query(
    `insert into discovery_scans (id, target_id, status, include_system_accounts, timeout_ms, max_accounts,
       requested_by, created_at)
     select gen_random_uuid(), target, status, false, 30000, 1000, 'a test', now() - age from (values
       ($1::uuid, 'failed', interval '2 hours'), ($1, 'completed', interval '1 hour'),
       ($2, 'failed', interval '3 hours')) scan (target, status, age)`,
    [alpha.id, gamma.id],
  );
});
after(() => world.app.close());

async function names(query: Query): Promise<string[]> {
  const reply = await world.app.call(listDiscoveryTargets, { query, as: world.owner.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.map(({ name }) => name);
}

/** In pages of one target, through the cursors. */
async function paged(query: Query): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = { ...query, limit: "1", ...(cursor === undefined ? {} : { cursor }) };
    const { body } = await world.app.call(listDiscoveryTargets, { query: page, as: world.owner.token });
    found.push(...body.data.map(({ name }) => name));
    cursor = body.next_cursor;
  }
  return found;
}

const ORDERS: readonly [NonNullable<Query["sort"]> | undefined, string[]][] = [
  [undefined, ["alpha", "Beta", "delta", "gamma"]],
  ["-name", ["gamma", "delta", "Beta", "alpha"]],
  ["host", ["gamma", "Beta", "alpha", "delta"]],
  ["-host", ["delta", "alpha", "Beta", "gamma"]],
  ["-basic", ["alpha", "gamma"]],
  ["next", ["alpha"]],
];

for (const [sort, first] of ORDERS) {
  test(`DISC-10: targets are sorted by ${sort ?? "name"}, and pages continue that order`, async () => {
    const query = sort === undefined ? {} : { sort };
    const all = await names(query);
    assert.deepEqual(all.slice(0, first.length), first);
    assert.equal(all.length, 4);
    assert.deepEqual(await paged(query), all);
  });
}

for (const sort of ["type", "-type", "safe", "-safe", "basic", "enhanced", "-enhanced", "-next"] as const) {
  test(`pages of targets sorted by ${sort} have each target once`, async () => {
    assert.deepEqual(await paged({ sort }), await names({ sort }));
    assert.equal(new Set(await paged({ sort })).size, 4);
  });
}

test("targets that were never scanned come before all others", async () => {
  assert.deepEqual((await names({ sort: "basic" })).slice(-2), ["gamma", "alpha"]);
});

const FILTERS: readonly [Query, string[]][] = [
  [{ search: "EXAMPLE beta" }, ["Beta"]],
  [{ search: "zebra" }, ["gamma"]],
  [{ search: "100% of" }, ["Beta"]],
  [{ search: "_" }, []],
  [{ search: "" }, ["alpha", "Beta", "delta", "gamma"]],
  [{ type: "database" }, ["delta"]],
  [{ last_scan: "never" }, ["Beta", "delta"]],
  [{ last_scan: "failed" }, ["gamma"]],
  [{ last_scan: "completed", type: "linux" }, ["alpha"]],
  [{ last_scan: "running" }, []],
];

for (const [query, expected] of FILTERS) {
  test(`the filter ${JSON.stringify(query)} finds ${expected.join(", ") || "nothing"}`, async () => {
    assert.deepEqual(await names(query), expected);
  });
}

test("the last enhanced scan counts, too", async () => {
  const insert = (status: string, age: string) =>
    world.app.database.pool.query(
      `insert into scans (id, target_id, scan_type, status, config, frameworks, auto_vault, requester_id, requested_by,
         created_at)
       values (gen_random_uuid(), $1, 'enhanced', $2, '{}', '{}', false, gen_random_uuid(), 'a test',
         now() - $3::interval)`,
      [beta.id, status, age],
    );
  await insert("failed", "1 hour");
  assert.deepEqual(await names({ last_scan: "failed" }), ["Beta", "gamma"]);
  assert.deepEqual(await names({ last_scan: "never" }), ["delta"]);
  assert.equal((await names({ sort: "-enhanced" }))[0], "Beta");
  await insert("completed", "1 minute");
  assert.deepEqual(await names({ last_scan: "failed" }), ["gamma"]);
});

for (const query of [
  { sort: "port" },
  { sort: "--name" },
  { type: "mainframe" },
  { last_scan: "ok" },
  { search: "x".repeat(101) },
]) {
  test(`rejects ${JSON.stringify(query).slice(0, 40)}`, async () => {
    const reply = await world.app.call(listDiscoveryTargets, { query: query as never, as: world.owner.token });
    assert.equal(reply.status, 400, reply.text);
  });
}

test("rejects a cursor of another order", async () => {
  const { app, owner } = world;
  const { body } = await app.call(listDiscoveryTargets, { query: { limit: "1" }, as: owner.token });
  const query = { sort: "basic", cursor: body.next_cursor! } as const;
  assert.equal((await app.call(listDiscoveryTargets, { query, as: owner.token })).status, 400);
});

test("every page says how many targets match the search and the filters", async () => {
  const { app, owner } = world;
  const totalOf = async (query: Query) => (await app.call(listDiscoveryTargets, { query, as: owner.token })).body.total;
  assert.deepEqual([await totalOf({}), await totalOf({ type: "linux", search: "a" })], [4, 3]);
  const { body } = await app.call(listDiscoveryTargets, { query: { limit: "1" }, as: owner.token });
  assert.deepEqual([body.total, await totalOf({ limit: "1", cursor: body.next_cursor! })], [4, 4]);
  const outsider = await aPerson(app, "manager");
  assert.equal((await app.call(listDiscoveryTargets, { as: outsider.token })).body.total, 0);
});

test("a search finds no targets of other safes", async () => {
  const outsider = await aPerson(world.app, "manager");
  const reply = await world.app.call(listDiscoveryTargets, { query: { search: "alpha" }, as: outsider.token });
  assert.deepEqual(reply.body.data, []);
});

test("a disabled target has no next scan in the order", async () => {
  const { app, owner } = world;
  const [alpha] = (await app.call(listDiscoveryTargets, { query: { search: "alpha" }, as: owner.token })).body.data;
  const body = {
    name: alpha!.name,
    description: alpha!.description,
    targetType: alpha!.target_type,
    connectionMethod: alpha!.connection_method,
    hostname: alpha!.hostname,
    credentialId: alpha!.credential_id,
    settings: alpha!.settings,
    schedule: alpha!.schedule,
    isActive: false,
  };
  assert.equal((await app.call(updateDiscoveryTarget, { ...byId(alpha!), body, as: owner.token })).status, 200);
  assert.deepEqual(await names({ active: "false" }), ["alpha"]);
  const { data } = (await app.call(listDiscoveryTargets, { query: { sort: "next" }, as: owner.token })).body;
  assert.deepEqual(
    data.map(({ next_scan_at }) => next_scan_at),
    [null, null, null, null],
  );
});
