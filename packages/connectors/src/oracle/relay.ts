// The driver insists on connecting by itself: it is pointed at a port of this machine, which leads to the one connection that was allowed.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Packet types of Oracle's network protocol: from `accept` on there are no redirections. */
const [ACCEPT, REDIRECT] = [2, 5];
const HEADER_BYTES = 8;

export interface Relay {
  port: number;
  /** The server tried to send the driver to another address. */
  wasRedirected(): boolean;
  close(): void;
}

/**
 * Lets one connection in, and ends with it: whoever else on this machine came first would get a connection without a log-in,
 * and the driver none. INVARIANT: a redirection never reaches the driver, which would connect to
 * whatever address the server names.
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

/** True once a redirection begins. Packets carry their length in their first two bytes until the connection is accepted. */
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
      // What is shorter than its own head is no packet: the driver finds that out by itself.
      if (length < HEADER_BYTES) isAccepted = true;
      if (buffered.length < length) return false;
      buffered = buffered.subarray(length);
    }
    return false;
  };
}
