// Reads the files below the given paths. Links are not followed, so that loops and other trees stay out.
import { lstat, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../command-error.ts";
import type { Source, Unread } from "./source.ts";

export interface WalkOptions {
  maxSize: number;
  isExcluded: (path: string) => boolean;
}

/** Kernel interfaces: their files have no end or change while they are read. */
const PSEUDO = new Set(["/proc", "/sys", "/dev", "/run/udev"]);
/** Of a repository's own folder, only the files that may name credentials. Its history is not scanned. */
const OF_GIT = new Set(["config", "credentials"]);

export async function* walk(paths: readonly string[], options: WalkOptions): AsyncGenerator<Source> {
  for (const path of paths) {
    // A path that the user names is followed even if it is a link.
    const kind = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw new CommandError(
        `${path} cannot be read (${error.code === "ENOENT" ? "it does not exist" : error.code}).`,
        {
          cause: error,
          status: 2,
        },
      );
    });
    if (kind.isDirectory()) yield* folder(path, options);
    else if (kind.isFile()) yield await file(path, options);
    else throw new CommandError(`${path} is neither a file nor a folder.`, { status: 2 });
  }
}

async function* folder(path: string, options: WalkOptions): AsyncGenerator<Source> {
  if (PSEUDO.has(path)) return;
  let names: string[];
  try {
    names = await readdir(path);
  } catch (error) {
    yield { path, unread: reasonOf(error) };
    return;
  }
  const isGit = /(?:^|\/)\.git$/.test(path);
  for (const name of names.sort()) {
    if (isGit && !OF_GIT.has(name)) continue;
    const child = join(path, name);
    if (options.isExcluded(child)) continue;
    const kind = await lstat(child).catch(() => null);
    if (kind === null || kind.isSymbolicLink()) continue; // It vanished, or it is a link.
    if (kind.isDirectory()) yield* folder(child, options);
    else if (kind.isFile() && kind.size > 0) yield await file(child, options);
  }
}

async function file(path: string, { maxSize }: WalkOptions): Promise<Source> {
  try {
    const handle = await open(path, "r");
    try {
      const { size } = await handle.stat();
      if (size > maxSize) return { path, unread: "too large" };
      return { path, content: new Uint8Array(await handle.readFile()) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { path, unread: reasonOf(error) };
  }
}

const reasonOf = (error: unknown): Unread => {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM" ? "permission denied" : "unreadable";
};
