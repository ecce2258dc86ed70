// A real OpenSSH server on loopback. As root it has PAM and throwaway Unix accounts; otherwise only the account that
// runs it can log in, by key.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { missingProgram, type Unavailable } from "./availability.ts";
import {
  firstExisting,
  freePort,
  isRoot,
  runTool,
  startServer,
  temporaryFolder,
  type ServerProcess,
} from "./server-process.ts";
import {
  ADMIN_TOOLS,
  SUDOERS,
  addUnixUser,
  removeLeftoverUsers,
  removeUnixUser,
  type UnixUser,
  type UnixUserOptions,
  type UnixUserState,
} from "./unix-user.ts";

const BINARIES = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/opt/homebrew/sbin/sshd"];

export interface Sshd {
  host: string;
  port: number;
  /** The public half of the first host key, or of the one of `type`, as OpenSSH prints it. */
  hostKey(type?: string): Promise<{ type: string; fingerprint: string }>;
  /** A new account with a random password; root only. */
  addUser(state?: UnixUserState, options?: UnixUserOptions): Promise<UnixUser>;
  /**
   * Makes a key pair and authorises it for `user`, or for the account that runs the test; returns the private key as
   * text.
   */
  authorizeKey(options?: {
    user?: UnixUser;
    keygen?: readonly string[];
  }): Promise<{ username: string; privateKey: string }>;
  /** The server's log so far. */
  log(): string;
  /** The log from this character on, once `pattern` matches it: the server writes asynchronously. */
  logged(after: number, pattern: RegExp): Promise<string>;
  /** Restarts on the same port with a new host key, like a reinstalled server or an impostor. */
  changeHostKey(): Promise<void>;
  stop(): Promise<void>;
}

export interface SshdOptions {
  /** Further lines of sshd_config; they come first, and the first value of an option counts. */
  config?: readonly string[];
  /** Types of host keys, in sshd's order. */
  hostKeys?: readonly string[];
}

export function sshdAvailable(): Unavailable {
  if (process.platform === "win32") return "sshd is not started on Windows";
  if (firstExisting(BINARIES) === null) return "there is no sshd (install openssh-server)";
  return missingProgram({ "ssh-keygen": "openssh-client" });
}

/** Accounts with passwords need /etc/shadow and PAM. */
export function unixUsersAvailable(): Unavailable {
  if (sshdAvailable() !== null) return sshdAvailable();
  if (!isRoot) return "only root can make Unix accounts";
  const missing = ADMIN_TOOLS.find((path) => !existsSync(path));
  if (missing !== undefined) return `there is no ${missing} (install passwd)`;
  if (!existsSync(SUDOERS)) return `there is no ${SUDOERS} (install sudo)`;
  return missingProgram({ sudo: "sudo", chage: "passwd", passwd: "passwd" });
}

export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  const { config = [], hostKeys = ["ed25519"] } = options;
  const folder = temporaryFolder(null);
  chmodSync(folder.path, 0o755);
  const at = (name: string) => join(folder.path, name);
  const port = await freePort();
  const users: UnixUser[] = [];
  if (isRoot) {
    removeLeftoverUsers();
    mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  }
  for (const type of hostKeys) await makeKey(at(`host_${type}`), ["-t", type]);
  mkdirSync(at("authorized"), { mode: 0o755 });
  writeFileSync(at("sshd_config"), [...config, ...baseConfig(port, folder.path, hostKeys)].join("\n") + "\n");

  const launch = async (): Promise<ServerProcess> => {
    const server = startServer({
      command: firstExisting(BINARIES) ?? "sshd",
      args: ["-D", "-e", "-f", at("sshd_config")],
    });
    await server.line(/Server listening on/);
    return server;
  };
  let server = await launch();

  return {
    host: "127.0.0.1",
    port,
    hostKey: async (kind = hostKeys[0]) => {
      const file = at(`host_${kind}.pub`);
      const [, fingerprint = ""] = (await runTool("ssh-keygen", ["-l", "-f", file])).split(" ");
      const [type = ""] = readFileSync(file, "utf8").split(" ");
      return { type, fingerprint };
    },
    addUser: async (state = "active", more = {}) => {
      const user = await addUnixUser(state, more);
      users.push(user);
      return user;
    },
    authorizeKey: async ({ user, keygen = ["-t", "ed25519", "-N", ""] } = {}) => {
      const username = user?.username ?? userInfo().username;
      const file = at(`key_${randomBytes(4).toString("hex")}`);
      await makeKey(file, keygen);
      const list = at(`authorized/${username}`);
      const known = existsSync(list) ? readFileSync(list, "utf8") : "";
      writeFileSync(list, known + readFileSync(`${file}.pub`, "utf8"), { mode: 0o644 });
      return { username, privateKey: readFileSync(file, "utf8") };
    },
    log: () => server.output(),
    logged: async (after, pattern) => {
      for (let looks = 0; looks < 500 && !pattern.test(server.output().slice(after)); looks += 1) await delay(20);
      return server.output().slice(after);
    },
    changeHostKey: async () => {
      await server.stop();
      for (const type of hostKeys) await makeKey(at(`host_${type}`), ["-t", type]);
      server = await launch();
    },
    stop: async () => {
      await server.stop();
      for (const user of users) removeUnixUser(user.username);
      folder.remove();
    },
  };
}

function baseConfig(port: number, folder: string, hostKeys: readonly string[]): string[] {
  return [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    ...hostKeys.map((type) => `HostKey ${folder}/host_${type}`),
    `PidFile ${folder}/sshd.pid`,
    `AuthorizedKeysFile ${folder}/authorized/%u`,
    "StrictModes no",
    "PermitRootLogin prohibit-password",
    "PasswordAuthentication yes",
    "KbdInteractiveAuthentication yes",
    "PubkeyAuthentication yes",
    `UsePAM ${isRoot ? "yes" : "no"}`,
    "UseDNS no",
    "PrintLastLog no",
    "PrintMotd no",
    "Subsystem sftp internal-sftp",
    "LogLevel VERBOSE",
  ];
}

async function makeKey(file: string, keygen: readonly string[]): Promise<void> {
  await runTool("rm", ["-f", file, `${file}.pub`]);
  const passphrase = keygen.includes("-N") ? [] : ["-N", ""];
  await runTool("ssh-keygen", ["-q", ...keygen, ...passphrase, "-f", file]);
}
