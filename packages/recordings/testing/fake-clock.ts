// A clock that a test moves.
import { setImmediate } from "node:timers/promises";
import type { RecorderClock } from "../src/index.ts";

export class FakeClock implements RecorderClock {
  #now = 0;
  #timers: { at: number; act: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, act: () => void): () => void {
    const timer = { at: this.#now + milliseconds, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Lets the time pass; work that a timer starts runs before the next timer. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await settled();
    for (;;) {
      const [next] = this.#timers.toSorted((one, other) => one.at - other.at);
      if (next === undefined || next.at > until) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.#now = Math.max(this.#now, next.at);
      next.act();
      await settled();
    }
    this.#now = until;
  }
}

/** Resolves after everything that is ready has run. Nothing here waits for anything outside the process. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}
