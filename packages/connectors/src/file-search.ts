// A search for files on a target: its request, its parts and its end.

export interface FileSearch {
  /** Absolute folders; other file systems mounted below them are left out. Or places of single files. */
  roots: readonly string[];
  /** Patterns of file names with `*` and `?`. */
  names: readonly string[];
  /** Patterns of whole paths, or of names when they contain no slash. Matching folders are not entered. */
  excludes: readonly string[];
  /** Bytes; larger files are left out. */
  maxFileSize: number;
  /** Bytes of content, in total. */
  maxTotalBytes: number;
  maxFiles: number;
  /** Reading pauses while the one-minute load per core is higher. Null: no limit. */
  maxLoadPerCore: number | null;
  /** Also reads earlier versions of files, where the target keeps them. */
  history: boolean;
  /** Paths of an earlier search, to learn which of them no longer exist. */
  known: readonly string[];
}

export interface FoundFile {
  path: string;
  size: number;
  /** Changes whenever the content, the owner or the mode may have changed. */
  stamp: string;
  /** ISO 8601. */
  modifiedAt: string;
  /** Octal digits, such as `640`. */
  mode: string;
  owner: string;
  group: string;
}

/** One version of a file in a repository. Versions of one file are read one after the other, the newest first. */
export interface FileVersion {
  /** The commit that added it. */
  commit: string;
  author: string;
  /** ISO 8601. */
  committedAt: string;
  /** It is the current file of the default branch. */
  isCurrent: boolean;
  /** The last one of this file in this search. */
  isLast: boolean;
}

export interface ReadFile extends FoundFile {
  /** Absent when the target keeps no versions. */
  version?: FileVersion;
  /** The content equals the file of the installed package. */
  isOfPackage: boolean;
  content: Buffer;
}

/** A running process, as far as the login may read it. */
export interface ReadProcess {
  /** Empty when the process has ended in the meantime. */
  user: string;
  /** The name of its program, at most 15 bytes. Each process chooses its own. */
  name: string;
  args: readonly string[];
  /** Settings such as `HOME=/root`; empty when the login may not read them. */
  environment: readonly string[];
}

/** Receives what a search finds. Reading waits for every promise. */
export interface FileReader {
  /** Chooses the files to read. */
  choose(files: readonly FoundFile[]): Promise<readonly FoundFile[]>;
  read(file: ReadFile): Promise<void>;
  /** Absent: processes are not read. `isComplete` is false when the host has more than were read. */
  readProcesses?(processes: readonly ReadProcess[], isComplete: boolean): Promise<void>;
}

/** The reason why a search did not read everything. */
export type ReadLimit = "time" | "files" | "bytes";

/** The end of a search that reached the target. */
export interface Searched {
  outcome: "read";
  message: string;
  /** Paths that could not be read, or that changed during the read; at most 100. */
  unread: string[];
  unreadCount: number;
  /** Known places that no longer exist. */
  gone: string[];
  /** `files` also counts tables. */
  limit: ReadLimit | null;
}

export interface FilesRead extends Searched {
  /** How files of a host were read: with its `find` and `tar`, or over SFTP. */
  way: "tar" | "sftp" | null;
  /** Whether root read the files. */
  isRoot: boolean;
  /** JSON-safe observations, such as the host key; never a secret. */
  facts: Readonly<Record<string, unknown>>;
}

/** The number of unreadable paths that a result names. */
const MAX_NAMED_UNREAD = 100;

/** The unreadable places: all are counted, some are named. */
export class Unread {
  readonly #paths = new Set<string>();
  count = 0;

  add(path: string): void {
    this.count += 1;
    if (this.#paths.size < MAX_NAMED_UNREAD) this.#paths.add(path);
  }

  get paths(): string[] {
    return [...this.#paths];
  }
}

/** The parts of a running search that its limits need. */
interface Limited {
  search: FileSearch;
  current: { signal: AbortSignal; remainingMs: () => number };
  /** Ends the reading early, without an error. */
  limit: ReadLimit | null;
}

/** The end of an attempt is kept for the results. */
export const RESERVED_MS = 1_000;

/** Whether the time limit is reached, or the attempt has ended. */
export function isOver(reading: Pick<Limited, "current" | "limit">): boolean {
  if (reading.current.signal.aborted) return true;
  if (reading.current.remainingMs() > RESERVED_MS) return false;
  reading.limit = "time";
  return true;
}

/** The files that fit into the limits of the search, in their order. */
export function withinLimits(reading: Limited, files: readonly FoundFile[]): FoundFile[] {
  const { maxTotalBytes } = reading.search;
  let bytes = 0;
  const kept = files.filter(({ size }) => {
    if (bytes + size > maxTotalBytes) return false;
    bytes += size;
    return true;
  });
  if (kept.length < files.length) reading.limit ??= "bytes";
  return kept;
}

/** Works on at most `limit` items at the same time. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
