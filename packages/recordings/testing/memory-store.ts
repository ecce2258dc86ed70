// A ChunkStore in memory that can fail or stop answering, and that remembers partial writes.
import type { ChunkStore, SealedChunk } from "../src/index.ts";

export class MemoryStore implements ChunkStore {
  #bytes: Buffer = Buffer.alloc(0);
  readonly stored: SealedChunk[] = [];
  calls = 0;
  isBusy = false;
  /** "fails": rejects after half of the bytes were written. "hangs": answers when the mode changes. */
  #mode: "works" | "fails" | "hangs" = "works";
  #resume: (() => void)[] = [];

  set mode(mode: "works" | "fails" | "hangs") {
    this.#mode = mode;
    for (const resume of this.#resume.splice(0)) resume();
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  async store(chunk: SealedChunk): Promise<void> {
    if (this.isBusy) throw new Error("calls overlap");
    this.isBusy = true;
    this.calls += 1;
    try {
      while (this.#mode === "hangs") await new Promise<void>((resolve) => this.#resume.push(resolve));
      const isFull = this.#mode === "fails";
      const written = isFull ? chunk.bytes.subarray(0, chunk.bytes.length / 2) : chunk.bytes;
      this.#bytes = Buffer.concat([this.#bytes.subarray(0, chunk.offset), written]);
      if (isFull) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      this.stored.push(chunk);
    } finally {
      this.isBusy = false;
    }
  }
}
