// Reads a file line by line, whatever its size.
import { createReadStream } from "node:fs";
import { CommandError } from "./command-error.ts";

/** An audit entry has a few hundred characters; a longer line than this is not an export. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * The lines of a file, or of standard input for "-", without their newlines. Only "\n" ends a line: node:readline
 * would also split at U+2028, which may be in a name. Throws CommandError (status 2) for unreadable input.
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  const stream = path === "-" ? process.stdin : createReadStream(path);
  stream.setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of stream as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (rest.length > LONGEST_LINE) throw new CommandError(`${path} is not a text file.`, { status: 2 });
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (rest !== "") yield rest;
}

export function unreadable(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined) return error;
  return new CommandError(`${path} cannot be read (${REASONS[code] ?? code}).`, { cause: error, status: 2 });
}

const REASONS: Record<string, string> = {
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
};
