// Watchers lose a live session together with the right to watch it.
import { removeSafeMember } from "@strongroom/contract";
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { aPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aGateway, anSshAccount, sessionsOf } from "./testing/opening.ts";
import type { TestGateway } from "./testing/opening.ts";

describe("a watcher", () => {
  let app: TestApp;
  let gateway: TestGateway;
  before(async () => {
    app = await testApp();
    gateway = await aGateway(app);
    await app.http.listen({ port: 0, host: "127.0.0.1" });
  });
  after(async () => {
    gateway.server.close();
    await app.close();
  });

  /** An auditor whose WebSocket the gateway has answered. */
  async function aWatcher() {
    const setup = await anSshAccount(app);
    const auditor = await aPerson(app);
    const member = await aMember(app, setup.owner, setup.safe, auditor, "auditor");
    const id = await sessionsOf(app, gateway).open(setup.user, setup.account);
    const arrived = once(gateway.server, "connection") as Promise<[Socket]>;
    const socket = connect((app.http.server.address() as AddressInfo).port, "127.0.0.1");
    const lines = [
      `GET /api/v1/sessions/${id}/watch HTTP/1.1`,
      "host: 127.0.0.1",
      "connection: Upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
      `authorization: Bearer ${auditor.token}`,
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const [atGateway] = await arrived;
    atGateway.resume();
    atGateway.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1.1 101 /);
    socket.resume();
    return { ...setup, auditor, member, socket, atGateway };
  }

  const closes = (socket: Socket) => once(socket, "close", { signal: AbortSignal.timeout(5000) });

  test("is disconnected when their membership in the safe is removed", async () => {
    const { owner, safe, member, socket, atGateway } = await aWatcher();
    const gone = Promise.all([closes(socket), closes(atGateway)]);
    const params = { id: safe.id, member_id: member.id };
    const reply = await app.call(removeSafeMember, { params, as: owner.token });
    assert.equal(reply.status, 200, reply.text);
    await gone;
  });

  test("is disconnected when they are disabled", async () => {
    const { auditor, socket } = await aWatcher();
    const gone = closes(socket);
    await app.database.pool.query("update users set status = 'disabled' where id = $1", [auditor.id]);
    await gone;
  });

  test("stays connected as long as they may watch", async () => {
    const { socket, atGateway } = await aWatcher();
    // Longer than two checks take.
    await assert.rejects(once(socket, "close", { signal: AbortSignal.timeout(2500) }), { name: "AbortError" });
    socket.destroy();
    await closes(atGateway);
  });
});
