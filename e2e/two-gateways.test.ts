// Two gateways as separate processes on one database: draining, terminating, and zones.
import {
  drainGateway,
  listGateways,
  readPrivilegedSession,
  startPrivilegedSession,
  terminatePrivilegedSession,
  updateSafe,
} from "@strongroom/contract";
import type { AccountId, SafeId } from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { anAccountOn, startGateway } from "./testing/gateway.ts";
import { ask, firstAdmin, send, tokenOf } from "./testing/people.ts";
import { openTerminal } from "./testing/recording-loss/terminal.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const ENDS_WITHIN_MS = 5000;

describe("two gateways of one installation", needs(unixUsersAvailable()), () => {
  let server: RunningServer;
  let sshd: Sshd;
  let processes: ChildProcess[] = [];
  let token: string;
  let accountId: AccountId;
  let safeId: SafeId;

  before(async () => {
    sshd = await startSshd();
    server = await startServer({ STRONGROOM_LOG_LEVEL: "warn" });
    const env = { STRONGROOM_DATA: server.dataFolder, STRONGROOM_LOG_LEVEL: "warn" };
    processes = await Promise.all(
      ["north", "south"].map((zone) => startGateway({ ...env, STRONGROOM_GATEWAY_ZONE: zone })),
    );
    token = await tokenOf(server, await firstAdmin(server));
    ({ accountId, safeId } = await anAccountOn(sshd, server, token));
  });
  after(async () => {
    for (const gateway of processes) {
      gateway.kill("SIGTERM");
      await once(gateway, "exit");
    }
    await server?.close();
    await sshd?.stop();
  });

  const gatewayOf = async (zone: string) => {
    const { gateways } = await ask(server.url, listGateways, {}, token);
    return gateways.find((each) => each.zone === zone)!;
  };
  const drain = async (zone: string, is_draining: boolean) => {
    const { id } = await gatewayOf(zone);
    await ask(server.url, drainGateway, { params: { id }, body: { is_draining } }, token);
  };
  const live = async (zone: string, count: number) => {
    while ((await gatewayOf(zone)).live_sessions !== count) await delay(100);
  };
  async function open() {
    const started = await ask(server.url, startPrivilegedSession, { params: { id: accountId } }, token);
    const url = new URL(started.connect_path, server.url.replace(/^http/, "ws"));
    const terminal = await openTerminal(url, token, { t: "ticket", ticket: started.ticket });
    return { id: started.session_id, terminal };
  }
  const end = async ({ id, terminal }: Awaited<ReturnType<typeof open>>) => {
    const body = { reason: "The test is over" };
    await ask(server.url, terminatePrivilegedSession, { params: { id }, body }, token);
    await Promise.race([terminal.gone, delay(ENDS_WITHIN_MS).then(() => assert.fail("the terminal is still open"))]);
    // The gateway stores the end once the recording is closed.
    const read = () => ask(server.url, readPrivilegedSession, { params: { id } }, token);
    const until = performance.now() + ENDS_WITHIN_MS;
    while ((await read()).status === "active" && performance.now() < until) await delay(100);
    assert.equal((await read()).end_reason, "logout");
  };

  test("a draining gateway leaves new sessions to the other one and keeps its own", async () => {
    await drain("north", true);
    const first = await open();
    await live("south", 1);
    await drain("north", false);
    await drain("south", true);
    const second = await open();
    await live("north", 1);
    // The session of the draining gateway continues.
    first.terminal.type("echo still-$((40 + 2))\n");
    const until = performance.now() + ENDS_WITHIN_MS;
    const shown = () => Buffer.concat(first.terminal.received.map(({ bytes }) => bytes)).toString();
    while (!shown().includes("still-42")) {
      assert.ok(performance.now() < until, shown());
      await delay(50);
    }
    await drain("south", false);
    // Each on the gateway that has it.
    await Promise.all([end(first), end(second)]);
    await Promise.all([live("north", 0), live("south", 0)]);
  });

  test("a safe's zone chooses the gateway, and no other one takes its place", async () => {
    const body = { name: "Web servers", description: "", session_zone: "south" };
    await ask(server.url, updateSafe, { params: { id: safeId }, body }, token);
    const sessions = [await open(), await open()];
    await live("south", 2);
    assert.equal((await gatewayOf("north")).live_sessions, 0);
    await drain("south", true);
    const refused = await send(server.url, startPrivilegedSession, { params: { id: accountId } }, token);
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /No session gateway in the zone \\"south\\" is ready/);
    for (const session of sessions) await end(session);
  });
});
