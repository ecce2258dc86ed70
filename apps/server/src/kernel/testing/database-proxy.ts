// A TCP proxy in front of a test's database that simulates network failures.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type pg from "pg";

export interface DatabaseProxy {
  port: number;
  /** The number of open connections. */
  readonly open: number;
  /** Closes every connection; new connections are accepted. */
  closeAll(): void;
  /**
   * Drops all traffic silently from now on, on existing and new connections. Traffic that was dropped stays lost after `heal`, as
   * behind a firewall that has forgotten the connection.
   */
  blackHole(): void;
  /** Like `blackHole`, but for one existing connection; new connections work. Returns false when no connection is left. */
  loseOne(): boolean;
  /** Makes new connections work again. */
  heal(): void;
  close(): Promise<void>;
}

export async function startDatabaseProxy({ host = "127.0.0.1", port = 5432 }: pg.ClientConfig): Promise<DatabaseProxy> {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let isHole = false;

  function swallow({ near, far }: { near: Socket; far: Socket }): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.unpipe(to);
      from.removeAllListeners("close");
      from.resume();
    }
  }

  const server = createServer((near) => {
    near.on("error", () => undefined);
    if (isHole) {
      near.resume();
      const pair = { near, far: near };
      pairs.add(pair);
      near.once("close", () => pairs.delete(pair));
      return;
    }
    const far = connect(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    far.on("error", () => undefined);
    const pair = { near, far };
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.once("end", () => pairs.delete(pair));
  });
  const closeAll = (): void => {
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
    pairs.clear();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return [...pairs].filter(({ near }) => !near.destroyed).length;
    },
    closeAll,
    blackHole() {
      isHole = true;
      for (const pair of pairs) swallow(pair);
    },
    loseOne() {
      const pair = [...pairs].find(({ near }) => !near.destroyed);
      if (pair === undefined) return false;
      swallow(pair);
      pairs.delete(pair);
      return true;
    },
    heal() {
      isHole = false;
    },
    async close() {
      closeAll();
      server.close();
    },
  };
}
