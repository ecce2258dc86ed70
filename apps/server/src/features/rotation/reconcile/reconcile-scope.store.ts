// Reads a reconcile account's scope in SQL, as `reconcile-scope.policy.ts` needs it.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { ReconcileScope } from "./reconcile-scope.policy.ts";

/** `name` is the alias of a `credentials` row in a query that also contains `platforms`. */
export const reconcileScopeOf = (name: string): RawBuilder<ReconcileScope> => {
  const row = sql.table(name);
  return sql<ReconcileScope>`jsonb_build_object('type', ${row}.type, 'host', ${row}.host, 'port', ${row}.port,
    'username', ${row}.username, 'database_name', ${row}.database_name, 'schema_name', ${row}.schema_name,
    'connection_string', ${row}.connection_string, 'ssl_enabled', ${row}.ssl_enabled,
    'additional_params', ${row}.additional_params, 'host_key', ${row}.host_key, 'safe_id', ${row}.safe_id,
    'hosts', platforms.reconcile_hosts, 'safes', platforms.reconcile_safe_ids)`;
};
