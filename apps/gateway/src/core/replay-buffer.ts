// The last output of a terminal, shown again when its user reconnects or a watcher joins.

export class ReplayBuffer {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(bytes: Buffer): void {
    // A copy: the piece may be a small part of a large packet, which it would keep in memory.
    const kept = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.#limit)));
    if (kept.length < bytes.length) this.#isCut = true;
    this.#chunks.push(kept);
    this.#bytes += kept.length;
    while (this.#bytes > this.#limit) {
      this.#bytes -= this.#chunks.shift()!.length;
      this.#isCut = true;
    }
    // Many keystrokes would otherwise be many small objects.
    if (this.#chunks.length > 1024) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** Begins at the start of a line once older output was dropped: half an escape sequence would garble the screen. */
  content(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return this.#isCut ? all.subarray(all.indexOf(0x0a) + 1) : all;
  }
}
