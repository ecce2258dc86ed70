// Tests of the orders of the list of enhanced scans: what comes first, pages, and indexes.
import { SCAN_SORT_FIELDS, listEnhancedScans } from "@strongroom/contract";
import type { InputOf, ScanSort } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fewVisibleTargets } from "#features/discovery/index.ts";
import { aDiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { actorOf, fillScans, insertScan, planOf } from "#features/discovery/testing/many-scans.ts";
import { aPerson } from "#testing/people.ts";
import { orderOf } from "./scan-order.ts";
import { scansQuery } from "./scans.store.ts";

type Query = NonNullable<InputOf<typeof listEnhancedScans>["query"]>;

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
    await insertScan(world, "scans", scan);
});
after(() => world.app.close());

async function scansIn(query: Query) {
  const reply = await world.app.call(listEnhancedScans, { query, as: world.owner.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** The seconds that each scan took, which differ. */
const seconds = ({ data }: Awaited<ReturnType<typeof scansIn>>) => data.map(({ duration_seconds }) => duration_seconds);

const ORDERS: [ScanSort | undefined, number[]][] = [
  [undefined, [10, 2, 90, 1000]],
  ["started", [1000, 90, 2, 10]],
  ["-started", [10, 2, 90, 1000]],
  ["duration", [2, 10, 90, 1000]],
  ["-duration", [1000, 90, 10, 2]],
  ["findings", [2, 90, 1000, 10]],
  ["-findings", [10, 1000, 90, 2]],
];
for (const [sort, expected] of ORDERS) {
  test(`sorts enhanced scans by ${sort ?? "the time of the request"}`, async () => {
    assert.deepEqual(seconds(await scansIn({ sort })), expected);
    const pages = [await scansIn({ sort, limit: "3" }), await scansIn({ sort, limit: "3", offset: "3" })];
    assert.deepEqual(pages.flatMap(seconds), expected);
    assert.equal(pages[1]!.total, 4);
  });
}

test("sorts enhanced scans by the name of the target and by status", async () => {
  const names = (await scansIn({ sort: "-target" })).data.map(({ target: { name } }) => name);
  assert.deepEqual(names, ["Beta", "Beta", "alpha", "alpha"]);
  const statuses = (await scansIn({ sort: "status" })).data.map(({ status }) => status);
  assert.deepEqual(statuses, ["cancelled", "completed", "completed", "failed"]);
});

test("rejects an unknown order", async () => {
  for (const sort of ["risk", "--target", ""]) {
    const reply = await world.app.call(listEnhancedScans, { query: { sort: sort as never }, as: world.owner.token });
    assert.equal(reply.status, 400, reply.text);
  }
});

test("sorting shows no enhanced scans of other safes", async () => {
  const outsider = await aPerson(world.app, "manager");
  for (const sort of SCAN_SORT_FIELDS) {
    const reply = await world.app.call(listEnhancedScans, { query: { sort }, as: outsider.token });
    assert.deepEqual([reply.body.data, reply.body.total], [[], 0]);
  }
});

test("with 100,000 enhanced scans, a page in each order is read from an index", { timeout: 300_000 }, async () => {
  const many = await aDiscoveryWorld();
  try {
    const { app, owner, aTarget, linuxTarget, anyCredential } = many;
    await aTarget(linuxTarget(await anyCredential(), { host: "scanned.invalid", port: 22 }));
    await fillScans(many, "scans");
    const { db } = app.database;
    const outsider = await aPerson(app, "manager");
    for (const person of [owner, outsider]) {
      const targets = await fewVisibleTargets(db, actorOf(person));
      for (const sort of [undefined, ...SCAN_SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const)]) {
        const page = { order: orderOf(sort), limit: 50, offset: 0 };
        const plan = await planOf(db, scansQuery(actorOf(person), targets, page));
        assert.doesNotMatch(plan, /Seq Scan on scans/, `${sort ?? "default"}\n${plan}`);
      }
    }
  } finally {
    await many.app.close();
  }
});
