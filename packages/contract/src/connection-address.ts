// The address in a connection string. Connectors use it in place of host, port and database (CRED-38), so entries store
// it there as well: lists, search, verification and the string agree.
import type { z } from "zod";
import { isAccountDatabaseType } from "./account-types.ts";

export interface ConnectionAddress {
  host: string;
  /** Null if the string names no port. */
  port: number | null;
  username: string;
  database: string;
}

/** The decoded parts of a connection string, empty where it names none. Null when a percent sign is not an escape. */
export function connectionAddress(url: URL): ConnectionAddress | null {
  try {
    return {
      host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? null : Number(url.port),
      username: decodeURIComponent(url.username),
      database: decodeURIComponent(url.pathname.slice(1)),
    };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

export interface AddressFields {
  host: string | null;
  port: number | null;
  database_name: string | null;
}

/** The fields with the parts of the connection string that it names. A text that is not a URL changes nothing. */
export function withConnectionAddress(
  connectionString: string | null,
  { host, port, database_name }: AddressFields,
): AddressFields {
  const fields = { host, port, database_name };
  const url = connectionString === null ? null : URL.parse(connectionString);
  const address = url === null ? null : connectionAddress(url);
  if (address === null) return fields;
  return {
    host: address.host || fields.host,
    port: address.port ?? fields.port,
    database_name: address.database || fields.database_name,
  };
}

/** For `superRefine`: a string whose parts do not fit the fields that they are stored in is refused. */
export function refuseLongAddress({ host, port, database_name }: AddressFields, context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: "custom", path: ["connection_string"], message });
  if ((host?.length ?? 0) > 253) refuse("The host in the connection string can have at most 253 characters");
  if (port === 0) refuse("The port in the connection string must be between 1 and 65535");
  if ((database_name?.length ?? 0) > 128)
    refuse("The database in the connection string can have at most 128 characters");
}

interface AccountDatabaseFields extends Omit<AddressFields, "host"> {
  system_type: string;
  hostname: string;
  schema_name: string | null;
  connection_string: string | null;
}

/** As `withConnectionAddress`, for the fields of an account. */
export function withAccountAddress<Fields extends AccountDatabaseFields>(fields: Fields): Fields {
  if (!isAccountDatabaseType(fields.system_type)) return fields;
  const address = { ...fields, host: fields.hostname };
  const { host, port, database_name } = withConnectionAddress(fields.connection_string, address);
  return { ...fields, hostname: host ?? fields.hostname, port, database_name };
}

/** ACC-67, ACC-68, after `withAccountAddress`. */
export function requireAccountDatabase(fields: AccountDatabaseFields, context: z.RefinementCtx): void {
  if (!isAccountDatabaseType(fields.system_type)) return;
  refuseLongAddress({ ...fields, host: fields.hostname }, context);
  if (fields.database_name === null) {
    const message = "Database name is required for database connections";
    context.addIssue({ code: "custom", path: ["database_name"], message });
  }
  if ((fields.system_type === "postgresql" || fields.system_type === "oracle") && fields.schema_name === null) {
    const message = "Schema name is required for PostgreSQL and Oracle databases";
    context.addIssue({ code: "custom", path: ["schema_name"], message });
  }
}
