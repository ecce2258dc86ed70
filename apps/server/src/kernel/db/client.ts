// A `pg` client that never ends the process and knows how long it has been waiting for the server.
import pg from "pg";
import { markDatabaseError } from "./database-error.ts";

/**
 * INVARIANT: every connection to our own database is a `DatabaseClient`. `pg` emits "error" on a client whose connection drops,
 * `pg-pool` removes its own listener for as long as the client is checked out, and an "error" event without a listener ends the
 * process. The queries of the client reject as well, and their callers handle the failure.
 */
export class DatabaseClient extends pg.Client {
  #unanswered = 0;
  #waitingSince: number | null = null;
  #answeredAt = 0;
  /** The process id that the server sent; a pooler sends a different number. The types of `pg` lack this property. */
  declare readonly processID: number | null;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on("error", markDatabaseError);
    this.once("connect", () => (this.#waitingSince = null));
    this.once("end", () => (this.#waitingSince = null));
    const connect = this.connect.bind(this) as (...given: unknown[]) => unknown;
    this.connect = ((...given: unknown[]) => {
      this.#waitingSince = performance.now();
      return connect(...given);
    }) as typeof this.connect;
    const query = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((...given: unknown[]) => this.#follow(query(...given))) as typeof this.query;
  }

  /** While an answer is outstanding, milliseconds since the server last answered; otherwise 0. */
  get waitingFor(): number {
    return this.#waitingSince === null ? 0 : performance.now() - this.#waitingSince;
  }

  /** When the server last answered, as a value of `performance.now()`. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** Ends the connection without waiting for the server. Its outstanding queries reject. */
  cut(): void {
    this.connection.stream.destroy();
  }

  #follow(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    this.#unanswered += 1;
    this.#waitingSince ??= performance.now();
    const settled = (): void => {
      this.#unanswered -= 1;
      this.#waitingSince = this.#unanswered === 0 ? null : performance.now();
    };
    answer.then(
      () => {
        this.#answeredAt = performance.now();
        settled();
      },
      (error: unknown) => {
        markDatabaseError(error);
        // A refusal by PostgreSQL is an answer too. An error for a lost connection has no severity.
        if (error instanceof pg.DatabaseError) this.#answeredAt = performance.now();
        settled();
      },
    );
    return answer;
  }
}
