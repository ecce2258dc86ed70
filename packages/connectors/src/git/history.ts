// Lists the versions of a repository's files, and reads their contents.
import type { Readable } from "node:stream";
import { endOf, runGit, startGit, type GitFolder, type GitProcess } from "./run-git.ts";

/** The commit that the default branch points to. */
export const HEAD = "refs/strongroom/head";

export interface Version {
  blob: string;
  commit: string;
  author: string;
  committedAt: string;
}

export interface Versions {
  /** By path: the current file of the default branch first, then the newest. */
  byPath: Map<string, Version[]>;
  /** The current files of the default branch, by path. */
  current: Map<string, string>;
  /** There are more than were listed. */
  isCut: boolean;
}

const COMMIT = "\u0002";
const FORMAT = `--format=${COMMIT}%H%x09%ct%x09%an <%ae>`;
const MAX_NAME = 120;
/** Characters of all paths together: trees that contain themselves, or names of megabytes, take a few kilobytes to send. */
const MAX_PATHS = 64 * 1024 * 1024;
/** Bytes of one part; git's own paths have at most 4,096. */
const MAX_PART = 1024 * 1024;

export interface VersionsWanted {
  /** Without it, only the current files are listed. */
  history: boolean;
  /** Only these files; null for every file. */
  paths: readonly string[] | null;
  /** Limits the memory. */
  maxVersions: number;
}

/** Null when git failed, so that a partial list is never mistaken for a complete one. */
export async function listVersions(
  folder: GitFolder,
  { history, paths, maxVersions }: VersionsWanted,
): Promise<Versions | null> {
  // An empty repository has no default branch.
  const hasHead = (await runGit(folder, ["rev-parse", "--verify", "--quiet", HEAD])).status === 0;
  const current = hasHead ? await presentFiles(folder, maxVersions) : new Map<string, string>();
  if (current === null) return null;
  const byPath = new Map<string, Version[]>();
  const seen = new Set<string>();
  let commit: Omit<Version, "blob"> = { commit: "", author: "", committedAt: "" };
  let entry: string | null = null;
  if (!hasHead && !history) return { byPath, current, isCut: false };
  const range = history ? ["--all"] : ["-1", HEAD];
  // Includes what a merge itself added. The only commit of a shallow clone lists all of its files.
  const merges = ["--diff-merges=combined", "--root", "--full-history"];
  const entries = ["--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AMT", FORMAT];
  const chosen = paths === null ? [] : ["--", ...paths];
  const log = startGit(folder, ["log", ...range, ...merges, ...entries, ...chosen]);
  log.stdin.end();
  const ended = endOf(log);
  let isCut = false;
  let length = 0;
  for await (const token of tokensOf(log.stdout)) {
    if (token === null) isCut = true;
    else if (entry === null && token.startsWith(COMMIT)) commit = commitOf(token.slice(1));
    // An empty part precedes the files of a merge.
    else if (entry === null) entry = token === "" ? null : blobIn(token);
    else {
      const blob = entry;
      entry = null;
      const key = `${blob} ${token}`;
      // A path that is not UTF-8 cannot be requested again.
      if (blob === "" || seen.has(key) || token.includes("\uFFFD")) continue;
      length += token.length;
      if (seen.size >= maxVersions || length > MAX_PATHS) {
        isCut = true;
        break;
      }
      seen.add(key);
      const versions = byPath.get(token);
      const version = { blob, ...commit };
      if (versions === undefined) byPath.set(token, [version]);
      else if (current.get(token) === blob) versions.unshift(version);
      else versions.push(version);
    }
  }
  if (isCut) log.stdout.destroy();
  const { status } = await ended;
  return isCut || status === 0 ? { byPath, current, isCut } : null;
}

function commitOf(text: string): Omit<Version, "blob"> {
  const [commit = "", seconds = "", ...author] = text.trimEnd().split("\t");
  const at = new Date(Number(seconds) * 1000);
  const name = author.join(" ").replaceAll(/\p{C}/gu, " ").slice(0, MAX_NAME);
  return { commit, author: name, committedAt: (Number.isNaN(at.getTime()) ? new Date(0) : at).toISOString() };
}

