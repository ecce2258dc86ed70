// Holds an asynchronous step until a test opens it, so that a test acts exactly in between.

export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  /** Resolves once somebody waits at the gate. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  pass(): Promise<void> {
    this.#reached.resolve();
    return this.#opened.promise;
  }

  open(): void {
    this.#opened.resolve();
  }
}
