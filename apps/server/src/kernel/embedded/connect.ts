// Connects to the embedded server and checks that it runs, belongs to this folder, and has our database.
import { realpathSync } from "node:fs";
import pg from "pg";
import { StartError } from "#kernel/start-error.ts";
import { APPLICATION, SUPERUSER } from "./cluster.ts";
import { WITHOUT_STORED_SETTINGS } from "./configuration.ts";
import type { Folders } from "./folders.ts";
import { SOCKET_PORT } from "./folders.ts";

export type Probe =
  /** Connected as superuser. The caller ends the client. */
  | { kind: "ready"; client: pg.Client }
  /** The server exists but accepts no connections: it is starting, recovering, stopping, or full. */
  | { kind: "busy"; message: string }
  | { kind: "absent" };

export function superuserConnection(folders: Folders): pg.ClientConfig {
  return {
    host: folders.socket,
    port: SOCKET_PORT,
    user: SUPERUSER,
    database: "postgres",
    ssl: false,
    options: WITHOUT_STORED_SETTINGS,
  };
}

export function applicationConnection(folders: Folders): pg.PoolConfig {
  return { host: folders.socket, port: SOCKET_PORT, user: APPLICATION, database: APPLICATION, ssl: false };
}

/** The application name of the connection that each Strongroom process keeps open while it uses the server. */
export const SUPERVISOR = "strongroom supervisor";

/** Throws `StartError` if a different server than this folder's answers there. */
export async function probe(folders: Folders): Promise<Probe> {
  const client = new pg.Client({
    ...superuserConnection(folders),
    application_name: SUPERVISOR,
    connectionTimeoutMillis: 5000,
  });
  // Errors while connecting reject `connect()`; later errors reach the new owner of the client.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("show data_directory");
    const served = rows[0]?.data_directory ?? "";
    if (realpathSync(served) === realpathSync(folders.cluster)) return { kind: "ready", client };
    throw new StartError(
      `The database server at ${folders.socket} serves ${served}, not ${folders.cluster}: stop it first.`,
    );
  } catch (error) {
    // Ending a client that never connected fails.
    await client.end().catch(() => undefined);
    return understand(error, folders);
  }
}

/** Sets whether an open connection keeps an otherwise idle process alive. The types of `pg` lack this method. */
export function setKeepsAlive(client: pg.Client, keepsAlive: boolean): void {
  const { ref, unref } = client as pg.Client & Record<"ref" | "unref", () => void>;
  (keepsAlive ? ref : unref).call(client);
}

const ABSENT = new Set(["ENOENT", "ECONNREFUSED"]);
/** cannot_connect_now, admin_shutdown, crash_shutdown, too_many_connections. */
const BUSY = new Set(["57P03", "57P01", "57P02", "53300", "ECONNRESET", "EPIPE", "EAGAIN"]);

function understand(error: unknown, folders: Folders): Probe {
  if (error instanceof StartError) throw error;
  const { code = "", message } = error as { code?: string; message: string };
  if (ABSENT.has(code)) return { kind: "absent" };
  if (BUSY.has(code) || /terminated|timeout/i.test(message)) return { kind: "busy", message };
  if (code.startsWith("28")) {
    throw new StartError(`A database server of another user runs in ${folders.home}: stop it, then start again.`, {
      cause: error,
    });
  }
  throw error;
}

/**
 * Creates the role and the database if they are missing. If a start is killed before it has created both, the next
 * start completes this.
 */
export async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: boolean; database: boolean }>(
    `select exists (select from pg_roles where rolname = $1) as role,
            exists (select from pg_database where datname = $1) as database`,
    [APPLICATION],
  );
  if (rows[0]?.role !== true) await unlessThere(client, `create role ${APPLICATION} login`);
  if (rows[0]?.database !== true) await unlessThere(client, `create database ${APPLICATION} owner ${APPLICATION}`);
}

/** duplicate_object, duplicate_database, unique_violation: a concurrent start created the object. */
const THERE = new Set(["42710", "42P04", "23505"]);

async function unlessThere(client: pg.Client, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if (!THERE.has((error as { code?: string }).code ?? "")) throw error;
  }
}