/** `:100644 100644 1b2c… 3d4e… M`, with one more of each for a merge. Empty for anything but a regular file. */
function blobIn(token: string): string {
  const fields = token.trimStart().split(" ");
  const parents = /^:+/.exec(fields[0] ?? "")?.[0].length ?? 0;
  const [mode = "", blob = ""] = [fields[parents], fields[2 * parents + 1]];
  return parents > 0 && /^100[0-7]{3}$/.test(mode) && /^[0-9a-f]{40,64}$/.test(blob) ? blob : "";
}

/** Null when git failed. A part when there are more than `most`, or their names are too long. */
async function presentFiles(folder: GitFolder, most: number): Promise<Map<string, string> | null> {
  const tree = startGit(folder, ["ls-tree", "-r", "-z", "--full-tree", HEAD]);
  tree.stdin.end();
  const ended = endOf(tree);
  const files = new Map<string, string>();
  let isCut = false;
  let length = 0;
  for await (const token of tokensOf(tree.stdout)) {
    length += token?.length ?? 0;
    if (token === null || files.size >= most || length > MAX_PATHS) {
      isCut = true;
      break;
    }
    const [, blob, path] = /^100[0-7]{3} blob ([0-9a-f]{40,64})\t(.+)$/s.exec(token) ?? [];
    if (blob !== undefined && path !== undefined) files.set(path, blob);
  }
  if (isCut) tree.stdout.destroy();
  const { status } = await ended;
  return isCut || status === 0 ? files : null;
}

/** Parts that end with NUL. Null, and no more, for a part that is too long. */
async function* tokensOf(stream: Readable): AsyncGenerator<string | null> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of stream as AsyncIterable<Buffer>) {
    const data = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let from = 0;
    for (let at = data.indexOf(0, rest.length); at >= 0; at = data.indexOf(0, from)) {
      yield data.toString("utf8", from, at);
      from = at + 1;
    }
    rest = data.subarray(from);
    if (rest.length > MAX_PART) return yield null;
  }
}

/** The size of each of these contents that the clone has. */
export async function sizesOf(folder: GitFolder, blobs: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  if (blobs.length === 0) return sizes;
  const check = startGit(folder, ["cat-file", "--batch-check"]);
  check.stdin.end(blobs.map((blob) => `${blob}\n`).join(""));
  let rest = "";
  for await (const part of check.stdout as AsyncIterable<Buffer>) {
    const lines = (rest + part.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, blob, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(line) ?? [];
      if (blob !== undefined) sizes.set(blob, Number(size));
    }
  }
  return sizes;
}

/** Reads contents one after the other with one process. */
export class BlobReader {
  readonly #child: GitProcess;
  readonly #parts: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(folder: GitFolder) {
    this.#child = startGit(folder, ["cat-file", "--batch"]);
    this.#parts = (this.#child.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** Null when the clone does not have it, or git has ended. */
  async read(blob: string, size: number): Promise<Buffer | null> {
    this.#child.stdin.write(`${blob}\n`);
    const header = await this.#line();
    if (header !== `${blob} blob ${size}`) return null;
    const content = await this.#bytes(size + 1);
    return content === null ? null : content.subarray(0, size);
  }

  async #line(): Promise<string | null> {
    for (let at = this.#rest.indexOf(10); ; at = this.#rest.indexOf(10)) {
      if (at >= 0) {
        const line = this.#rest.toString("latin1", 0, at);
        this.#rest = this.#rest.subarray(at + 1);
        return line;
      }
      if (this.#rest.length > 1_000 || !(await this.#more())) return null;
    }
  }

  async #bytes(count: number): Promise<Buffer | null> {
    const parts = [this.#rest];
    let length = this.#rest.length;
    while (length < count) {
      const next = await this.#parts.next();
      if (next.done === true) return null;
      parts.push(next.value);
      length += next.value.length;
    }
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    this.#rest = all.subarray(count);
    return all.subarray(0, count);
  }

  async #more(): Promise<boolean> {
    const next = await this.#parts.next();
    if (next.done === true) return false;
    this.#rest = Buffer.concat([this.#rest, next.value]);
    return true;
  }

  async close(): Promise<void> {
    const ended = endOf(this.#child);
    this.#child.stdin.end();
    this.#child.stdout.destroy();
    await ended;
  }
}
