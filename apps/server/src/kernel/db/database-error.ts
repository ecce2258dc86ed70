// Maps errors of PostgreSQL and its connections to refusals, because failures of the database are expected and not bugs.
import { refuse } from "../http/refuse.ts";
import type { Refusal } from "../http/refuse.ts";

/**
 * Marks errors that came from our own database. Only these become refusals, because the code ECONNREFUSED may also come from a
 * mail server or a target system.
 */
const ours = new WeakSet<object>();

export function markDatabaseError(error: unknown): void {
  if (typeof error === "object" && error !== null) ours.add(error);
}

/** The connection was lost during COMMIT, so it is unknown whether the transaction was committed. */
export class OutcomeUnknown extends Error {
  override name = "OutcomeUnknown";

  constructor(cause: unknown) {
    super("the connection to the database was lost during commit", { cause });
    markDatabaseError(this);
  }
}

/** Nothing was sent, because the database is known to be unavailable or no connection became free in time. */
export class NoConnection extends Error {
  override name = "NoConnection";
  readonly why: "unavailable" | "busy";

  constructor(why: "unavailable" | "busy", message: string, cause?: unknown) {
    super(message, { cause });
    this.why = why;
    markDatabaseError(this);
  }
}

const REFUSALS = {
  full: () =>
    refuse(
      503,
      "database.full",
      "The database's disk is full, so changes cannot be saved. An administrator must free disk space.",
      {
        retryAfter: 30,
      },
    ),
  "read-only": () =>
    refuse(503, "database.read-only", "The database is not accepting changes. Try again in a minute.", {
      retryAfter: 15,
    }),
  unavailable: () =>
    refuse(503, "database.unavailable", "The database cannot be reached. Try again shortly.", {
      retryAfter: 3,
    }),
  busy: () => refuse(503, "database.busy", "The database is busy. Try again shortly.", { retryAfter: 2 }),
  pooler: () =>
    refuse(503, "database.pooler-mode", "The connection pooler in front of the database is not in session mode.", {
      retryAfter: 30,
    }),
  "outcome-unknown": () =>
    refuse(
      503,
      "database.outcome-unknown",
      "The connection to the database was lost while the change was being saved, so it may or may not have been made. " +
        "Check before you repeat it.",
      { retryAfter: 3 },
    ),
} satisfies Record<string, () => Refusal>;

type Cause = keyof typeof REFUSALS;

/** Keyed by SQLSTATE (PostgreSQL, appendix A), or by its two-character class. */
const BY_STATE: Record<string, Cause> = {
  // connection_exception; poolers report their own failures as 08P01
  "08": "unavailable",
  // insufficient_resources: out of memory, too many connections; disk_full is mapped separately
  "53": "busy",
  "53100": "full",
  "25006": "read-only",
  // idle_in_transaction_session_timeout ended the connection
  "25P03": "unavailable",
  // invalid_sql_statement_name and duplicate_prepared_statement: the statements of one connection reach several servers
  "26000": "pooler",
  "42P05": "pooler",
  // serialization_failure and deadlock_detected, after the retry failed too
  "40001": "busy",
  "40P01": "busy",
  // lock_not_available
  "55P03": "busy",
  // query_canceled, by our statement_timeout
  "57014": "busy",
  // admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, idle_session_timeout
  "57P": "unavailable",
  // io_error
  "58030": "unavailable",
};

const NETWORK = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** `pg` has no codes for these errors. */
const LOST = /^(connection terminated|client has encountered a connection error|client was closed|timeout expired)/i;

/** Too many callers were waiting for a connection from the pool. */
const POOL_TIMEOUT = /^timeout exceeded when trying to connect/;

function causeOf(error: object): Cause | null {
  if (error instanceof OutcomeUnknown) return "outcome-unknown";
  if (error instanceof NoConnection) return error.why;
  const { code, message = "" } = error as { code?: unknown; message?: string };
  if (typeof code === "string") {
    if (NETWORK.has(code)) return "unavailable";
    const known = BY_STATE[code] ?? BY_STATE[code.slice(0, 3)] ?? BY_STATE[code.slice(0, 2)];
    return known ?? null;
  }
  if (POOL_TIMEOUT.test(message)) return "busy";
  return LOST.test(message) ? "unavailable" : null;
}

/** The maximum depth of nested causes. */
const DEPTH = 5;

/** The 503 for a failure of our own database, even if the failure is the cause of another error; null for any other error. */
export function databaseRefusal(error: unknown): Refusal | null {
  let each = error;
  for (let depth = 0; depth < DEPTH && typeof each === "object" && each !== null; depth++) {
    const cause = ours.has(each) ? causeOf(each) : null;
    if (cause !== null) return REFUSALS[cause]();
    each = (each as { cause?: unknown }).cause;
  }
  return null;
}

/** `pg` refuses, without sending it, a statement on a connection that it knows is closed. */
const NOT_SENT = /^client (has encountered a connection error|was closed)/i;

/** Whether a statement that failed with this error may have taken effect: it was sent before the connection was lost. */
export function mayHaveHappened(error: unknown): boolean {
  if (!(error instanceof Error) || NOT_SENT.test(error.message)) return false;
  return causeOf(error) === "unavailable";
}
