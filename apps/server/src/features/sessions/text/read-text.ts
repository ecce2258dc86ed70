// The text of a recording as its terminal showed it, read in a worker thread with limited time and memory.
import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { TerminalText } from "@strongroom/recordings/terminal-text";
import type { FromWorker, TextChunk, ToWorker } from "./text-worker.ts";

/** Output of a usual program takes milliseconds per chunk. */
const CHUNK_WITHIN_MS = 20_000;
const MEMORY_MB = 192;

/** The target's output made the terminal too slow or too large. */
export class TextNotReadError extends Error {
  override readonly name = "TextNotReadError";
}

/** Yields lines and marks. Throws TextNotReadError for output that takes too long; the values yielded before are valid. */
export async function* readText(
  chunks: AsyncIterable<TextChunk>,
  withinMs = CHUNK_WITHIN_MS,
): AsyncGenerator<TerminalText> {
  const worker = new Worker(new URL("./text-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const source = chunks[Symbol.asyncIterator]();
  const deadline = setTimeout(() => void worker.terminate(), withinMs);
  try {
    for await (const [message] of on(worker, "message", { close: ["exit"] }) as AsyncIterable<[FromWorker]>) {
      deadline.refresh();
      if (message.kind === "end") return;
      if (message.kind === "text") {
        yield { lines: message.lines, marks: message.marks };
        continue;
      }
      const next = await source.next();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      worker.postMessage((next.done === true ? null : next.value) satisfies ToWorker);
      deadline.refresh();
    }
  } catch (cause) {
    throw new TextNotReadError("The terminal stopped.", { cause });
  } finally {
    clearTimeout(deadline);
    await source.return?.();
    await worker.terminate();
  }
  throw new TextNotReadError("The terminal took too long.");
}
