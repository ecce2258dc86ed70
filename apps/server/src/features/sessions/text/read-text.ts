// The text of recordings as their terminals showed it, read in a worker thread with limited time and memory.
import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { TerminalText } from "@strongroom/recordings/terminal-text";
import type { FromWorker, TextChunk, ToWorker } from "./text-worker.ts";

/** The output of an ordinary program takes milliseconds per chunk. */
const CHUNK_WITHIN_MS = 20_000;
const MEMORY_MB = 192;

/** The target's output made the terminal too slow or too large. */
export class TextNotReadError extends Error {
  override readonly name = "TextNotReadError";
}

/** Reads one recording at a time. Starting the thread takes longer than reading most recordings, so all of them share it. */
export class TextReader {
  #worker: Worker | null = null;

  /** Yields lines and marks. Throws TextNotReadError for output that takes too long; the values yielded before are valid. */
  async *read(chunks: AsyncIterable<TextChunk>, withinMs = CHUNK_WITHIN_MS): AsyncGenerator<TerminalText> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const source = chunks[Symbol.asyncIterator]();
    const deadline = setTimeout(() => void worker.terminate(), withinMs);
    let isRead = false;
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
      const tell = (message: ToWorker) => worker.postMessage(message);
      tell("begin");
      for await (const [message] of on(worker, "message", { close: ["exit"] }) as AsyncIterable<[FromWorker]>) {
        deadline.refresh();
        if (message.kind === "end") {
          isRead = true;
          return;
        }
        if (message.kind === "text") {
          yield { lines: message.lines, marks: message.marks };
          continue;
        }
        const next = await source.next();
        tell(next.done === true ? null : next.value);
        deadline.refresh();
      }
    } catch (cause) {
      throw new TextNotReadError("The terminal stopped.", { cause });
    } finally {
      clearTimeout(deadline);
      await source.return?.();
      // The next recording gets a new terminal in a new thread.
      if (!isRead) await this.close();
    }
    throw new TextNotReadError("The terminal took too long.");
  }

  #start(): Worker {
    const worker = new Worker(new URL("./text-worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    // Between two recordings no other listener exists, and without one an error would end the server.
    worker.on("error", () => {});
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}
