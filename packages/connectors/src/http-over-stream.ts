// HTTP over an existing connection, so that the client does not open one (undici).
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { callbackify } from "node:util";
import { Agent } from "undici";

/**
 * The client counts references to its socket, which a plain stream does not have; it uses nothing else of
 * `net.Socket`. Report the connection only after the client has finished asking for it: otherwise it never sends the
 * request.
 */
export function agentOver(stream: Duplex): Agent {
  const socket = socketOf(stream);
  return new Agent({ connect: (_options, done) => process.nextTick(done, null, socket) });
}

const socketOf = (stream: Duplex) => Object.assign(stream, { ref: () => stream, unref: () => stream }) as Socket;

/** Opens connections itself, keeps at most 8 to each server, and uses them again. */
export function agentTo(open: (server: { host: string; port: number }) => Promise<Duplex>): Agent {
  const connect = callbackify(async ({ hostname, port }: { hostname: string; port: string }) =>
    socketOf(await open({ host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) || 443 })),
  );
  return new Agent({
    connections: 8,
    connect: (server, done) =>
      connect(server, (error, socket) => (error === null ? done(null, socket) : done(error, null))),
  });
}
