// A real Telnet server (inetutils telnetd under inetd) on loopback: it runs the machine's own login for throwaway Unix
// accounts. Root only.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Unavailable } from "./availability.ts";
import { freePort, isRoot, startServer, temporaryFolder } from "./server-process.ts";
import {
  addUnixUser,
  removeLeftoverUsers,
  removeUnixUser,
  type UnixUser,
  type UnixUserOptions,
  type UnixUserState,
} from "./unix-user.ts";

const INETD = "/usr/sbin/inetd";
const TELNETD = "/usr/sbin/telnetd";

export interface Telnetd {
  host: string;
  port: number;
  /** A new account with a random password. */
  addUser(state?: UnixUserState): Promise<UnixUser>;
  /** An account that can set the passwords of others through sudo. */
  addAdministrator(): Promise<UnixUser>;
  stop(): Promise<void>;
}

export function telnetdAvailable(): Unavailable {
  if (!isRoot) return "only root can start a telnetd that accepts other accounts";
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
  const addUser = async (state: UnixUserState = "active", options: UnixUserOptions = {}) => {
    const user = await addUnixUser(state, options);
    users.push(user);
    return user;
  };
  return {
    host: "127.0.0.1",
    port,
    addUser,
    // sudo asks for the account's own password, unlike on the other targets.
    addAdministrator: () => addUser("active", { sudo: "PASSWD: /usr/bin/passwd srt_*" }),
    stop: async () => {
      await server.stop();
      for (const { username } of users) removeUnixUser(username);
      folder.remove();
    },
  };
}
