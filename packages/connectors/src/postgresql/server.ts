// Checks a PostgreSQL server before a password change, and explains why the change may be impossible.
import type { Client } from "pg";
import type { DatabaseAddress } from "../connection-string.ts";
import { nameOf } from "../dial.ts";

/** The reason why role passwords cannot be changed on the server, in plain English; null when they can. */
export async function obstacle(client: Client, address: DatabaseAddress): Promise<string | null> {
  const { rows } = await client.query<Row>(QUERY);
  const target = nameOf(address);
  const [row] = rows;
  if (row === undefined || !(Number(row.version) >= 100_000)) {
    return `${target} is older than PostgreSQL 10 and supports only md5, which would need the password in clear text. Nothing was sent.`;
  }
  if (row.is_replica === true) {
    return `${target} is a read-only replica. Passwords are changed on the primary server: use its address.`;
  }
  // A pooler (PgBouncer) returns its own cancel keys, so the process in them is not the one that answers.
  const isPooled = row.pid !== (client as unknown as { processID: unknown }).processID;
  if (isPooled || row.login !== address.username) {
    return `A connection pooler answers at ${target}. It stores its own passwords, so change them on the server behind it: use its address.`;
  }
  return null;
}

/** The server also determines the column types, so no type is assumed. */
interface Row {
  version: unknown;
  is_replica: unknown;
  pid: unknown;
  login: unknown;
}

const QUERY = `
  select current_setting('server_version_num')::int as version, pg_is_in_recovery() as is_replica,
         pg_backend_pid() as pid, session_user::text as login`;
