// Tests of the limit of scans that run concurrently in one network.
import { cancelDiscoveryScan, readDiscoveryScan } from "@strongroom/contract";
import type { DiscoveryScan } from "@strongroom/contract";
import { startHostile } from "@strongroom/connectors/testing";
import type { HostileServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "#testing/waiting.ts";
import { aDiscoveryWorld, byId } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

let world: DiscoveryWorld;
/** Never answers a login, so that scans of it run until they are cancelled. */
let hostile: HostileServer;
before(async () => {
  [world, hostile] = await Promise.all([
    aDiscoveryWorld({ discoveryScansPerNetwork: 1 }),
    startHostile("black-hole", "0.0.0.0"),
  ]);
});
after(async () => {
  await world?.app.close();
  await hostile?.stop();
});

test("a scan waits while its network has as many scans as allowed, and scans of other networks run", async () => {
  const { app, owner, linuxTarget, aTarget, scan, anyCredential } = world;
  const started = async (host: string): Promise<DiscoveryScan> => {
    const target = await aTarget(linuxTarget(await anyCredential(), { host, port: hostile.port }));
    const { body, status, text } = await scan(target, { timeout: 300_000 });
    assert.equal(status, 202, text);
    return body;
  };
  const statusOf = async (of: DiscoveryScan) =>
    (await app.call(readDiscoveryScan, { ...byId(of), as: owner.token })).body.status;
  const runs = (of: DiscoveryScan) => eventually(async () => ((await statusOf(of)) === "running" ? true : null));
  const cancel = (of: DiscoveryScan) => app.call(cancelDiscoveryScan, { ...byId(of), as: owner.token });

  const first = await started("127.1.1.1");
  await runs(first);
  const neighbour = await started("127.1.1.2");
  const elsewhere = await started("127.1.2.1");
  await runs(elsewhere);
  assert.equal(await statusOf(neighbour), "pending");
  assert.equal((await cancel(first)).status, 200);
  await runs(neighbour);
  for (const each of [neighbour, elsewhere]) assert.equal((await cancel(each)).status, 200);
});
