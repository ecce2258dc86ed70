// Keeps the newest checkpoints outside the database, so that changes to the database cannot affect them.
import { parseCheckpoint, splitNotes } from "@strongroom/auditlog";
import { appendFile, mkdir, open, readFile, readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const NEWEST = "checkpoint";
const HISTORY = "checkpoints";
const LOCK = "checkpoint.lock";
/** After this many milliseconds, a lock that was not released belongs to a process that died. */
const STALE_LOCK = 10_000;

/**
 * The maximum number of notes in the history. A longer one is thinned: the newer half stays, and every second note of
 * the older half.
 */
const MOST_NOTES = 2000;

export interface CheckpointFile {
  /** The newest checkpoint that was written, unverified; null before the first. */
  read(): Promise<string | null>;
  /**
   * Writes a checkpoint, flushed to disk before the old one is replaced, and adds it to the history. `mayReplace` gets
   * the current one, under a lock that all processes of this machine share; when it returns false, nothing is written.
   */
  write(note: string, mayReplace: (there: string) => Promise<boolean>): Promise<boolean>;
  /**
   * Moves the newest checkpoint and the history aside permanently, after an administrator accepted a different history.
   */
  setAside(at: Date): Promise<void>;
  /** Every checkpoint that the database must extend. */
  readAll(): Promise<string[]>;
}

/** Creates `folder` if needed, accessible to the server's user only. */
export function openCheckpointFile(folder: string): CheckpointFile {
  const path = join(folder, NEWEST);
  const history = join(folder, HISTORY);
  /** The number of notes in the history, once this process has read it. */
  let length: number | null = null;

  async function addToHistory(note: string): Promise<void> {
    length ??= (await readHistory()).length;
    if (length >= MOST_NOTES) {
      const thinned = thin(await readHistory());
      await writeFlushed(`${history}.next`, thinned.join("\n"));
      await rename(`${history}.next`, history);
      length = thinned.length;
    }
    // An empty line separates two notes.
    await appendFile(history, length === 0 ? note : `\n${note}`, { mode: 0o600 });
    length++;
  }

  async function readHistory(): Promise<string[]> {
    const text = await readIfThere(history);
    // A process that died while appending leaves an incomplete note, which is ignored.
    return text === null ? [] : splitNotes(text).filter((note) => parseCheckpoint(note) !== null);
  }

  return {
    read: () => readIfThere(path),
    async write(note, mayReplace) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return withLock(join(folder, LOCK), async () => {
        const there = await readIfThere(path);
        if (there === note) return true;
        if (there !== null && !(await mayReplace(there))) return false;
        await writeFlushed(`${path}.next`, note);
        await rename(`${path}.next`, path);
        await addToHistory(note);
        await flush(folder);
        return true;
      });
    },
    async setAside(at) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await withLock(join(folder, LOCK), async () => {
        const suffix = `.accepted-${at.toISOString().replaceAll(":", "-")}`;
        for (const each of [path, history]) await rename(each, `${each}${suffix}`).catch(absent(undefined));
        length = null;
        await flush(folder);
      });
    },
    async readAll() {
      const names = (await listIfThere(folder)).filter(
        // Earlier versions, which did not ask an administrator, set the second kind of file aside.
        (name) => name === NEWEST || name.startsWith(`${NEWEST}.contradicted-`),
      );
      const notes = await Promise.all(names.map((name) => readIfThere(join(folder, name))));
      return [...new Set([...notes.filter((note) => note !== null), ...(await readHistory())])];
    },
  };
}

/** Keeps the newer half and every second one of the older notes, so that notes of every age remain. */
function thin(notes: readonly string[]): string[] {
  const sorted = notes.toSorted((a, b) => (parseCheckpoint(a)?.size ?? 0) - (parseCheckpoint(b)?.size ?? 0));
  const half = Math.floor(sorted.length / 2);
  return sorted.filter((_, index) => index >= half || index % 2 === 0);
}

/** Holds a lock that is shared by all processes on this machine. */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  let [seen, since] = [0, performance.now()];
  while (!(await takeLock(path))) {
    const mtime = await stat(path).then(({ mtimeMs }) => mtimeMs, absent(0));
    if (mtime !== seen) [seen, since] = [mtime, performance.now()];
    if (performance.now() - since > STALE_LOCK) await unlink(path).catch(absent(undefined));
    else await delay(20);
  }
  try {
    return await work();
  } finally {
    await unlink(path).catch(absent(undefined));
  }
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename survives a power cut only once its folder is flushed. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(absent(null));
}

async function listIfThere(folder: string): Promise<string[]> {
  return readdir(folder).catch(absent([]));
}

function absent<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
}
