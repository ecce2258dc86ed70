// Kills the server in the middle of a scan of an address range: the next process continues where it was.
import {
  allowDiscoveryNetwork,
  createSafe,
  listRangeScanHosts,
  readRangeScan,
  startRangeScan,
} from "@strongroom/contract";
import type { RangeScan } from "@strongroom/contract";
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "./testing/becomes.ts";
import { restartKilled } from "./testing/kill-at-write.ts";
import { aUser, ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const RANGE = "127.93.0.0/22";
const RATE = 200;
/** The most addresses that may be probed twice: those of two seconds, and the open connections. */
const REPEATED = 2 * RATE + 256;

describe("a range scan whose server is killed", () => {
  let server: RunningServer;
  let listener: Server;
  let port: number;
  /** The number of connections to each address. */
  const connections = new Map<string, number>();
  before(async () => {
    listener = createServer((socket) => {
      const address = socket.localAddress ?? "";
      connections.set(address, (connections.get(address) ?? 0) + 1);
      socket.on("error", () => {});
      socket.end("220 a listener\r\n");
    }).listen(0, "0.0.0.0");
    await once(listener, "listening");
    ({ port } = listener.address() as { port: number });
    server = await startServer();
  });
  after(async () => {
    await server?.close();
    listener?.close();
  });

  test("finds every host, and probes most addresses only once", async () => {
    const admin = await firstAdmin(server);
    await ask(server.url, allowDiscoveryNetwork, { body: { network: RANGE } }, await tokenOf(server, admin));
    const token = await tokenOf(server, await aUser(server, "mona@example.com"));
    const safe = await ask(server.url, createSafe, { body: { name: "Networks" } }, token);
    const body = { name: "A range", safeId: safe.id, ranges: [RANGE], ports: [port], rate: RATE };
    const { id } = await ask(server.url, startRangeScan, { body }, token);
    const read = () => ask(server.url, readRangeScan, { params: { id } }, token);
    const scanWhen = (isReached: (scan: RangeScan) => boolean): Promise<RangeScan> =>
      until("the scan", async () => {
        const scan = await read();
        assert.notEqual(scan.status, "failed", scan.error_message ?? "");
        return isReached(scan) ? scan : null;
      });
    const before = await scanWhen(({ addresses_scanned: scanned }) => scanned > 200 && scanned < 900);
    await server.kill();
    server = await restartKilled(server);
    const done = await scanWhen(({ status }) => status === "completed");
    assert.deepEqual([done.addresses_scanned, done.hosts_found], [1024, 1024]);
    const { data } = await ask(server.url, listRangeScanHosts, { params: { id }, query: { limit: "500" } }, token);
    assert.equal(data.length, 500);
    const twice = [...connections.values()].filter((count) => count > 1).length;
    assert.ok(twice <= REPEATED, `${twice} addresses were probed again`);
    assert.ok(before.addresses_scanned > 200 && connections.size === 1024);
  });
});
