// How far a platform's reconcile account reaches, in SQL: the columns that reach.policy.ts judges by.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Reach } from "./reach.policy.ts";

/** Of a row of `credentials` by this name, beside one of `platforms`. */
export const reachOf = (name: string): RawBuilder<Reach> => {
  const row = sql.table(name);
  return sql<Reach>`jsonb_build_object('type', ${row}.type, 'host', ${row}.host, 'port', ${row}.port,
    'username', ${row}.username, 'database_name', ${row}.database_name, 'schema_name', ${row}.schema_name,
    'connection_string', ${row}.connection_string, 'ssl_enabled', ${row}.ssl_enabled,
    'additional_params', ${row}.additional_params, 'host_key', ${row}.host_key, 'safe_id', ${row}.safe_id,
    'hosts', platforms.reconcile_hosts, 'safes', platforms.reconcile_safe_ids)`;
};
