// Reads the files below the given paths. Links are not followed, so that loops and other trees stay out.
import { constants } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join, normalize, resolve } from "node:path";
import { CommandError } from "../command-error.ts";
import { readFileUpTo } from "./read-file.ts";
import type { Source, Unread } from "./source.ts";

export interface WalkOptions {
  maxSize: number;
  isExcluded: (path: string) => boolean;
}

/** A path as people read it, and its bytes, which need not be UTF-8. */
interface Location {
  path: string;
  raw: Buffer;
}

/** Kernel interfaces: their files have no end or change while they are read. */
const PSEUDO = new Set(["/proc", "/sys", "/dev", "/run/udev"]);
/** Of a repository's own folder, only the files that may name credentials. Its history is not scanned. */
const OF_GIT = new Set(["config", "credentials"]);

export async function* walk(paths: readonly string[], options: WalkOptions): AsyncGenerator<Source> {
  for (const named of paths) {
    const path = normalize(named);
    const at = { path, raw: Buffer.from(path) };
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
    if (kind.isDirectory()) yield* folder(at, options);
    else if (kind.isFile()) yield await file(at, 0, options);
    else throw new CommandError(`${path} is neither a file nor a folder.`, { status: 2 });
  }
}

async function* folder({ path, raw }: Location, options: WalkOptions): AsyncGenerator<Source> {
  if (PSEUDO.has(resolve(path))) return;
  let names: Buffer[];
  try {
    names = await readdir(raw, { encoding: "buffer" });
  } catch (error) {
    yield { path, unread: reasonOf(error) };
    return;
  }
  const isGit = /(?:^|\/)\.git$/.test(path);
  for (const name of names.sort(Buffer.compare)) {
    if (isGit && !OF_GIT.has(name.toString())) continue;
    const child = { path: join(path, name.toString()), raw: Buffer.concat([raw, SLASH, name]) };
    if (options.isExcluded(child.path)) continue;
    const kind = await lstat(child.raw).catch(() => null);
    if (kind === null || kind.isSymbolicLink()) continue; // It vanished, or it is a link.
    if (kind.isDirectory()) yield* folder(child, options);
    else if (kind.isFile() && kind.size > 0) yield await file(child, constants.O_NOFOLLOW, options);
  }
}

const SLASH = Buffer.from("/");

async function file({ path, raw }: Location, flags: number, { maxSize }: WalkOptions): Promise<Source> {
  try {
    const content = await readFileUpTo(raw, maxSize, flags);
    return typeof content === "string" ? { path, unread: content } : { path, content };
  } catch (error) {
    return { path, unread: reasonOf(error) };
  }
}

const reasonOf = (error: unknown): Unread => {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM" ? "permission denied" : "unreadable";
};
