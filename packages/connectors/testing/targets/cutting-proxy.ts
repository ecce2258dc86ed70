// A TCP proxy in front of a real target that loses the target's answer on command, as a network does at the worst moment.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/**
 * What becomes of the target's answer: `pause` keeps it until `lift`, `reset` breaks the client's connection when it comes,
 * `black-hole` swallows it and all that follows.
 */
export const FAULTS = ["pause", "reset", "black-hole"] as const;
export type Fault = (typeof FAULTS)[number];

export interface Cut {
  fault: Fault;
  /**
   * Whether these bytes of a client are the ones after which it happens: the next ones when left out. `index` counts the
   * pieces in which the client's bytes arrived on this connection, from 0.
   */
  at?: (bytes: Buffer, index: number) => boolean;
  /** False: those bytes get lost as well, and the target never sees them. */
  isDelivered?: boolean;
}

export interface CuttingProxy {
  host: string;
  port: number;
  /** Arms it for one connection, open or to come. Resolves when it has happened and the target has answered. */
  cut(cut: Cut): Promise<void>;
  /** Disarms it, lets what is paused through, and forgets about connections that were cut. */
  lift(): void;
  /** Connections accepted so far. */
  connections(): number;
  stop(): Promise<void>;
}

/** A reset without an answer of the target comes after this long. */
const ANSWER_MS = 300;

interface Armed extends Cut {
  happened: () => void;
}

interface Link {
  client: Socket;
  target: Socket;
  fault: Fault | null;
  happened: () => void;
  kept: Buffer[];
}

/**
 * `host` is an address of loopback to listen on: several of them are several machines to the product. `port`: any free one when
 * left out.
 */
export async function startCuttingProxy(
  upstream: { host: string; port: number },
  host = "127.0.0.1",
  port = 0,
): Promise<CuttingProxy> {
  const links = new Set<Link>();
  let armed: Armed | null = null;
  let accepted = 0;

  const hear = (link: Link, bytes: Buffer, index: number) => {
    const cut = armed;
    if (link.fault !== null || cut === null || !(cut.at?.(bytes, index) ?? true)) {
      link.target.write(bytes);
      return;
    }
    armed = null;
    link.fault = cut.fault;
    link.happened = cut.happened;
    if (cut.isDelivered !== false) link.target.write(bytes);
    const strike = () => answered(link, null);
    if (cut.isDelivered === false) strike();
    else setTimeout(strike, ANSWER_MS).unref();
  };

  const server = createServer((client) => {
    accepted += 1;
    const target = connect({ ...upstream, noDelay: true });
    const link: Link = { client, target, fault: null, happened: () => {}, kept: [] };
    links.add(link);
    let pieces = 0;
    client.setNoDelay(true);
    client.on("data", (bytes: Buffer) => hear(link, bytes, pieces++));
    target.on("data", (bytes: Buffer) => (link.fault === null ? client.write(bytes) : answered(link, bytes)));
    // Half of a connection that ends ends the other, except where the client is to hear nothing any more.
    client.on("close", () => target.destroy());
    target.on("close", () => (link.fault === null ? client.end() : answered(link, null)));
    client.on("error", () => {});
    target.on("error", () => {});
    client.on("close", () => links.delete(link));
  }).listen(port, host);
  await once(server, "listening");

  return {
    host,
    port: (server.address() as AddressInfo).port,
    cut: (cut) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      armed = { ...cut, happened: resolve };
      return promise;
    },
    lift: () => {
      armed = null;
      for (const link of links) {
        link.fault = null;
        for (const bytes of link.kept.splice(0)) link.client.write(bytes);
        if (link.target.destroyed) link.client.end();
      }
    },
    connections: () => accepted,
    stop: async () => {
      for (const { client, target } of links) {
        client.destroy();
        target.destroy();
      }
      server.close();
      await once(server, "close");
    },
  };
}

/** The target said something after the cut, or (null) had nothing to say. */
function answered(link: Link, bytes: Buffer | null): void {
  if (link.fault === "pause" && bytes !== null) link.kept.push(bytes);
  if (link.fault === "reset" && !link.client.destroyed) link.client.resetAndDestroy();
  link.happened();
}
