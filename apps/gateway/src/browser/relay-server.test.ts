// A gateway on another machine: browsers reach it through the server and the relay, and nothing else does.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect as connectTls, createServer } from "node:tls";
import { freePort, needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { startPrivilegedSession } from "@strongroom/contract";
import { RELAY_TLS, relayKey } from "@strongroom/server/features/sessions/index.ts";
import { newId } from "@strongroom/server/kernel/id.ts";
import { openBrowserAt } from "../../testing/browser.ts";
import { SIZE } from "../../testing/browser-gateway.ts";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";

describe("a gateway with another data folder", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let relayPort: number;
  let dataFolder: string;
  before(async () => {
    relayPort = await freePort();
    dataFolder = mkdtempSync(join(tmpdir(), "strongroom-elsewhere-"));
    world = await startGatewayWorld({ dataFolder, relayPort, sshPort: 0 });
    await world.app.http.listen({ port: 0, host: "127.0.0.1" });
  });
  after(async () => {
    await world.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  const start = () =>
    world.app.call(startPrivilegedSession, { params: { id: world.accountId }, as: world.owner.token });
  const connectTo = (path: string) => {
    const { port } = world.app.http.server.address() as AddressInfo;
    return openBrowserAt(`ws://127.0.0.1:${port}${path}`, { authorization: `Bearer ${world.owner.token}` });
  };

  test("serves a browser of the server, and its ticket works once", async () => {
    const { body: started } = await start();
    const browser = await connectTo(started.connect_path);
    browser.send({ t: "ticket", ticket: started.ticket, ...SIZE });
    await browser.told("ready");
    browser.type("echo relayed-$((40+2))\n");
    await browser.sees(/relayed-42/);
    const again = await connectTo(started.connect_path);
    again.send({ t: "ticket", ticket: started.ticket, ...SIZE });
    await again.told("end");
    await again.gone;
    browser.type("exit\n");
    await browser.told("end");
    const [entry] = (await world.audited(started.session_id)).filter(({ event }) =>
      event.endsWith("privileged-session.started"),
    );
    assert.match(entry?.text ?? "", /"source_address":"127\.0\.0\.1"/);
  });

  /** The reply to a request of a client with this key and identity; null when the handshake fails. */
  async function answerTo(psk: Buffer, identity: string): Promise<string | null> {
    const socket = connectTls({
      ...RELAY_TLS,
      host: "127.0.0.1",
      port: relayPort,
      checkServerIdentity: () => undefined,
      pskCallback: () => ({ psk, identity }),
    });
    try {
      await once(socket, "secureConnect");
    } catch {
      return null;
    }
    socket.end("GET /api/v1/sessions HTTP/1.1\r\nhost: gateway\r\n\r\n");
    const [data] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return data.toString();
  }

  test("rejects clients that lack the relay's key", async () => {
    const { id } = world.gatewayApp;
    const key = await relayKey(world.app.kernel, id);
    assert.match((await answerTo(key, id)) ?? "", /^HTTP\/1\.1 426/);
    assert.equal(await answerTo(randomBytes(32), id), null);
    assert.equal(await answerTo(key, newId()), null);
    assert.equal(await answerTo(await relayKey(world.app.kernel, newId()), id), null);
  });

  test("says nothing to a client without TLS", async () => {
    const socket = connect(relayPort, "127.0.0.1");
    socket.on("error", () => {});
    let received = "";
    socket.on("data", (data) => (received += data.toString("latin1")));
    socket.write("GET /api/v1/sessions HTTP/1.1\r\nhost: gateway\r\n\r\n");
    await once(socket, "close");
    assert.doesNotMatch(received, /HTTP/);
  });

  test("still answers after many connections that never prove the key", async () => {
    const silent = Array.from({ length: 150 }, () => connect(relayPort, "127.0.0.1"));
    for (const socket of silent) {
      socket.on("error", () => {});
      socket.resume();
    }
    await Promise.all(silent.map((socket) => once(socket, "close")));
    const { id } = world.gatewayApp;
    assert.match((await answerTo(await relayKey(world.app.kernel, id), id)) ?? "", /^HTTP\/1\.1 426/);
    const leaving = Array.from({ length: 150 }, () => connect(relayPort, "127.0.0.1"));
    for (const socket of leaving) {
      socket.on("error", () => {});
      socket.once("connect", () => socket.destroy());
    }
    await Promise.all(leaving.map((socket) => once(socket, "close")));
    assert.match((await answerTo(await relayKey(world.app.kernel, id), id)) ?? "", /^HTTP\/1\.1 426/);
  });

  test("without a relay, a browser is refused with the reason and its remedy", async () => {
    const { pool } = world.app.database;
    await pool.query("update gateways set relay_address = null");
    try {
      const reply = await start();
      assert.equal(reply.status, 503);
      assert.match(reply.text, /is on another machine, and browsers cannot reach it.*STRONGROOM_RELAY_PORT/);
    } finally {
      await pool.query("update gateways set relay_address = $1", [`127.0.0.1:${relayPort}`]);
    }
  });

  test("sends nothing to a process that takes the place of its relay", async () => {
    const received: Buffer[] = [];
    const other = createServer({ ...RELAY_TLS, pskCallback: () => randomBytes(32) }, (socket) => {
      socket.on("data", (data) => received.push(data));
    });
    other.on("tlsClientError", () => {});
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { pool } = world.app.database;
    await pool.query("update gateways set relay_address = $1", [`127.0.0.1:${(other.address() as AddressInfo).port}`]);
    try {
      const { body: started } = await start();
      await assert.rejects(connectTo(started.connect_path), /503/);
      assert.deepEqual(received, []);
    } finally {
      await pool.query("update gateways set relay_address = $1", [`127.0.0.1:${relayPort}`]);
      other.close();
    }
  });
});
