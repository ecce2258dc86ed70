// HTTP over connections that are opened here and not by the client (undici).
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { callbackify } from "node:util";
import { Agent } from "undici";
import type { Attempt } from "./attempt.ts";
import type { Failure } from "./connector.ts";
import { dial } from "./dial.ts";
import { startTls } from "./start-tls.ts";
import type { TlsSettings } from "./tls-settings.ts";

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

/** The request got no response. */
export class NoAnswer extends Error {
  failure: Failure;
  constructor(failure: Failure) {
    super("no answer");
    this.failure = failure;
  }
}

/**
 * Opens connections over TLS to addresses allowed by the network policy, at most 8 to each server, and uses them again.
 * Requests reject with `NoAnswer` without a connection. The caller limits the bytes that it reads.
 */
export function agentOf(attempt: Attempt, tls: TlsSettings): Agent {
  const connect = callbackify(async ({ hostname, port }: { hostname: string; port: string }) => {
    const endpoint = { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) || 443 };
    const dialled = await dial(endpoint, attempt, Infinity);
    if ("failure" in dialled) throw new NoAnswer(dialled.failure);
    const secured = await startTls(dialled.stream, tls, endpoint, ["http/1.1"]);
    if ("failure" in secured) throw new NoAnswer(secured.failure);
    return socketOf(secured.stream);
  });
  return new Agent({
    connections: 8,
    connect: (server, done) =>
      connect(server, (error, socket) => (error === null ? done(null, socket) : done(error, null))),
  });
}
