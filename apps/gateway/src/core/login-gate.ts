// Limits how many logins on one target can fail within a short time. All logins of a gateway come from one address, which
// OpenSSH's PerSourcePenalties would lock out for every user after three failures (5 s each, from 15 s on).
import type { TimerClock } from "./ports.ts";

/** Logins of unknown result and recent failures together: fewer than lock out an address. */
const MOST_AT_RISK = 2;
/** A failure counts for this long: longer than its penalty of 5 s lasts, so that two never add up with later ones. */
const FAILURE_COUNTS_MS = 20_000;
/** Longer than a failure counts, so that failures of others delay a login but do not refuse it. */
const LONGEST_WAIT_MS = 25_000;

interface TargetState {
  running: number;
  failedAt: number[];
  waiting: (() => void)[];
}

export type GateOutcome = "logged-in" | "failed" | "unreached";

export class LoginGate {
  readonly #clock: TimerClock;
  readonly #targets = new Map<string, TargetState>();

  constructor(clock: TimerClock) {
    this.#clock = clock;
  }

  /**
   * Resolves with a function that reports the outcome, which must be called once. Null when the target had too many failures for
   * as long as a user waits, or when `signal` is aborted.
   */
  async enter(target: string, signal: AbortSignal): Promise<((outcome: GateOutcome) => void) | null> {
    const state = this.#targets.get(target) ?? { running: 0, failedAt: [], waiting: [] };
    this.#targets.set(target, state);
    const until = this.#now() + LONGEST_WAIT_MS;
    while (!this.#hasRoom(state)) {
      if (signal.aborted || this.#now() >= until) return null;
      await this.#change(state, signal, until);
    }
    if (signal.aborted) return null;
    state.running += 1;
    return (outcome) => {
      state.running -= 1;
      if (outcome === "failed") state.failedAt.push(this.#now());
      for (const wake of state.waiting.splice(0)) wake();
      this.#forget();
    };
  }

  #now(): number {
    return this.#clock.now().getTime();
  }

  #hasRoom(state: TargetState): boolean {
    state.failedAt = state.failedAt.filter((at) => at > this.#now() - FAILURE_COUNTS_MS);
    return state.running + state.failedAt.length < MOST_AT_RISK;
  }

  /** Resolves when a login ended, a failure stops counting, the wait is over, or the user has left. */
  #change(state: TargetState, signal: AbortSignal, until: number): Promise<void> {
    return new Promise((resolve) => {
      const [oldest] = state.failedAt;
      const next = Math.min(until, oldest === undefined ? until : oldest + FAILURE_COUNTS_MS);
      const cancel = this.#clock.after(Math.max(1, next - this.#now()), () => wake());
      const wake = () => {
        cancel();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      signal.addEventListener("abort", wake);
      state.waiting.push(wake);
    });
  }

  #forget(): void {
    for (const [target, state] of this.#targets) {
      const isIdle = state.running === 0 && state.waiting.length === 0;
      if (isIdle && state.failedAt.every((at) => at <= this.#now() - FAILURE_COUNTS_MS)) this.#targets.delete(target);
    }
  }
}
