// Folders of the embedded server: paths, and creation with the right owner and mode.
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { StartError } from "#kernel/start-error.ts";
import { chooseOtherUser, chooseServerUser, ensureReachable } from "./server-user.ts";
import type { ServerUser } from "./server-user.ts";

export interface Folders {
  /** `<data folder>/postgres`, which only this process and the server user can access. */
  home: string;
  /** The cluster's folder (PGDATA). It does not exist before the first start. */
  cluster: string;
  log: string;
  /** The folder of the Unix socket. It is outside `home` if that path would be too long for a socket. */
  socket: string;
  /** The folder for links to libraries, used if node_modules is read-only. */
  libraries: string;
  user: ServerUser;
}

/** The socket's file name contains a port number, although no TCP port is opened. */
export const SOCKET_PORT = 5432;

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, including the terminating zero. */
const LONGEST_SOCKET_PATH = 103;

/**
 * Creates missing folders. If `apartFrom`, the data folder of a live server, is given and this process runs as root, a new folder
 * belongs to a different user than that server's user. Throws a `StartError` that names an unusable folder and the reason.
 */
export function prepareFolders(dataFolder: string, apartFrom?: string): Folders {
  const data = makeDataFolder(resolve(dataFolder));
  const home = join(data, "postgres");
  const live = apartFrom === undefined ? null : ownerOf(join(apartFrom, "postgres"));
  const user = ensureReachable(prepareHome(home, live), home, data);
  const folders: Folders = {
    home,
    cluster: join(home, "cluster"),
    log: join(home, "log"),
    socket: socketFolder(home),
    libraries: join(home, "lib"),
    user,
  };
  for (const folder of [folders.log, folders.socket]) makePrivate(folder, user);
  removeAbandoned(home);
  return folders;
}

function makeDataFolder(folder: string): string {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    // Another first start may create the folder at the same moment.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    readdirSync(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(folder);
  } catch (error) {
    throw new StartError(`The data folder ${folder} cannot be written (${reason(error)}).`, { cause: error });
  }
}

const ownerOf = (path: string) => statSync(path, { throwIfNoEntry: false }) ?? null;

function prepareHome(home: string, live: { uid: number; gid: number } | null): ServerUser {
  const owner = ownerOf(home);
  const user = owner === null && live !== null ? chooseOtherUser(home, live) : chooseServerUser(home, owner);
  if (owner === null) makePrivate(home, user);
  // Root copied the folder, for instance from a backup.
  if (owner?.uid === 0 && user.isDropped) {
    // INVARIANT: the server user enters the folder last, so that no link of theirs is followed.
    chmodSync(home, 0o700);
    handOver(home, user);
  }
  return user;
}

function handOver(path: string, user: ServerUser): void {
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) handOver(inner, user);
      else if (entry.isFile()) lchownSync(inner, user.uid, user.gid);
    }
    lchownSync(path, user.uid, user.gid);
  } catch (error) {
    // A concurrent start renamed or deleted it.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Creates a folder of mode 0700 that belongs to the server user. Follows no link. */
export function makePrivate(folder: string, user: ServerUser): void {
  const foreign = () => new StartError(`${folder} is not a folder of user ${user.name}: move it away and start again.`);
  let descriptor: number;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (["ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) throw foreign();
    throw new StartError(`The folder ${folder} cannot be used (${reason(error)}).`, { cause: error });
  }
  try {
    const found = fstatSync(descriptor);
    const isOurs = user.isDropped && found.uid === 0;
    if (isOurs) fchownSync(descriptor, user.uid, user.gid);
    else if (found.uid !== user.uid) throw foreign();
    if ((found.mode & 0o777) !== 0o700) fchmodSync(descriptor, 0o700);
  } finally {
    closeSync(descriptor);
  }
}

function socketFolder(home: string): string {
  const name = `strongroom-${createHash("sha256").update(home).digest("hex").slice(0, 12)}`;
  const places = [join(home, "run"), join(tmpdir(), name), join("/tmp", name)];
  const fitting = places.find((place) => Buffer.byteLength(`${place}/.s.PGSQL.${SOCKET_PORT}`) <= LONGEST_SOCKET_PATH);
  return fitting ?? join("/tmp", name);
}

/** Deletes the incomplete clusters of killed starts. Their names contain the process that created them. */
function removeAbandoned(home: string): void {
  for (const entry of readdirSync(home)) {
    const [, pid] = /^cluster\.new-(\d+)$/.exec(entry) ?? [];
    if (pid === undefined) continue;
    const path = join(home, entry);
    const found = statSync(path, { throwIfNoEntry: false });
    // The folder was replaced in the meantime.
    if (found === undefined) continue;
    const ageInSeconds = (Date.now() - found.mtimeMs) / 1000;
    if (ageInSeconds > 60 && !isAlive(Number(pid))) rmSync(path, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  if (code === "EROFS") return "the file system is read-only";
  if (code === "ENOTDIR" || code === "EEXIST") return "it is not a folder";
  if (code === "ENOSPC") return "the disk is full";
  return code ?? String(error);
}
