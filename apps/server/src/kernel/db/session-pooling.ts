// Whether a connection keeps its session, or a pooler gives each transaction or statement whichever session is free.
import { randomUUID } from "node:crypto";
import { StartError } from "#kernel/start-error.ts";
import type { DatabaseClient } from "./client.ts";
import type { Database } from "./database.ts";

/** A free session may by accident be the right one, so the question is asked more than once. */
const ROUNDS = 3;
const CONNECT_WITHIN_MS = 5000;
const ANSWER_WITHIN_MS = 2000;

const NEEDS_SESSIONS =
  "The connection pooler in front of the database does not keep sessions (transaction or statement pooling)";

/**
 * Asks by behaviour, because poolers differ in what they say of themselves: one connection leaves a mark in its session,
 * another must not find it, and the first must find it again while the other is in a transaction. Rejects when the
 * database cannot be asked.
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
  // A pooler with a single session would let this one wait for the transaction of the other.
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

/** Before anything is written. Throws `StartError`; a database that cannot be asked is left to who connects next. */
export async function requireSessions(database: Database): Promise<void> {
  const isKept = await keepsSessions(database).catch(() => true);
  if (isKept) return;
  throw new StartError(`${NEEDS_SESSIONS}: set its pool_mode to session, or connect to PostgreSQL directly.`);
}

const KEPT_MS = 10_000;

/** For health, while running: the mode of a pooler can be changed under us. */
export function sessionCheck(database: Database) {
  let latest: { at: number; problem: string | null } | null = null;
  return {
    name: "connection pooler",
    isEssential: true as const,
    async problem(): Promise<string | null> {
      if (latest !== null && performance.now() - latest.at < KEPT_MS) return latest.problem;
      // A database that does not answer is the matter of another check.
      const isKept = await keepsSessions(database).catch(() => true);
      latest = { at: performance.now(), problem: isKept ? null : `${NEEDS_SESSIONS}. Set its pool_mode to session` };
      return latest.problem;
    },
  };
}
