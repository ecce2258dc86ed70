// The last output of a terminal, shown again when its user reconnects or a watcher joins.

const FIRST_BYTES = 4096;

/** A ring that grows up to its limit. One object per piece of output would keep the garbage collector busy. */
export class ReplayBuffer {
  #ring = Buffer.alloc(0);
  #bytes = 0;
  /** Where the next byte is written. */
  #end = 0;
  #isCut = false;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#limit));
    if (this.#bytes + bytes.length > this.#limit) this.#isCut = true;
    this.#makeRoom(kept.length);
    const copied = kept.copy(this.#ring, this.#end);
    kept.copy(this.#ring, 0, copied);
    this.#end = (this.#end + kept.length) % this.#ring.length;
    this.#bytes = Math.min(this.#ring.length, this.#bytes + kept.length);
  }

  /** Begins at the start of a line once older output was dropped: half an escape sequence would garble the screen. */
  content(): Buffer {
    const all = this.#all();
    return this.#isCut ? all.subarray(all.indexOf(0x0a) + 1) : all;
  }

  #makeRoom(more: number): void {
    const needed = Math.min(this.#limit, this.#bytes + more);
    if (needed <= this.#ring.length) return;
    const all = this.#all();
    let size = Math.max(FIRST_BYTES, this.#ring.length);
    while (size < needed) size *= 2;
    this.#ring = Buffer.alloc(Math.min(size, this.#limit));
    all.copy(this.#ring);
    this.#end = all.length % this.#ring.length;
  }

  #all(): Buffer {
    if (this.#bytes < this.#ring.length) return Buffer.from(this.#ring.subarray(0, this.#bytes));
    return Buffer.concat([this.#ring.subarray(this.#end), this.#ring.subarray(0, this.#end)]);
  }
}
