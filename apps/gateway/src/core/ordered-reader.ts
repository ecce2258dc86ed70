// Passes pieces of streams on one after the other, and pauses the streams while too much waits.

/** One packet more than this can wait. */
const MOST_WAITING_BYTES = 256 * 1024;

interface Source {
  on(event: "data", listener: (bytes: Buffer) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

export class OrderedReader {
  #waitingPieces = 0;
  #waitingBytes = 0;
  #last: Promise<void> = Promise.resolve();
  readonly #paused = new Set<Source>();

  /** Calls `take` for each piece, and again, for any stream of this reader, only after its promise has settled. It never rejects. */
  read(source: Source, take: (bytes: Buffer) => Promise<void>): void {
    source.on("data", (bytes) => {
      const isNext = this.#waitingPieces === 0;
      this.#waitingPieces += 1;
      this.#waitingBytes += bytes.length;
      if (this.#waitingBytes > MOST_WAITING_BYTES) {
        this.#paused.add(source);
        source.pause();
      }
      const taken = isNext ? take(bytes) : this.#last.then(() => take(bytes));
      this.#last = taken.then(() => this.#taken(bytes.length));
    });
  }

  /** Resolves when everything that was read so far has been taken. */
  get settled(): Promise<void> {
    return this.#last;
  }

  #taken(bytes: number): void {
    this.#waitingPieces -= 1;
    this.#waitingBytes -= bytes;
    if (this.#paused.size === 0 || this.#waitingBytes > MOST_WAITING_BYTES) return;
    for (const source of this.#paused) source.resume();
    this.#paused.clear();
  }
}
