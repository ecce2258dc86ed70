// Hostile SSH clients: before the login, a client gets little time, memory and connections.
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { createToken } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { gatewayHostKey } from "@strongroom/server/features/sessions/index.ts";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";
import { openssh, type Openssh } from "../../testing/openssh.ts";

/** The limit for one address; see docs/sessions.md. */
const OF_ADDRESS = 20;

describe("a hostile SSH client", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let client: Openssh;
  let token: string;

  before(async () => {
    world = await startGatewayWorld();
    client = openssh(world.sshPort, (await gatewayHostKey(world.app.kernel)).publicLine);
    const body = { name: "ssh", scopes: ["privileged-session.start" as const], expires_in_days: 1 };
    token = (await world.app.call(createToken, { body, as: world.owner.token })).body.token;
  });
  after(async () => {
    client.remove();
    await world.stop();
  });

  /** A connection that has received the server's identification, or was closed without it. */
  async function knock(): Promise<{ socket: Socket; isServed: boolean }> {
    const socket = connect({ port: world.sshPort, host: "127.0.0.1" });
    socket.on("error", () => {});
    const isServed = await Promise.race([
      new Promise<boolean>((resolve) => socket.once("data", () => resolve(true))),
      closed(socket).then(() => false),
    ]);
    socket.resume();
    return { socket, isServed };
  }

  async function hangUp(socket: Socket): Promise<void> {
    socket.destroy();
    await closed(socket);
  }

  /** Waits until the gateway has noticed that the connections were closed. */
  async function becomesFree(): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      const { socket, isServed } = await knock();
      await hangUp(socket);
      if (isServed) return;
    }
    throw new Error("the gateway serves no more connections");
  }

  async function servesOthers(): Promise<void> {
    const answers = { "API token": token };
    const { status, stderr } = await client.ssh(world.accountId, ["true"], { answers });
    assert.equal(status, 0, stderr);
  }

  test("gets at most 20 of 500 connections in the login phase and does not block other clients afterwards", async () => {
    const all = await Promise.all(Array.from({ length: 500 }, () => knock()));
    assert.equal(all.filter(({ isServed }) => isServed).length, OF_ADDRESS);
    await Promise.all(all.map(({ socket }) => hangUp(socket)));
    await becomesFree();
    await servesOthers();
  });

  test("is disconnected for garbage instead of an identification", async () => {
    const { socket } = await knock();
    socket.write(randomBytes(64 * 1024));
    await closed(socket);
    await servesOthers();
  });

  test("is disconnected for garbage after the identification", async () => {
    const { socket } = await knock();
    socket.write("SSH-2.0-Hostile\r\n");
    socket.write(Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff]), randomBytes(1000)]));
    await closed(socket);
    await servesOthers();
  });

  test("is disconnected for an identification line that never ends", async () => {
    const { socket } = await knock();
    let sent = 0;
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(4096, "x"))) sent += 4096;
    };
    socket.on("drain", more);
    more();
    await closed(socket);
    assert.ok(sent < 16 * 1024 * 1024, "the server stopped reading");
    await servesOthers();
  });
});

/** Resolves even when the connection ends with an error. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });
