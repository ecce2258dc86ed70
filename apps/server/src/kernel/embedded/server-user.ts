// Chooses the system user of the database server: the current user, or an ordinary user if this process runs as root.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import type { SpawnOptions } from "node:child_process";
import { StartError } from "#kernel/start-error.ts";

export interface ServerUser {
  name: string;
  uid: number;
  gid: number;
  /** Whether this process runs as root and the server runs as another user. */
  isDropped: boolean;
  /**
   * Whether only root can enter the data folder, for example below /root. If so, the server keeps one of root's capabilities:
   * reading all folders (CAP_DAC_READ_SEARCH).
   */
  mayEnterAnyFolder: boolean;
}

/** The first of these users that exists runs the server, because PostgreSQL refuses to run as root. */
const ORDINARY_USERS = ["strongroom", "postgres", "nobody"];

/**
 * Chooses the user that runs the server. If a database folder exists, `owner` owns it: root runs the server as that user, and an
 * ordinary user must be that user. Throws `StartError` if no user is suitable.
 */
export function chooseServerUser(folder: string, owner: { uid: number; gid: number } | null): ServerUser {
  const self = whoAmI();
  if (self.uid !== 0) {
    if (owner === null || owner.uid === self.uid) return { ...self, isDropped: false, mayEnterAnyFolder: false };
    const name = nameOf(owner.uid);
    throw new StartError(
      `The database folder ${folder} belongs to user ${name} but Strongroom runs as ${self.name}: ` +
        `start it as ${name}, or hand the folder over with "chown -R ${self.name} ${folder}".`,
    );
  }
  if (owner !== null && owner.uid !== 0) {
    return { name: nameOf(owner.uid), uid: owner.uid, gid: owner.gid, isDropped: true, mayEnterAnyFolder: false };
  }
  for (const name of ORDINARY_USERS) {
    const uid = idOf("-u", name);
    const gid = idOf("-g", name);
    if (uid !== null && gid !== null) return { name, uid, gid, isDropped: true, mayEnterAnyFolder: false };
  }
  throw new StartError(
    "PostgreSQL does not run as root and no ordinary user was found for it: create one with " +
      '"useradd --system strongroom", start Strongroom as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * Chooses a user for a server that must not read the files of a live server. Root picks an ordinary user other than `live`, with
 * that user's group, which may traverse the data folder but read nothing in it. Without root, the server runs as the current
 * user.
 */
export function chooseOtherUser(folder: string, live: { uid: number; gid: number }): ServerUser {
  const user = chooseServerUser(folder, null);
  if (!user.isDropped) return user;
  for (const name of ORDINARY_USERS.toReversed()) {
    const uid = idOf("-u", name);
    if (uid !== null && uid !== live.uid) return { ...user, name, uid, gid: live.gid };
  }
  return { ...user, gid: live.gid };
}

/**
 * Ensures that the server user can reach `path`, an existing folder in `dataFolder` or beside our program. Opens only the data
 * folder itself to that user's group, and otherwise falls back to CAP_DAC_READ_SEARCH. Throws a `StartError` that names the
 * inaccessible folder.
 */
export function ensureReachable(user: ServerUser, path: string, dataFolder: string): ServerUser {
  if (!user.isDropped || canEnter(user, path)) return user;
  const { uid, gid, mode } = statSync(dataFolder);
  if (uid === 0 && gid === 0) {
    chownSync(dataFolder, 0, user.gid);
    chmodSync(dataFolder, (mode & 0o7777) | 0o010);
  }
  if (canEnter(user, path)) return user;
  const privileged = { ...user, mayEnterAnyFolder: true };
  if (hasSetpriv() && canEnter(privileged, path)) return privileged;
  throw new StartError(
    `The database server runs as user ${user.name}, who cannot enter ${firstBarrier(user, path)}: put Strongroom and ` +
      "its data folder (STRONGROOM_DATA) where ordinary users have access, such as /srv/strongroom.",
  );
}

export interface Command {
  file: string;
  args: string[];
  options: Pick<SpawnOptions, "uid" | "gid">;
}

/** The command that runs a program as the given user. */
export function commandAs(
  user: ServerUser,
  program: string,
  args: readonly string[],
  { isIsolated = false }: { isIsolated?: boolean } = {},
): Command {
  const command = dropped(user, program, args);
  return isIsolated ? isolated(command) : command;
}

function dropped(user: ServerUser, program: string, args: readonly string[]): Command {
  if (!user.isDropped) return { file: program, args: [...args], options: {} };
  if (!hasSetpriv()) return { file: program, args: [...args], options: { uid: user.uid, gid: user.gid } };
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"];
  const rights = user.mayEnterAnyFolder ? ENTER_ANY_FOLDER : ["--inh-caps=-all"];
  return { file: "setpriv", args: [...identity, ...rights, program, ...args], options: {} };
}

/**
 * A command that the kernel ends with SIGINT (PostgreSQL's fast shutdown) when its parent dies. Without util-linux `setpriv`, the
 * command outlives its parent.
 */
export function endingWithParent(program: string, args: readonly string[]): string[] {
  return hasSetpriv() ? ["setpriv", "--pdeathsig=INT", program, ...args] : [program, ...args];
}

/**
 * Cuts off network access if `unshare` (util-linux) and the kernel support it. A Unix socket in a folder still works.
 */
function isolated(command: Command): Command {
  const flags = process.geteuid?.() === 0 ? ["--net"] : ["--user", "--map-current-user", "--net"];
  if (!canUnshare(flags)) return command;
  return { ...command, file: "unshare", args: [...flags, command.file, ...command.args] };
}

let unshare: boolean | undefined;

function canUnshare(flags: readonly string[]): boolean {
  unshare ??= process.platform === "linux" && succeeds("unshare", [...flags, "true"], {});
  return unshare;
}

/** Sets the secure bit. Without it, access(2), which PostgreSQL uses to find its own program, would ignore the capability. */
const ENTER_ANY_FOLDER = [
  "--inh-caps=-all,+dac_read_search",
  "--ambient-caps=-all,+dac_read_search",
  "--securebits=+no_setuid_fixup",
];

let setpriv: boolean | undefined;

function hasSetpriv(): boolean {
  setpriv ??= succeeds("setpriv", ["--pdeathsig=INT", "true"], {});
  return setpriv;
}

function canEnter(user: ServerUser, path: string): boolean {
  // Enter the folder to find out: `test -x` uses access(2), which ignores capabilities.
  const { file, args, options } = commandAs(user, "sh", ["-c", 'cd -- "$1"', "sh", path]);
  return succeeds(file, args, options);
}

function firstBarrier(user: ServerUser, path: string): string {
  const above = dirname(path);
  return above === path || canEnter(user, above) ? path : firstBarrier(user, above);
}

function succeeds(file: string, args: readonly string[], options: Pick<SpawnOptions, "uid" | "gid">): boolean {
  try {
    execFileSync(file, args, { ...options, stdio: "ignore" });
    return true;
  } catch {
    // A missing program and a failing one both mean no.
    return false;
  }
}

function idOf(flag: "-u" | "-g", name: string): number | null {
  try {
    return Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" }));
  } catch {
    // `id` fails for a user that does not exist.
    return null;
  }
}

/** The user's name, or the user's number as text if there is no name. */
export function nameOf(uid: number): string {
  try {
    return execFileSync("id", ["-un", String(uid)], { stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" }).trim();
  } catch {
    return String(uid);
  }
}

export function whoAmI(): { name: string; uid: number; gid: number } {
  try {
    const { username, uid, gid } = userInfo();
    return { name: username, uid, gid };
  } catch (error) {
    throw new StartError(
      `PostgreSQL needs a user with a name, and user id ${process.geteuid?.()} has none: ` +
        "add it to /etc/passwd, use another user, or set DATABASE_URL.",
      { cause: error },
    );
  }
}
