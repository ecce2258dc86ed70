// The newest checkpoint outside of the database: a database that was cut back or replaced cannot take it along.
import { mkdir, open, readFile, readdir, rename } from "node:fs/promises";
import { join } from "node:path";

const NAME = "checkpoint";

export interface CheckpointFile {
  /** The newest checkpoint that was written; null when there is none. */
  read(): Promise<string | null>;
  /** Replaces it, flushed to the disk before the old one goes. */
  write(note: string): Promise<void>;
  /** Keeps it for good under another name, because the database contradicts it. Nothing here removes it again. */
  setAside(at: Date): Promise<void>;
  /** The newest checkpoint and all that were set aside. */
  readAll(): Promise<string[]>;
}

/** `folder` is made when needed, for the server's user alone. */
export function openCheckpointFile(folder: string): CheckpointFile {
  const path = join(folder, NAME);
  return {
    read: () => readIfThere(path),
    async write(note) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const next = `${path}.next`;
      await writeFlushed(next, note);
      await rename(next, path);
      await flush(folder);
    },
    async setAside(at) {
      await rename(path, `${path}.contradicted-${at.toISOString().replaceAll(":", "-")}`);
      await flush(folder);
    },
    async readAll() {
      const names = (await listIfThere(folder)).filter(
        (name) => name === NAME || name.startsWith(`${NAME}.contradicted-`),
      );
      const notes = await Promise.all(names.map((name) => readIfThere(join(folder, name))));
      return notes.filter((note) => note !== null);
    },
  };
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

/** A rename is only safe from a power cut once its folder is flushed. */
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
