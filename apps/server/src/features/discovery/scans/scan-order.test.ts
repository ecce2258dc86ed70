// Tests of the orders of the list of basic scans: what comes first, pages, and indexes.
import { DISCOVERY_SCAN_SORT_FIELDS, listDiscoveryScans } from "@strongroom/contract";
import type { DiscoveryScanSort, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import { aDiscoveryWorld } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";
import { actorOf, fillScans, insertScan, planOf } from "../testing/many-scans.ts";
import { fewVisibleTargets } from "../targets/targets.store.ts";
import { orderOf } from "./scan-order.ts";
import { scansQuery } from "./scans.store.ts";

type Query = NonNullable<InputOf<typeof listDiscoveryScans>["query"]>;

let world: DiscoveryWorld;
before(async () => {
  world = await aDiscoveryWorld();
  const { aTarget, linuxTarget, anyCredential } = world;
  const credential = await anyCredential();
  const targetNamed = async (name: string) =>
    (await aTarget(linuxTarget(credential, { host: "scanned.invalid", port: 22 }, { name }))).id;
  const [alpha, beta] = [await targetNamed("alpha"), await targetNamed("Beta")];
  for (const scan of [
    { target: alpha, status: "completed", age: 300, took: 90, found: 7 },
    { target: beta, status: "failed", age: 200, took: 2, found: 0 },
    { target: beta, status: "completed", age: 100, took: 10, found: 120 },
    { target: alpha, status: "cancelled", age: 400, took: 1000, found: 15 },
  ])
    await insertScan(world, "discovery_scans", scan);
});
after(() => world.app.close());

async function scansIn(query: Query) {
  const reply = await world.app.call(listDiscoveryScans, { query, as: world.owner.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** The seconds that each scan took, which differ. */
const seconds = (data: Awaited<ReturnType<typeof scansIn>>["data"]) =>
  data.map(({ metadata }) => (metadata?.scan_duration ?? 0) / 1000);

const ORDERS: [DiscoveryScanSort | undefined, number[]][] = [
  [undefined, [10, 2, 90, 1000]],
  ["started", [1000, 90, 2, 10]],
  ["-started", [10, 2, 90, 1000]],
  ["duration", [2, 10, 90, 1000]],
  ["-duration", [1000, 90, 10, 2]],
  ["accounts", [2, 90, 1000, 10]],
  ["-accounts", [10, 1000, 90, 2]],
];
for (const [sort, expected] of ORDERS) {
  test(`sorts scans by ${sort ?? "the time of the request"}`, async () => {
    assert.deepEqual(seconds((await scansIn({ sort })).data), expected);
  });
}

test("sorts scans by the name of the target and by status", async () => {
  const names = (await scansIn({ sort: "-target" })).data.map(({ discovery_targets: { name } }) => name);
  assert.deepEqual(names, ["Beta", "Beta", "alpha", "alpha"]);
  const statuses = (await scansIn({ sort: "status" })).data.map(({ status }) => status);
  assert.deepEqual(statuses, ["cancelled", "completed", "completed", "failed"]);
});

for (const field of DISCOVERY_SCAN_SORT_FIELDS) {
  test(`pages sorted by ${field} contain every scan once, in both directions`, async () => {
    for (const sort of [field, `-${field}`] as const) {
      const all = (await scansIn({ sort })).data.map(({ id }) => id);
      const paged: typeof all = [];
      let cursor: string | undefined;
      do {
        const page = await scansIn({ sort, limit: "1", cursor });
        paged.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      assert.deepEqual(paged, all, sort);
      assert.equal(new Set(all).size, 4);
    }
  });
}

test("a filter and an offset apply in every order", async () => {
  assert.deepEqual(seconds((await scansIn({ sort: "duration", status: "completed" })).data), [10, 90]);
  assert.deepEqual(seconds((await scansIn({ sort: "-duration", offset: "1", limit: "2" })).data), [90, 10]);
});

test("rejects an unknown order, and a cursor of an order of a different kind", async () => {
  const { app, owner } = world;
  const { next_cursor } = await scansIn({ sort: "duration", limit: "1" });
  for (const query of [{ sort: "host" as never }, { sort: "--target" as never }, { cursor: next_cursor! }]) {
    const reply = await app.call(listDiscoveryScans, { query, as: owner.token });
    assert.equal(reply.status, 400, reply.text);
  }
});

test("sorting shows no scans of other safes", async () => {
  const outsider = await aPerson(world.app, "manager");
  for (const sort of DISCOVERY_SCAN_SORT_FIELDS) {
    const reply = await world.app.call(listDiscoveryScans, { query: { sort }, as: outsider.token });
    assert.deepEqual(reply.body.data, []);
  }
});

test("with 100,000 scans, a page in each order is read from an index", { timeout: 300_000 }, async () => {
  const many = await aDiscoveryWorld();
  try {
    const { app, owner, aTarget, linuxTarget, anyCredential } = many;
    await aTarget(linuxTarget(await anyCredential(), { host: "scanned.invalid", port: 22 }));
    await fillScans(many, "discovery_scans");
    const { db } = app.database;
    const outsider = await aPerson(app, "manager");
    for (const person of [owner, outsider]) {
      const targets = await fewVisibleTargets(db, actorOf(person));
      for (const sort of [undefined, ...DISCOVERY_SCAN_SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const)]) {
        const page = { order: orderOf(sort), limit: 51, offset: 0 };
        const plan = await planOf(db, scansQuery(actorOf(person), { ...page, targets, status: null, after: null }));
        assert.doesNotMatch(plan, /Seq Scan on discovery_scans/, `${sort ?? "default"}\n${plan}`);
      }
    }
  } finally {
    await many.app.close();
  }
});
