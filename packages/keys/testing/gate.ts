// Blocks an asynchronous step until a test opens the gate, so that the test can act in between.

export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  /** Resolves once a caller is waiting at the gate. */
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
