// Queries of SQL Server's catalog views for a search. All columns are text, so that no type is assumed.
import { MAX_DEFINITION_LENGTH, MAX_VALUE_LENGTH } from "../database-search.ts";
import { quotedName, quotedText } from "./statements.ts";

const name = (expression: string, as: string) => `CAST(${expression} AS nvarchar(128)) AS ${as}`;
const flag = (condition: string, as: string) =>
  `CAST(CASE WHEN ${condition} THEN 1 ELSE 0 END AS nvarchar(1)) AS ${as}`;

/** The search must not wait for the locks of other sessions, and must lose every deadlock with them. */
export const SETTINGS = "SET NOCOUNT ON; SET LOCK_TIMEOUT 2000; SET DEADLOCK_PRIORITY LOW";

export const IS_SYSADMIN = `SELECT ${flag("IS_SRVROLEMEMBER('sysadmin') = 1", "is_sysadmin")}`;

/** Snapshots repeat the contents of another database. */
export const DATABASES = `SELECT ${name("name", "name")}, ${flag("state = 0 AND HAS_DBACCESS(name) = 1", "is_open")}
 FROM sys.databases WHERE source_database_id IS NULL AND is_distributor = 0
 AND name NOT IN ('tempdb', 'model', 'msdb') ORDER BY name`;

/** Without this permission, the catalog views omit what the login may not use. */
export const seesAll = (database: string): string =>
  `SELECT ${flag(`HAS_PERMS_BY_NAME(${quotedText(quotedName(database))}, 'DATABASE', 'VIEW DEFINITION') = 1`, "sees_all")}`;

const TEXTS = ["char", "varchar", "text", "nchar", "nvarchar", "ntext", "xml", "json"].map((type) => `'${type}'`);
const PORTS = ["smallint", "int", "bigint"].map((type) => `'${type}'`);

/** Text columns, and ports, which belong to a login beside them. Computed columns could call functions of their owner. */
export function columnsOf(database: string, limit: number): string {
  const sys = `${quotedName(database)}.sys`;
  return `SELECT TOP (${limit}) ${name("s.name", "schema_name")}, ${name("t.name", "table_name")}, ${name("c.name", "column_name")},
 ${name("p.name", "owner")},
 ${flag(
   `EXISTS (SELECT 1 FROM ${sys}.database_permissions g WHERE g.grantee_principal_id = 0 AND g.type = 'SL' AND g.state IN ('G', 'W')
  AND (g.class = 0 OR (g.class = 3 AND g.major_id = s.schema_id) OR (g.class = 1 AND g.major_id = t.object_id AND g.minor_id = 0)))`,
   "is_public",
 )}
 FROM ${sys}.tables t JOIN ${sys}.schemas s ON s.schema_id = t.schema_id
 JOIN ${sys}.columns c ON c.object_id = t.object_id
 JOIN ${sys}.types y ON y.user_type_id = c.system_type_id
 LEFT JOIN ${sys}.database_principals p ON p.principal_id = COALESCE(t.principal_id, s.principal_id)
 WHERE t.is_ms_shipped = 0 AND c.is_computed = 0
 AND (y.name IN (${TEXTS.join(", ")}) OR (y.name IN (${PORTS.join(", ")}) AND (LOWER(c.name) = 'port' OR LOWER(c.name) LIKE '%[_]port')))
 ORDER BY s.name, t.name, c.column_id`;
}

/**
 * Tables that must not be read: `external` ones, which ask other servers; those with a security policy, whose `predicate` is a
 * function of its owner; and those with `masked` columns, if this login sees the mask. Error 208 before SQL Server 2016, which has none
 * of them.
 */
export function unreadableTablesOf(database: string): string {
  const sys = `${quotedName(database)}.sys`;
  const select = (reason: string) =>
    `SELECT ${name("s.name", "schema_name")}, ${name("o.name", "table_name")}, '${reason}' AS reason`;
  const objects = `JOIN ${sys}.schemas s ON s.schema_id = o.schema_id`;
  const unmask = `HAS_PERMS_BY_NAME(${quotedText(quotedName(database))}, 'DATABASE', 'UNMASK')`;
  return `${select("external")} FROM ${sys}.external_tables o ${objects}
 UNION ALL ${select("predicate")} FROM ${sys}.security_predicates r JOIN ${sys}.objects o ON o.object_id = r.target_object_id ${objects}
 UNION ALL ${select("masked")} FROM ${sys}.masked_columns m JOIN ${sys}.objects o ON o.object_id = m.object_id ${objects}
 WHERE COALESCE(${unmask}, 0) = 0`;
}

