// A real Telnet server (inetutils telnetd under inetd) on loopback: it runs the machine's own login for throwaway Unix accounts. Root only.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Unavailable } from "./availability.ts";
import { freePort, isRoot, startServer, temporaryFolder } from "./server-process.ts";
import { allowBySudo } from "./sudoer.ts";
import { addUnixUser, removeLeftoverUsers, removeUnixUser, type UnixUser, type UnixUserState } from "./unix-user.ts";

const INETD = "/usr/sbin/inetd";
const TELNETD = "/usr/sbin/telnetd";

export interface Telnetd {
  host: string;
  port: number;
  /** A new account with a random password. */
  addUser(state?: UnixUserState): Promise<UnixUser>;
  /** One that may set the passwords of the others by sudo. */
  addAdministrator(): Promise<UnixUser>;
  stop(): Promise<void>;
}

export function telnetdAvailable(): Unavailable {
  if (!isRoot) return "only root can start a telnetd that logs others in";
  const missing = [INETD, TELNETD, "/bin/login"].find((path) => !existsSync(path));
  return missing === undefined ? null : `there is no ${missing} (install inetutils-telnetd and openbsd-inetd)`;
}

export async function startTelnetd(): Promise<Telnetd> {
  removeLeftoverUsers();
  const folder = temporaryFolder(null);
  const port = await freePort();
  const users: UnixUser[] = [];
  const config = join(folder.path, "inetd.conf");
  writeFileSync(config, `127.0.0.1:${port} stream tcp nowait root ${TELNETD} telnetd\n`);
  const server = startServer({ command: INETD, args: ["-d", config] });
  await server.line(/^ADD/);
  const rights: { remove: () => void }[] = [];
  const addUser = async (state: UnixUserState = "active") => {
    const user = await addUnixUser(state);
    users.push(user);
    return user;
  };
  return {
    host: "127.0.0.1",
    port,
    addUser,
    addAdministrator: async () => {
      const user = await addUser();
      rights.push(allowBySudo(user, "/usr/bin/passwd srt_*"));
      return user;
    },
    stop: async () => {
      await server.stop();
      for (const right of rights) right.remove();
      for (const { username } of users) removeUnixUser(username);
      folder.remove();
    },
  };
}
