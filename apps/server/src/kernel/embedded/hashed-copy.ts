// Copies files with a checksum of the written bytes, and flushes them to disk.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

const PIECE = 1024 * 1024;

export interface Written {
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

/**
 * Creates `target` (mode 0600), which must not exist. Copies up to the end of `source` at the time of reading, but at most one
 * byte more than `limit`. If there is no `source`, creates nothing and returns null. Follows no symbolic link.
 */
export async function copyHashed(source: string, target: string, limit = Infinity): Promise<Written | null> {
  const from = await openSource(source);
  if (from === null) return null;
  try {
    return await writePieces(target, () => piecesOf(from, limit));
  } finally {
    await from.close();
  }
}

/** Reads a file like `copyHashed`, but copies nothing. */
export async function hashFile(source: string, limit: number): Promise<Written | null> {
  const from = await openSource(source);
  if (from === null) return null;
  try {
    const hash = createHash("sha256");
    let size = 0;
    for await (const piece of piecesOf(from, limit)) {
      hash.update(piece);
      size += piece.length;
    }
    return { size, sha256: hash.digest("hex") };
  } finally {
    await from.close();
  }
}

async function openSource(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

async function* piecesOf(from: FileHandle, limit: number): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(PIECE);
  for (let left = limit + 1; left > 0;) {
    const { bytesRead } = await from.read(piece, 0, Math.min(PIECE, left));
    if (bytesRead === 0) return;
    left -= bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Creates `target` (mode 0600), which must not exist. */
export function writeHashed(target: string, content: Buffer | string): Promise<Written> {
  return writePieces(target, async function* () {
    yield Buffer.from(content);
  });
}

async function writePieces(target: string, pieces: () => AsyncGenerator<Buffer>): Promise<Written> {
  const hash = createHash("sha256");
  let size = 0;
  const to = await open(target, "wx", 0o600);
  try {
    for await (const piece of pieces()) {
      hash.update(piece);
      size += piece.length;
      await to.appendFile(piece);
    }
  } finally {
    await to.close();
  }
  return { size, sha256: hash.digest("hex") };
}

/** Flushes a file, or the list of names in a folder, to disk. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes after all files were written, which is much faster, because the first flush includes most of the others. */
export async function flushAll(paths: readonly string[]): Promise<void> {
  await forEachOfMany(paths, flush);
}

/**
 * Runs the work for each item with limited concurrency. After a failure, no new item starts, and the promise rejects once the
 * running ones end.
 */
export async function forEachOfMany<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 8,
): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (failures.length > 0) return;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
