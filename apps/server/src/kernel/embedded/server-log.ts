// The database server's log: a file of limited size that the server writes directly, so that the server can outlive this process.
import {
  closeSync,
  constants,
  copyFileSync,
  fchownSync,
  ftruncateSync,
  lchownSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { StartError } from "#kernel/start-error.ts";
import type { ServerUser } from "./server-user.ts";

const LARGEST = 5 * 1024 * 1024;

export interface ServerLog {
  /** Opened for appending. The caller closes the file once the server has it. */
  open(): number;
  /** Moves the content to `server.log.1` once it is larger than 5 MB, so that both files together stay near 10 MB. */
  rotate(): void;
  size(): number;
  /** The text after that position, but at most the last 16 kB. */
  since(position: number): string;
}

/**
 * INVARIANT: no link is followed. This process may be root, and the folder belongs to the server user, who can put a link to any
 * file there.
 */
export function serverLog(folder: string, user: ServerUser): ServerLog {
  const file = join(folder, "server.log");
  const size = (): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return {
    open() {
      const { O_WRONLY, O_APPEND, O_CREAT } = constants;
      const descriptor = openFile(file, O_WRONLY | O_APPEND | O_CREAT);
      if (user.isDropped) fchownSync(descriptor, user.uid, user.gid);
      return descriptor;
    },
    rotate() {
      if (size() <= LARGEST) return;
      rmSync(`${file}.1`, { force: true });
      copyFileSync(file, `${file}.1`, constants.COPYFILE_EXCL);
      if (user.isDropped) lchownSync(`${file}.1`, user.uid, user.gid);
      // The server appends (O_APPEND), so it continues at the new end.
      const descriptor = openFile(file, constants.O_WRONLY);
      try {
        ftruncateSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
    size,
    since(position) {
      const end = size();
      if (end === 0) return "";
      const start = Math.max(Math.min(position, end), end - 16_384);
      const bytes = Buffer.alloc(end - start);
      const descriptor = openFile(file, constants.O_RDONLY);
      try {
        return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, start));
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

/** Throws `StartError` for a link. */
function openFile(file: string, flags: number): number {
  try {
    return openSync(file, flags | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    throw new StartError(`The log file ${file} is a link. Remove it and start again.`, { cause: error });
  }
}

/**
 * The message of the last FATAL or PANIC line, or of an error before logging started, or null. Ignores refused connections: they
 * come from the server of another start, which writes to the same log.
 */
export function lastFatal(text: string): string | null {
  const lines = text.match(/(?:FATAL|PANIC): +.+|^postgres: .+(?:\n(?!\d{4}-).+)*/gm) ?? [];
  const said = lines.findLast((line) => !/the database system is (?:starting up|shutting down|not yet)/.test(line));
  return said?.replace(/^\w+: +/, "").replaceAll("\n", " ") ?? null;
}
