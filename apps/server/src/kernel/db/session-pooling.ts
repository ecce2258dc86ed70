// Detects whether a connection keeps its session, or whether a pooler assigns any free session to each transaction or statement.
import { randomUUID } from "node:crypto";
import { StartError } from "#kernel/start-error.ts";
import type { DatabaseClient } from "./client.ts";
import type { Database } from "./database.ts";

/** The number of repetitions of the check, because a free session may happen to be the right one. */
const ROUNDS = 3;
const CONNECT_WITHIN_MS = 5000;
const ANSWER_WITHIN_MS = 2000;

const NEEDS_SESSIONS =
  "The connection pooler in front of the database does not keep sessions (transaction or statement pooling)";

/**
 * Tests the behaviour itself, because poolers differ in what they report. One connection leaves a mark in its session; a second
 * connection must not find the mark, and the first must find it again while the second is in a transaction. Rejects when the
 * database cannot be queried.
 */
export async function keepsSessions(database: Pick<Database, "listenConnection">): Promise<boolean> {
  const connecting = [0, 1].map(() => database.listenConnection(CONNECT_WITHIN_MS));
  const connected = await Promise.allSettled(connecting);
  const clients = connected.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const late = setTimeout(() => cutAll(clients), ANSWER_WITHIN_MS);
  try {
    const [one, other] = await Promise.all(connecting);
    for (let round = 0; round < ROUNDS; round++) if (!(await isApart(one!, other!))) return false;
    return true;
  } finally {
    clearTimeout(late);
    cutAll(clients);
  }
}

function cutAll(clients: readonly DatabaseClient[]): void {
  for (const client of clients) client.cut();
}

async function isApart(one: DatabaseClient, other: DatabaseClient): Promise<boolean> {
  const mark = randomUUID();
  await one.query("select set_config('strongroom.session', $1, false)", [mark]);
  const before = await sessionOf(one);
  // With statement pooling there are no transactions.
  const mayBegin = await other.query("begin").then(
    () => true,
    (error: unknown) => {
      if (/pooling mode/i.test(String(error))) return false;
      throw error;
    },
  );
  if (!mayBegin) return false;
  const foreign = await sessionOf(other);
  // If there is only a single session, a pooler would block this query until the other transaction ends.
  if (foreign.mark === mark) return false;
  const after = await sessionOf(one);
  await other.query("rollback");
  return before.mark === mark && after.mark === mark && before.pid === after.pid;
}

async function sessionOf(client: DatabaseClient): Promise<{ mark: string | null; pid: number }> {
  const { rows } = await client.query<{ mark: string | null; pid: number }>(
    "select current_setting('strongroom.session', true) as mark, pg_backend_pid() as pid",
  );
  return rows[0]!;
}

/**
 * Runs before anything is written. Throws `StartError`, but ignores an unreachable database, which the next connection will
 * report.
 */
export async function requireSessions(database: Database): Promise<void> {
  const isKept = await keepsSessions(database).catch(() => true);
  if (isKept) return;
  throw new StartError(`${NEEDS_SESSIONS}: set its pool_mode to session, or connect to PostgreSQL directly.`);
}

const KEPT_MS = 10_000;

/** For health checks at run time, because a pooler's mode can be changed while the server runs. */
export function sessionCheck(database: Database) {
  let latest: { at: number; problem: string | null } | null = null;
  return {
    name: "connection pooler",
    isEssential: true as const,
    async problem(): Promise<string | null> {
      if (latest !== null && performance.now() - latest.at < KEPT_MS) return latest.problem;
      // A separate check reports a database that does not answer.
      const isKept = await keepsSessions(database).catch(() => true);
      latest = { at: performance.now(), problem: isKept ? null : `${NEEDS_SESSIONS}. Set its pool_mode to session` };
      return latest.problem;
    },
  };
}
