// Appends lines to a file: whole lines only, flushed before they count as delivered, and rotated above a maximum size.
import { constants } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "../context.ts";

interface FileLimits {
  name: string;
  rotate_megabytes: number;
  keep_files: number;
}

const MEGABYTE = 1024 * 1024;

/** `text` ends with a newline. Creates the file and its folder if needed, readable for the server's group. */
export async function appendFile(folder: string, limits: FileLimits, text: string): Promise<Outcome> {
  try {
    await append(folder, limits, Buffer.from(text, "utf8"));
    return { isTaken: true, message: `Written to ${limits.name}.` };
  } catch (error) {
    return { isTaken: false, message: sentenceOf(error, limits.name) };
  }
}

async function append(
  folder: string,
  { name, rotate_megabytes, keep_files }: FileLimits,
  bytes: Buffer,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const path = join(folder, name);
  let file = await openToAppend(path);
  try {
    let size = await endOfLines(file);
    if (size > 0 && size + bytes.length > rotate_megabytes * MEGABYTE) {
      await file.close();
      await rotate(folder, name, keep_files);
      file = await openToAppend(path);
      size = 0;
    }
    await writeWhole(file, size, bytes);
    if (size === 0) await flushFolder(folder);
  } finally {
    await file.close();
  }
}

/** Does not follow a symbolic link out of the folder. */
const openToAppend = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o640);

/** Writes all bytes or none: a partial line would merge with the next one. */
async function writeWhole(file: FileHandle, size: number, bytes: Buffer): Promise<void> {
  try {
    await file.appendFile(bytes);
    await file.datasync();
  } catch (error) {
    await file.truncate(size);
    throw error;
  }
}

/**
 * Returns the offset after the last whole line. Truncates a partial line after it, left by a process that died while
 * writing; its entry is sent again.
 */
async function endOfLines(file: FileHandle): Promise<number> {
  const stat = await file.stat();
  if (!stat.isFile()) throw Object.assign(new Error("not a file"), { code: "EISDIR" });
  const { size } = stat;
  const piece = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - piece.length);
    await file.read(piece, 0, end - start, start);
    const last = piece.subarray(0, end - start).lastIndexOf("\n");
    if (last >= 0) {
      if (start + last + 1 < size) await file.truncate(start + last + 1);
      return start + last + 1;
    }
    end = start;
  }
  if (size > 0) await file.truncate(0);
  return 0;
}

/** Renames `name` to `name.1`, `name.1` to `name.2` and so on, and deletes the oldest. */
async function rotate(folder: string, name: string, keep: number): Promise<void> {
  const at = (number: number) => join(folder, number === 0 ? name : `${name}.${number}`);
  await rm(at(keep), { force: true });
  for (let number = keep - 1; number >= 0; number--) {
    await rename(at(number), at(number + 1)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  await flushFolder(folder);
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const SENTENCES: Record<string, string> = {
  ENOSPC: "The disk is full.",
  EDQUOT: "The server's disk quota is used up.",
  EACCES: "The server has no permission to write there.",
  EPERM: "The server has no permission to write there.",
  EROFS: "The disk is read-only.",
  ELOOP: "The path is a symbolic link, not a file.",
  EISDIR: "The path is not a file.",
};

function sentenceOf(error: unknown, name: string): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return `${name} cannot be written. ${SENTENCES[code] ?? `System error: ${code || "unknown"}.`}`;
}
