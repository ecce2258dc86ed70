// Reads a file that others may replace or extend in the meantime.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

/** The content of a file of at most `most` bytes. Rejects as `open` does. */
export async function readFileUpTo(
  path: string | Buffer,
  most: number,
  flags = 0,
): Promise<Uint8Array | "too large" | "unreadable"> {
  // A pipe in place of the file must not block.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const kind = await handle.stat();
    if (!kind.isFile()) return "unreadable";
    return kind.size > most ? "too large" : await readUpTo(handle, kind.size, most);
  } finally {
    await handle.close();
  }
}

async function readUpTo(handle: FileHandle, expected: number, most: number): Promise<Uint8Array | "too large"> {
  let content = new Uint8Array(Math.min(most, Math.max(expected, 4095)) + 1);
  for (let length = 0; ;) {
    const { bytesRead } = await handle.read(content, length, content.length - length, null);
    length += bytesRead;
    if (length > most) return "too large";
    if (bytesRead === 0) return content.slice(0, length);
    if (length < content.length) continue;
    const longer = new Uint8Array(Math.min(most + 1, length + 65_536));
    longer.set(content);
    content = longer;
  }
}
