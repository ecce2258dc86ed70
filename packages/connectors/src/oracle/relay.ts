// The driver insists on opening its own connection, so it gets a port on this machine that leads to the one allowed
// connection.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Packet types of Oracle's network protocol. A server cannot redirect the client after `accept`. */
const [ACCEPT, REDIRECT] = [2, 5];
const HEADER_BYTES = 8;

export interface Relay {
  port: number;
  /** The server tried to send the driver to a different address. */
  wasRedirected(): boolean;
  close(): void;
}

/**
 * Accepts one connection and ends with it: another process on this machine that came first would get an
 * unauthenticated connection, and the driver none. INVARIANT: a redirection never reaches the driver, which would
 * connect to whatever address the server names.
 */
export async function relayTo(upstream: Duplex): Promise<Relay> {
  let isRedirected = false;
  let socket: Socket | null = null;
  const server = createServer((accepted) => {
    server.close();
    socket = accepted;
    socket.on("error", () => upstream.destroy());
    socket.on("close", () => upstream.destroy());
    socket.pipe(upstream);
    const watch = watchForRedirect();
    upstream.on("data", (chunk: Buffer) => {
      isRedirected ||= watch(chunk);
      if (isRedirected) upstream.destroy();
      else if (!accepted.write(chunk)) upstream.pause();
    });
    accepted.on("drain", () => upstream.resume());
  });
  const close = () => {
    server.close();
    socket?.destroy();
    upstream.destroy();
  };
  upstream.on("error", () => {});
  upstream.on("close", close);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, wasRedirected: () => isRedirected, close };
}

/**
 * The returned function takes the server's output and returns true once the server redirects. Until the connection is
 * accepted, each packet begins with its length in two bytes; later output is ignored.
 */
export function watchForRedirect(): (chunk: Buffer) => boolean {
  let buffered = Buffer.alloc(0);
  let isAccepted = false;
  return (chunk) => {
    if (isAccepted) return false;
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= HEADER_BYTES && !isAccepted) {
      const length = buffered.readUInt16BE(0);
      if (buffered[4] === REDIRECT) return true;
      if (buffered[4] === ACCEPT) isAccepted = true;
      // Shorter than its own header is not a packet: the driver detects that itself.
      if (length < HEADER_BYTES) isAccepted = true;
      if (buffered.length < length) return false;
      buffered = buffered.subarray(length);
    }
    return false;
  };
}
