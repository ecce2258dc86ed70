// Listens for native SSH clients, and limits what unauthenticated ones can use.
import { createServer, type Server, type Socket } from "node:net";
import { plainAddress } from "@strongroom/server/kernel/http/client-address.ts";
import { KEY_EXCHANGES, sshKeyOf } from "@strongroom/connectors/ssh";
import type { GatewayHostKey, NativeAccess } from "@strongroom/server/features/sessions/index.ts";
import type { Log } from "@strongroom/server/kernel/log.ts";
import ssh2 from "ssh2";
import type { Gateway } from "#gateway/core/gateway.ts";
import type { FileAudit } from "#gateway/store/file-audit.ts";
import { serveConnection } from "./connection.ts";

export interface SshServerOptions {
  gateway: Gateway;
  access: NativeAccess;
  files: FileAudit;
  hostKey: GatewayHostKey;
  host: string;
  port: number;
  /** The web pages, for messages. */
  pages: string;
  log: Log;
}

export interface SshServer {
  stop(): Promise<void>;
}

/** The key exchange must be complete by then. */
const HANDSHAKE_WITHIN_MS = 15_000;
/** Like OpenSSH's LoginGraceTime: users answer prompts in this time. */
const LOGIN_WITHIN_MS = 120_000;
/** Unauthenticated connections, of all clients and of one address. */
const MOST_WAITING = 200;
const MOST_WAITING_OF_ADDRESS = 20;
/** All connections of one address; many users can share one behind a router. */
const MOST_OF_ADDRESS = 300;
/** An unauthenticated client needs a few kilobytes. */
const MOST_BYTES_BEFORE_LOGIN = 256 * 1024;
/** Replies and output that wait for a client that does not read. */
const MOST_UNSENT_BYTES = 16 * 1024 * 1024;

/**
 * Modern algorithms that OpenSSH 7.4 and later support. The client's order decides, and OpenSSH prefers
 * `chacha20-poly1305`, which needs more processor time than AES-GCM, so it is not offered.
 */
const ALGORITHMS: ssh2.Algorithms = {
  kex: KEY_EXCHANGES,
  cipher: ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes256-ctr"],
  hmac: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
  compress: ["none"],
};

/** Rejects when it cannot listen. */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { gateway, access, files, hostKey, pages, log } = options;
  const key = sshKeyOf(hostKey.privateKey);
  if (key === null) throw new Error("the host key has a kind that SSH does not support");
  /** By address and port, which identify a connection. */
  const all = new Map<string, Connected>();
  const counts = new ConnectionCounts();
  const ssh = new ssh2.Server({ hostKeys: [{ key }], algorithms: ALGORITHMS, ident: "Strongroom" });

  ssh.on("connection", (client, { ip, port, header }) => {
    client.on("error", (error) => log.debug({ err: error }, "the connection of an SSH client failed"));
    const connected = all.get(`${ip} ${port}`);
    if (connected === undefined) return client.end();
    client.once("handshake", () => clearTimeout(connected.handshake));
    serveConnection(client, {
      gateway,
      access,
      files,
      log,
      pages,
      address: connected.address,
      agent: agentOf(header.identRaw ?? ""),
      onAuthenticated() {
        counts.authenticated(connected);
        clearTimeout(connected.login);
      },
    });
  });

  const server = createServer({ noDelay: true }, (socket) => {
    const address = plainAddress(socket.remoteAddress ?? "");
    if (counts.isFull(address)) return void socket.destroy();
    const connected: Connected = {
      socket,
      address,
      isWaiting: true,
      handshake: setTimeout(() => socket.destroy(), HANDSHAKE_WITHIN_MS),
      login: setTimeout(() => socket.destroy(), LOGIN_WITHIN_MS),
    };
    const peer = `${socket.remoteAddress} ${socket.remotePort}`;
    all.set(peer, connected);
    counts.opened(connected);
    socket.once("close", () => {
      all.delete(peer);
      counts.closed(connected);
      clearTimeout(connected.handshake);
      clearTimeout(connected.login);
    });
    ssh.injectSocket(socket);
    socket.on("data", () => {
      const isFlood = connected.isWaiting && socket.bytesRead > MOST_BYTES_BEFORE_LOGIN;
      if (isFlood || socket.writableLength > MOST_UNSENT_BYTES) socket.destroy();
    });
  });
  await listen(server, options);
  return {
    async stop() {
      for (const { socket } of all.values()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Connected {
  socket: Socket;
  address: string;
  isWaiting: boolean;
  handshake: NodeJS.Timeout;
  login: NodeJS.Timeout;
}

/** Counts connections by address, so that a new one costs the same when there are thousands of others. */
class ConnectionCounts {
  readonly #ofAddress = new Map<string, { all: number; waiting: number }>();
  #waiting = 0;

  isFull(address: string): boolean {
    const { all, waiting } = this.#ofAddress.get(address) ?? { all: 0, waiting: 0 };
    return this.#waiting >= MOST_WAITING || all >= MOST_OF_ADDRESS || waiting >= MOST_WAITING_OF_ADDRESS;
  }

  opened({ address }: Connected): void {
    this.#change(address, 1, 1);
  }

  authenticated(connected: Connected): void {
    if (!connected.isWaiting) return;
    connected.isWaiting = false;
    this.#change(connected.address, 0, -1);
  }

  closed({ address, isWaiting }: Connected): void {
    this.#change(address, -1, isWaiting ? -1 : 0);
  }

  #change(address: string, all: number, waiting: number): void {
    const counts = this.#ofAddress.get(address) ?? { all: 0, waiting: 0 };
    counts.all += all;
    counts.waiting += waiting;
    this.#waiting += waiting;
    if (counts.all === 0) this.#ofAddress.delete(address);
    else this.#ofAddress.set(address, counts);
  }
}

/** The client's software, as the client identifies it, for the audit trail. */
const agentOf = (ident: string | Buffer): string =>
  ident
    .toString("latin1")
    .replace(/[^\x20-\x7e]/g, "")
    .slice(0, 100);

async function listen(server: Server, { host, port }: Pick<SshServerOptions, "host" | "port">): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}
