// Servers on loopback that accept connections and then misbehave as real ones do.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

const CHUNK = randomBytes(64 * 1024);
const LETTERS = Buffer.alloc(64 * 1024, "A");
const DRIP_MS = 20;

/** The reaction to each connection. */
export const MISBEHAVIOURS = {
  /** Accepts and stays silent. */
  "black-hole": () => {},
  /** Accepts and closes. */
  closes: (socket: Socket) => socket.end(),
  /** Accepts and resets the connection. */
  resets: (socket: Socket) => socket.resetAndDestroy(),
  /** Random bytes forever. */
  garbage: (socket: Socket) => flood(socket, CHUNK),
  /** One line that never ends. */
  "endless-line": (socket: Socket) => flood(socket, LETTERS),
  /** Echoes everything. */
  echo: (socket: Socket) => socket.pipe(socket),
  /** Sends a byte now and then, so that no idle timeout ever fires. */
  drip: (socket: Socket) => {
    const timer = setInterval(() => socket.write("S"), DRIP_MS);
    socket.once("close", () => clearInterval(timer));
  },
} satisfies Record<string, (socket: Socket) => unknown>;

export type Misbehaviour = keyof typeof MISBEHAVIOURS;

export interface HostileServer {
  host: string;
  port: number;
  /** Connections accepted so far. */
  connections(): number;
  /** Everything received so far, over all connections. */
  received(): Buffer;
  /** Bytes that the peer's operating system has received so far. */
  sent(): number;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** `address` is where it listens; on `0.0.0.0` every loopback address looks like a different machine to a client. */
export function startHostile(misbehaviour: Misbehaviour, address?: string): Promise<HostileServer> {
  return startTcp(MISBEHAVIOURS[misbehaviour], address);
}

/**
 * A server that calls `behave` with each connection; bytes that `behave` does not read itself are kept for `received`.
 */
export async function startTcp(behave: (socket: Socket) => unknown, address = "127.0.0.1"): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const chunks: Buffer[] = [];
  let accepted = 0;
  let sent = 0;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      sent += socket.bytesWritten;
    });
    behave(socket);
  }).listen(0, address);
  await once(server, "listening");
  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    connections: () => accepted,
    received: () => Buffer.concat(chunks),
    sent: () => [...sockets].reduce((total, socket) => total + socket.bytesWritten - socket.writableLength, sent),
    idle: async () => {
      // Not `once` of node:events: it rejects when the peer resets the connection, which is a normal way to close.
      await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function flood(socket: Socket, chunk: Buffer): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", pour);
  pour();
}
