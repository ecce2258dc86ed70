// A fake Oracle database for drivers in thin mode, as of 19c or 23ai: a listener, the login with a 12c verifier,
// changes of a user's own password, ALTER USER and the connector's queries, matched by their text (those of a search in
// schemas.ts), with or without TLS.
// Made from the driver's side of the protocol, so it does not prove: a real server, other verifiers, native encryption,
// redirections, proxies, pools, profiles.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { ServerCertificate } from "../../certificates.ts";
import {
  acceptPacket,
  CONNECT,
  connectData,
  DATA,
  dataIn,
  dataPacket,
  interruption,
  isReset,
  MARKER,
  packetsOf,
  refusePacket,
  resendPacket,
} from "./packets.ts";
import { startConversation, type Planned } from "./conversation.ts";
import { RELEASES, type Release } from "./release.ts";
import { emptyCatalog, nameIn, type Catalog, type StoredUser, type Users } from "./users.ts";
import { verifierOf } from "./verifier.ts";

export interface FakeOracle {
  host: string;
  port: number;
  service: string;
  addUser(name: string, password: string, more?: Partial<Pick<StoredUser, "mayAlter" | "error" | "warning">>): void;
  /** The contents of its views. */
  catalog: Catalog;
  /**
   * Replaces the fake's answer to the next password change with an error; null closes the connection after the change
   * was made.
   */
  answerOnce(error: number | null): void;
  /** Sets the listener's answer to the next client. */
  refuseOnce(error: number): void;
  stop(): Promise<void>;
}

const SERVICE = "orclpdb1";
const NO_SUCH_SERVICE = 12_514;

/** With a `certificate` of null, the server has no TLS. */
export async function startFakeOracle(
  certificate: ServerCertificate | null = null,
  generation: keyof typeof RELEASES = "19c",
): Promise<FakeOracle> {
  const users: Users = new Map();
  const sockets = new Set<Socket>();
  const planned: Planned = { next: null };
  const catalog = emptyCatalog();
  const database: Database = { users, catalog, planned, release: RELEASES[generation], refusal: null };

  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    serveClient(socket, database);
  };
  const server =
    certificate === null
      ? createServer(serve)
      : createTlsServer({ cert: certificate.certificate, key: certificate.privateKey }, serve);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    service: SERVICE,
    addUser: (written, password, more = {}) => {
      const name = nameIn(written);
      const user = { name, verifier: verifierOf(password), mayAlter: false, error: null, warning: null };
      users.set(name, { ...user, ...more });
    },
    catalog,
    answerOnce: (error) => (planned.next = { error }),
    refuseOnce: (error) => (database.refusal = error),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface Database {
  users: Users;
  catalog: Catalog;
  planned: Planned;
  release: Release;
  /** The error that the listener returns to the next client. */
  refusal: number | null;
}

/** A login starts with the connect packet, which a listener requests twice. */
function serveClient(socket: Socket, database: Database): void {
  const { users, catalog, planned, release } = database;
  const answerTo = startConversation(users, catalog, planned, release);
  let state: "new" | "resent" | "accepted" = "new";
  let held: Buffer | null = null;

  const connected = (text: string) => {
    if (state === "new") {
      state = "resent";
      return packets.send(resendPacket());
    }
    const [, service = ""] = /\(SERVICE_NAME=([^()]*)\)/i.exec(text) ?? [];
    const refusal = service.toLowerCase() === SERVICE ? database.refusal : NO_SUCH_SERVICE;
    database.refusal = null;
    if (refusal !== null) return packets.send(refusePacket(refusal));
    state = "accepted";
    packets.send(acceptPacket(release));
    packets.enlarge();
  };

  const talk = (message: Buffer) => {
    const answer = answerTo(message);
    if (answer === null) return void socket.destroy();
    if (!answer.isError) return packets.send(dataPacket(answer.content, release));
    // The error is sent once the client has confirmed the interruption.
    held = answer.content;
    for (const marker of interruption()) packets.send(marker);
  };

  const packets = packetsOf(socket, (type, content) => {
    if (type === CONNECT) {
      const text = connectData(content);
      if (text !== null) connected(text);
    } else if (type === DATA) {
      const message = dataIn(content);
      if (message === null) socket.end();
      else if (state === "accepted") talk(message);
      else connected(message.toString("latin1"));
    } else if (type === MARKER && isReset(content) && held !== null) {
      packets.send(dataPacket(held, release));
      held = null;
    }
  });
}
