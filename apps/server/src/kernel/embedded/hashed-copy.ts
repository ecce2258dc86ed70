// Copying files with a checksum of what was written, and flushing them to the disk.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

const PIECE = 1024 * 1024;

export interface Written {
  size: number;
  /** In hex. */
  sha256: string;
}

/**
 * Makes `target` (mode 0600), which must not exist. Copies up to where `source` ends when it is read. Returns null, having
 * made nothing, when there is no `source`.
 */
export async function copyHashed(source: string, target: string): Promise<Written | null> {
  const from = await open(source, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (from === null) return null;
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    return await writePieces(target, async function* () {
      for (;;) {
        const { bytesRead } = await from.read(piece, 0, PIECE);
        if (bytesRead === 0) return;
        yield piece.subarray(0, bytesRead);
      }
    });
  } finally {
    await from.close();
  }
}

/** Makes `target` (mode 0600), which must not exist. */
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

/** Returns when a file, or the names in a folder, are on the disk. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** After all of them were written: the first flush takes most of the others along, which is many times faster. */
export async function flushAll(paths: readonly string[]): Promise<void> {
  await forEachOfMany(paths, flush);
}

/** Does the work for each, some at a time. When one fails no other is begun, and it rejects after those under way. */
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
