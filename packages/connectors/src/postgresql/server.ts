// What has to be known of a PostgreSQL server before a password is changed on it, and why it then may not be.
import type { Client } from "pg";
import type { DatabaseAddress } from "../connection-string.ts";
import { nameOf } from "../dial.ts";

/** Where passwords of roles cannot be changed, in plain words; null when they can. */
export async function obstacle(client: Client, address: DatabaseAddress): Promise<string | null> {
  const { rows } = await client.query<Row>(QUERY);
  const target = nameOf(address);
  const [row] = rows;
  if (row === undefined || !(Number(row.version) >= 100_000)) {
    return `${target} is older than PostgreSQL 10 and knows md5 only. Its passwords would have to be sent in clear text, which is not done.`;
  }
  if (row.is_replica === true) {
    return `${target} is a read-only replica. Passwords are changed on the primary server: use its address.`;
  }
  // A pooler hands out keys of its own for cancelling (PgBouncer), so the process that they name is not the one that answers.
  const isPooled = row.pid !== (client as unknown as { processID: unknown }).processID;
  if (isPooled || row.login !== address.username) {
    return `A connection pooler answers at ${target}. It keeps passwords of its own, so they are changed at the server behind it: use its address.`;
  }
  return null;
}

/** Whoever answers chooses the types as well. */
interface Row {
  version: unknown;
  is_replica: unknown;
  pid: unknown;
  login: unknown;
}

const QUERY = `
  select current_setting('server_version_num')::int as version, pg_is_in_recovery() as is_replica,
         pg_backend_pid() as pid, session_user::text as login`;
