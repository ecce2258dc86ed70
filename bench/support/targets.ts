// Real targets, each at two loopback addresses that count as two machines: PostgreSQL, MariaDB, OpenSSH.
import { startMariadb, startPostgresql, startSshd } from "@strongroom/connectors/testing";
import type { BareLogin, BareSystem } from "@strongroom/connectors/testing";
import { cpuWithEnded, familyOf } from "./processes.ts";

export const SYSTEMS: readonly BareSystem[] = ["PostgreSQL", "MariaDB", "OpenSSH"];

export interface BenchTargets {
  /** `count` logins on a target, alternating its accounts and its two addresses. */
  logins(system: BareSystem, count: number, accounts?: { from: number; to: number }): BareLogin[];
  /** CPU seconds of a target's servers, or of all servers, including ended sessions. */
  cpu(system?: BareSystem): number;
  stop(): Promise<void>;
}

const ADDRESSES: Record<BareSystem, readonly [string, string]> = {
  PostgreSQL: ["127.0.0.11", "127.0.0.12"],
  MariaDB: ["127.0.0.21", "127.0.0.22"],
  OpenSSH: ["127.0.0.31", "127.0.0.32"],
};

/** Starts the three targets with the given number of accounts each. */
export async function startBenchTargets(accounts: number): Promise<BenchTargets> {
  const pids = new Map<BareSystem, number>();
  const started = async <T>(system: BareSystem, start: () => Promise<T>): Promise<T> => {
    const before = new Set(familyOf(process.pid));
    const server = await start();
    // The first new process is the parent of the others.
    const pid = familyOf(process.pid).find((each) => !before.has(each));
    if (pid === undefined) throw new Error(`${system} is not a process of this one`);
    pids.set(system, pid);
    return server;
  };
  const postgresql = await started("PostgreSQL", () =>
    startPostgresql({ addresses: ["127.0.0.1", ...ADDRESSES.PostgreSQL] }),
  );
  const mariadb = await started("MariaDB", async () => {
    const server = await startMariadb();
    await server.restart(null, [`--bind-address=${["127.0.0.1", ...ADDRESSES.MariaDB].join(",")}`]);
    return server;
  });
  const sshd = await started("OpenSSH", () =>
    // Lifts the limit on concurrent logins, which would randomly drop some of them.
    startSshd({
      config: ["MaxStartups 500", ...ADDRESSES.OpenSSH.map((address) => `ListenAddress ${address}`)],
    }),
  );
  const made: Record<BareSystem, { username: string; password: string }[]> = {
    PostgreSQL: [],
    MariaDB: [],
    OpenSSH: [],
  };
  for (let number = 0; number < accounts; number++) {
    made.PostgreSQL.push(await postgresql.addRole());
    made.MariaDB.push(await mariadb.addUser());
    made.OpenSSH.push(await sshd.addUser());
  }
  const ports: Record<BareSystem, number> = { PostgreSQL: postgresql.port, MariaDB: mariadb.port, OpenSSH: sshd.port };
  return {
    logins: (system, count, { from, to } = { from: 0, to: accounts }) =>
      Array.from({ length: count }, (_, index) => ({
        system,
        ...KINDS[system],
        host: ADDRESSES[system][index % 2]!,
        port: ports[system],
        ...made[system][from + (index % (to - from))]!,
      })),
    cpu: (system) =>
      (system === undefined ? SYSTEMS : [system]).reduce((sum, each) => sum + cpuWithEnded(pids.get(each)!), 0),
    stop: async () => {
      await Promise.all([postgresql.stop(), mariadb.stop(), sshd.stop()]);
    },
  };
}

const KINDS: Record<BareSystem, { database?: string }> = {
  PostgreSQL: { database: "postgres" },
  MariaDB: { database: "app" },
  OpenSSH: {},
};

const TYPES: Record<BareSystem, object> = {
  PostgreSQL: { type: "postgresql", database_name: "postgres", schema_name: "public" },
  MariaDB: { type: "mysql", database_name: "app" },
  OpenSSH: { type: "server" },
};

/** The request body that stores such a login as a credential. */
export function credentialOf({ system, host, port, username, password }: BareLogin, name: string): object {
  return { name, ...TYPES[system], host, port, username, value: password };
}
