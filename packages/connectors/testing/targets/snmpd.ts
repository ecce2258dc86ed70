// A real SNMP agent (net-snmp's snmpd) on loopback with its own users.
import { mkdirSync, writeFileSync } from "node:fs";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { join } from "node:path";
import type { Unavailable } from "./availability.ts";
import { firstExisting, startServer, temporaryFolder } from "./server-process.ts";

const BINARIES = ["/usr/sbin/snmpd", "/usr/local/sbin/snmpd"];

export interface SnmpUser {
  name: string;
  /** In snmpd.conf notation: `SHA-256`. */
  auth: string;
  password: string;
  /** In snmpd.conf notation: `AES`; without it, the user has no privacy. */
  priv?: { protocol: string; password: string };
}

export interface Snmpd {
  host: string;
  port: number;
  stop(): Promise<void>;
}

export function snmpdAvailable(): Unavailable {
  return firstExisting(BINARIES) === null ? "there is no snmpd (install snmpd)" : null;
}

export async function startSnmpd(users: readonly SnmpUser[]): Promise<Snmpd> {
  const folder = temporaryFolder(null);
  const port = await freeUdpPort();
  const lines = users.flatMap(({ name, auth, password, priv }) => [
    `createUser ${name} ${auth} "${password}"${priv === undefined ? "" : ` ${priv.protocol} "${priv.password}"`}`,
    `rouser ${name} ${priv === undefined ? "auth" : "priv"}`,
  ]);
  const persistent = join(folder.path, "state");
  mkdirSync(persistent);
  const config = join(folder.path, "snmpd.conf");
  writeFileSync(config, [`agentaddress udp:127.0.0.1:${port}`, ...lines].join("\n") + "\n");
  const server = startServer({
    command: firstExisting(BINARIES) ?? "snmpd",
    args: ["-f", "-Le", "-C", "-c", config, "-p", join(folder.path, "pid")],
    env: { ...process.env, SNMP_PERSISTENT_DIR: persistent },
  });
  await server.line(/NET-SNMP version/);
  return {
    host: "127.0.0.1",
    port,
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return port;
}