/** A page of rows, in the server's order. Without parallel plans, it is the same for every page. */
export function rowsOf(
  [database, schema, table]: readonly [string, string, string],
  columns: readonly string[],
  { offset, count }: { offset: number; count: number },
): string {
  const values = columns.map(
    (column, index) => `LEFT(CAST(${quotedName(column)} AS nvarchar(max)), ${MAX_VALUE_LENGTH + 1}) AS c${index}`,
  );
  const from = [database, schema, table].map(quotedName).join(".");
  return `SELECT ${values.join(", ")} FROM ${from} ORDER BY (SELECT NULL) OFFSET ${offset} ROWS FETCH NEXT ${count} ROWS ONLY OPTION (MAXDOP 1)`;
}

const source = (expression: string) =>
  `LEFT(CAST(${expression} AS nvarchar(max)), ${MAX_DEFINITION_LENGTH + 1}) AS text`;
const page = (offset: number, count: number) => `OFFSET ${offset} ROWS FETCH NEXT ${count} ROWS ONLY`;

/** Functions, procedures, views and triggers of tables; then triggers of the database, which have no schema. */
export const modulesOf = (database: string) => {
  const sys = `${quotedName(database)}.sys`;
  return [
    (
      offset: number,
      count: number,
    ): string => `SELECT ${name("s.name", "schema_name")}, ${name("o.name", "name")}, ${name("p.name", "owner")}, ${source("m.definition")}
 FROM ${sys}.sql_modules m JOIN ${sys}.objects o ON o.object_id = m.object_id
 JOIN ${sys}.schemas s ON s.schema_id = o.schema_id
 LEFT JOIN ${sys}.database_principals p ON p.principal_id = COALESCE(o.principal_id, s.principal_id)
 WHERE o.is_ms_shipped = 0 ORDER BY o.object_id ${page(offset, count)}`,
    (
      offset: number,
      count: number,
    ): string => `SELECT ${name("NULL", "schema_name")}, ${name("t.name", "name")}, ${name("NULL", "owner")}, ${source("m.definition")}
 FROM ${sys}.sql_modules m JOIN ${sys}.triggers t ON t.object_id = m.object_id
 WHERE t.parent_class = 0 AND t.is_ms_shipped = 0 ORDER BY t.object_id ${page(offset, count)}`,
  ];
};

/** Steps of the agent's jobs: T-SQL, commands of the operating system, PowerShell. */
export const jobSteps = (offset: number, count: number): string =>
  `SELECT ${name("j.name", "job")}, CAST(s.step_id AS nvarchar(10)) AS step, ${name("SUSER_SNAME(j.owner_sid)", "owner")}, ${source("s.command")}
 FROM msdb.dbo.sysjobsteps s JOIN msdb.dbo.sysjobs j ON j.job_id = s.job_id
 ORDER BY j.name, j.job_id, s.step_id ${page(offset, count)}`;

/** The server hides provider strings from logins without `ALTER ANY LINKED SERVER`, and passwords from everyone. */
export const LINKED_SERVER_SETTINGS = `SELECT TOP (10000) ${name("s.name", "name")}, CAST(s.data_source AS nvarchar(4000)) AS data_source,
 CAST(s.provider_string AS nvarchar(4000)) AS provider_string, CAST(s.location AS nvarchar(4000)) AS location, ${name("l.remote_name", "username")}
 FROM sys.servers s LEFT JOIN sys.linked_logins l ON l.server_id = s.server_id AND l.remote_name IS NOT NULL
 WHERE s.is_linked = 1 ORDER BY s.name, l.local_principal_id`;

export const CREDENTIALS = `SELECT TOP (10000) ${name("name", "name")}, CAST(credential_identity AS nvarchar(4000)) AS username
 FROM sys.credentials ORDER BY name`;
