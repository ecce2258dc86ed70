// Captures the log during a call, and fails when the log or the result contains a secret.
import assert from "node:assert/strict";
import { inspect } from "node:util";

/** The active watches; several tests of a file may run concurrently. */
const watches = new Set<string[]>();
const tell = (text: string) => watches.forEach((written) => written.push(text));

/** Runs `work`, then asserts that none of `secrets` is in its result, however printed, or in the process's log. */
export async function withoutLeak<T>(secrets: readonly string[], work: () => Promise<T>): Promise<T> {
  listen();
  const written: string[] = [];
  watches.add(written);
  try {
    const result = await work();
    const printed = [JSON.stringify(result), inspect(result, { depth: null, showHidden: true }), ...written].join("\n");
    for (const secret of secrets) assert.ok(!printed.includes(secret), "a secret is in the result or the log");
    return result;
  } finally {
    watches.delete(written);
  }
}

let isListening = false;

/** Passes everything that the process writes on to its destination, and to the watches. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      tell(Buffer.from(chunk as Uint8Array).toString());
      return write(chunk, ...rest);
    };
  }
  process.on("warning", (warning) => tell(inspect(warning)));
}
