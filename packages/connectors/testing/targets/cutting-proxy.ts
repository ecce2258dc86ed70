// A TCP proxy in front of a real target that drops the target's answer on command, like a network failure at the worst
// moment.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/**
 * What happens to the target's answer: `pause` keeps it until `lift`, `reset` breaks the client's connection when it
 * arrives, `black-hole` drops it and everything after it.
 */
export const FAULTS = ["pause", "reset", "black-hole"] as const;
export type Fault = (typeof FAULTS)[number];

export interface Cut {
  fault: Fault;
  /**
   * Whether these bytes of a client trigger the fault; default: the next ones. `index` counts the pieces in which the
   * client's bytes arrived on this connection, from 0.
   */
  at?: (bytes: Buffer, index: number) => boolean;
  /** If false, those bytes are dropped as well, and the target never receives them. */
  isDelivered?: boolean;
}

export interface CuttingProxy {
  host: string;
  port: number;
  /**
   * Arms the fault for one connection, open or future. Resolves when the fault has happened and the target has
   * answered.
   */
  cut(cut: Cut): Promise<void>;
  /** Disarms the fault, passes on paused data, and forgets connections that were cut. */
  lift(): void;
  /** Connections accepted so far. */
  connections(): number;
  stop(): Promise<void>;
}

/** If the target sends no answer, a reset comes after this long. */
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
 * `host` is a loopback address to listen on: several of them are several machines to the product. `port`: default any
 * free one.
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
    // When one half of a connection ends, so does the other, except when the client must receive nothing more.
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

/** The target sent something after the cut, or (null) sent nothing. */
function answered(link: Link, bytes: Buffer | null): void {
  if (link.fault === "pause" && bytes !== null) link.kept.push(bytes);
  if (link.fault === "reset" && !link.client.destroyed) link.client.resetAndDestroy();
  link.happened();
}
