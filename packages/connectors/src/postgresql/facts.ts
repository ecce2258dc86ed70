// The facts that a role can read about itself right after its login.
import type { Client } from "pg";

export interface RoleFacts {
  /** Such as `18.4`, or null when unknown. */
  serverVersion: string | null;
  /** ISO 8601, or null for a password that does not expire. */
  validUntil: string | null;
  isSuperuser: boolean | null;
  /** Null when no schema was given. */
  schemaExists: boolean | null;
}

const NOTHING: RoleFacts = { serverVersion: null, validUntil: null, isSuperuser: null, schemaExists: null };

/** The server also determines the column types, so no type is assumed. */
interface Row {
  version: unknown;
  super: unknown;
  valid_until: unknown;
  has_schema: unknown;
}

const QUERY = `
  select current_setting('server_version') as version, r.rolsuper as super,
         case when isfinite(r.rolvaliduntil) then to_char(r.rolvaliduntil at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end as valid_until,
         case when $1::text is not null then exists (select from pg_namespace where nspname = $1) end as has_schema
    from pg_roles r where r.rolname = current_user`;

/** The login has already succeeded: if a pooler or a server cannot answer, the facts stay empty. */
export async function factsOf(client: Client, schemaName: string | null): Promise<RoleFacts> {
  try {
    const { rows } = await client.query<Row>(QUERY, [schemaName || null]);
    const [row] = rows;
    if (row === undefined) return NOTHING;
    return {
      serverVersion: /^\d{1,3}(\.\d{1,3}){0,2}/.exec(String(row.version))?.[0] ?? null,
      validUntil: /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.exec(String(row.valid_until))?.[0] ?? null,
      isSuperuser: booleanOrNull(row.super),
      schemaExists: booleanOrNull(row.has_schema),
    };
  } catch {
    return NOTHING;
  }
}

function booleanOrNull(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}
