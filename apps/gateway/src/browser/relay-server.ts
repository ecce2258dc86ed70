// Accepts terminals of browsers from servers on other machines, over TLS with the key of this gateway's relay.
import { createServer as createTcpServer } from "node:net";
import type { Server } from "node:net";
import { createServer } from "node:tls";
import type { TLSSocket } from "node:tls";
import { RELAY_TLS } from "@strongroom/server/features/sessions/index.ts";
import type { Log } from "@strongroom/server/kernel/log.ts";

const HANDSHAKE_WITHIN_MS = 5000;
/** Connections that have not proved the key yet. */
const MOST_UNPROVEN = 100;

export interface RelayOptions {
  /** The id of the gateway, which servers name in the handshake. */
  id: string;
  key: Buffer;
  host: string;
  port: number;
  /** Receives each connection that proved the key. */
  accept: (socket: TLSSocket) => void;
  log: Log;
}

/** INVARIANT: only a process that has the key reaches the gateway's HTTP server. Resolves when it listens. */
export async function startRelayServer({ id, key, host, port, accept, log }: RelayOptions) {
  const proven = new Set<TLSSocket>();
  let unproven = 0;
  const handshakes = createServer({
    ...RELAY_TLS,
    handshakeTimeout: HANDSHAKE_WITHIN_MS,
    pskCallback: (_, identity) => (identity === id ? key : null),
  });
  handshakes.on("tlsClientError", (error, socket) => {
    unproven -= 1;
    log.debug({ err: error }, "a connection to the relay did not prove the key");
    socket.destroy();
  });
  handshakes.on("secureConnection", (socket) => {
    unproven -= 1;
    proven.add(socket);
    socket.once("close", () => proven.delete(socket));
    socket.on("error", (error) => log.debug({ err: error }, "a connection of the relay failed"));
    socket.setNoDelay();
    accept(socket);
  });
  // Each handshake ends with one of the two events above.
  const server = createTcpServer((socket) => {
    if (unproven >= MOST_UNPROVEN) return void socket.destroy();
    unproven += 1;
    handshakes.emit("connection", socket);
  });
  await listen(server, host, port);
  return {
    async stop() {
      for (const socket of proven) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}
