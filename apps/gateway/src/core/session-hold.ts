// Holds back the traffic of a live session while its input is paused, or while a required watcher is missing.

export interface SessionHoldOptions {
  /** Four eyes: nothing moves unless another user watches. */
  needsWatcher: boolean;
  /** Called with the sentence for the user; null: everything moves. */
  onChanged: (reason: string | null) => void;
}

const NOT_WATCHED = "Waiting until another user watches this session.";

export class SessionHold {
  readonly #options: SessionHoldOptions;
  #needsWatcher: boolean;
  #recorderProblem: string | null = null;
  #pausedBy: string | null = null;
  #isWatched = false;
  #isEnded = false;
  #shown: string | null;
  #changed = Promise.withResolvers<void>();

  constructor(options: SessionHoldOptions) {
    this.#options = options;
    this.#needsWatcher = options.needsWatcher;
    this.#shown = this.reason;
  }

  /** The sentence for the user; null: everything moves. */
  get reason(): string | null {
    if (this.#recorderProblem !== null) return this.#recorderProblem;
    if (this.#isUnwatched) return NOT_WATCHED;
    return this.#pausedBy === null ? null : `${this.#pausedBy} paused your input.`;
  }

  get isInputHeld(): boolean {
    return !this.#isEnded && (this.#isUnwatched || this.#pausedBy !== null);
  }

  get isOutputHeld(): boolean {
    return !this.#isEnded && this.#isUnwatched;
  }

  get #isUnwatched(): boolean {
    return this.#needsWatcher && !this.#isWatched;
  }

  /** The recorder holds its own traffic back; only the sentence is shown here. */
  recorderStopped(problem: string | null): void {
    this.#recorderProblem = problem;
    this.#change();
  }

  /** The platform's rule has changed. */
  requireWatcher(isRequired: boolean): void {
    this.#needsWatcher = isRequired;
    this.#change();
  }

  pauseInput(by: string | null): void {
    this.#pausedBy = by;
    this.#change();
  }

  watched(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#change();
  }

  /** Lets everything that waits continue, which then notices the end of the session. */
  end(): void {
    this.#isEnded = true;
    this.#change();
  }

  async inputMoves(): Promise<void> {
    while (this.isInputHeld) await this.#changed.promise;
  }

  async outputMoves(): Promise<void> {
    while (this.isOutputHeld) await this.#changed.promise;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
    const { reason } = this;
    if (reason === this.#shown || this.#isEnded) return;
    this.#shown = reason;
    this.#options.onChanged(reason);
  }
}
