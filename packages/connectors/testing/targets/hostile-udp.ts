// Misbehaving servers on loopback for protocols that use datagrams instead of TCP.
import { randomBytes } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Hostiles } from "../suite.ts";
import type { HostileServer } from "./hostile.ts";

/** The reaction to each datagram. */
const MISBEHAVIOURS = {
  "black-hole": () => {},
  garbage: (socket: Socket, from: RemoteInfo) => {
    for (let times = 0; times < 20; times += 1) socket.send(randomBytes(1_200), from.port, from.address);
  },
  echo: (socket: Socket, from: RemoteInfo, datagram: Buffer) => socket.send(datagram, from.port, from.address),
};

export const HOSTILE_UDP: Hostiles = {
  kinds: Object.keys(MISBEHAVIOURS) as (keyof typeof MISBEHAVIOURS)[],
  start: (kind) => startUdp(MISBEHAVIOURS[kind as keyof typeof MISBEHAVIOURS]),
};

/** A server that calls `behave` with each datagram. There are no connections: `connections` counts datagrams. */
export async function startUdp(
  behave: (socket: Socket, from: RemoteInfo, datagram: Buffer) => void,
): Promise<HostileServer> {
  const received: Buffer[] = [];
  const socket = createSocket("udp4");
  socket.on("error", () => {});
  socket.on("message", (datagram, from) => {
    received.push(datagram);
    behave(socket, from, datagram);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    host: "127.0.0.1",
    port: socket.address().port,
    connections: () => received.length,
    received: () => Buffer.concat(received),
    sent: () => 0,
    idle: async () => {},
    stop: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}
