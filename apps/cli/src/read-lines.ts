// Reads a file line by line, whatever its size.
import { createReadStream } from "node:fs";
import { CommandError } from "./command-error.ts";

/** An entry of the audit trail has a few hundred characters; what is longer than this is no export. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * The lines of a file, or of standard input for "-", without their newlines. Only "\n" ends a line: node:readline would
 * also break at U+2028, which may stand in a name. Throws CommandError (status 2) for what cannot be read.
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
      if (rest.length > LONGEST_LINE) throw new CommandError(`${path} is not a text of lines.`, { status: 2 });
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
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
};
