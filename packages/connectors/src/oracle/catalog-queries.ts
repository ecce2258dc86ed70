// Queries of Oracle's data dictionary for a search. All columns are texts. Every view is named with its owner SYS, so that no synonym or table
// of the login's own schema replaces it.
import { MAX_DEFINITION_LENGTH, MAX_VALUE_LENGTH } from "../database-search.ts";

/** `dba` shows everything; `all` shows what the login may use. */
export type Views = "dba" | "all";

/** Fails for a login without the catalog's views. */
export const HAS_DBA_VIEWS = "SELECT 'Y' FROM sys.dba_tables FETCH FIRST 1 ROWS ONLY";

export const READS_ANY_TABLE =
  "SELECT privilege FROM sys.session_privs WHERE privilege IN ('SELECT ANY TABLE', 'READ ANY TABLE')";

/** Refuses changes until the next rollback. */
export const READ_ONLY = "SET TRANSACTION READ ONLY";

const ofUsers = (owner: string) => `${owner} IN (SELECT username FROM sys.all_users WHERE oracle_maintained = 'N')`;

const TEXTS = ["CHAR", "VARCHAR2", "NCHAR", "NVARCHAR2", "CLOB", "NCLOB", "XMLTYPE", "JSON"].map((type) => `'${type}'`);

/**
 * Text columns, and ports, which belong to a login beside them. Left out are external tables, which read files and can start
 * programs, virtual columns, which can call functions of their owner, and storage that belongs to another table or an index. The
 * dictionary calls XML columns virtual, because it stores them in hidden ones; a user cannot create a virtual one.
 */
export const columnsOf = (views: Views, limit: number): string =>
  `SELECT t.owner, t.table_name, c.column_name, c.data_type,
 CASE WHEN EXISTS (SELECT 1 FROM sys.${views}_tab_privs g WHERE g.grantee = 'PUBLIC' AND g.privilege IN ('SELECT', 'READ')
  AND g.${views === "dba" ? "owner" : "table_schema"} = t.owner AND g.table_name = t.table_name) THEN 'Y' ELSE 'N' END
 FROM sys.${views}_tables t JOIN sys.${views}_tab_cols c ON c.owner = t.owner AND c.table_name = t.table_name
 WHERE ${ofUsers("t.owner")} AND t.temporary = 'N' AND t.secondary = 'N' AND t.nested = 'NO' AND t.dropped = 'NO'
 AND (t.iot_type IS NULL OR t.iot_type = 'IOT') AND c.hidden_column = 'NO'
 AND (c.virtual_column = 'NO' OR c.data_type = 'XMLTYPE')
 AND (c.data_type IN (${TEXTS.join(", ")}) OR (c.data_type = 'NUMBER' AND REGEXP_LIKE(c.column_name, '(^|_)port$', 'i')))
 AND NOT EXISTS (SELECT 1 FROM sys.${views}_external_tables e WHERE e.owner = t.owner AND e.table_name = t.table_name)
 ORDER BY t.owner, t.table_name, c.column_id FETCH FIRST ${limit} ROWS ONLY`;

/** Tables whose rows depend on a policy (VPD), which is a function of its owner. */
export const policiesOf = (views: Views): string =>
  `SELECT DISTINCT object_owner, object_name FROM sys.${views}_policies WHERE enable = 'YES' AND sel = 'YES'`;

/** The types whose values need a conversion. */
const CONVERSIONS: Readonly<Record<string, (column: string) => string>> = {
  XMLTYPE: (column) => `SUBSTR(XMLSERIALIZE(CONTENT ${column} AS CLOB), 1, ${MAX_VALUE_LENGTH + 1})`,
  JSON: (column) => `SUBSTR(JSON_SERIALIZE(${column} RETURNING CLOB), 1, ${MAX_VALUE_LENGTH + 1})`,
  NUMBER: (column) => `TO_CHAR(${column})`,
};

/** The names contain no quotation mark: an identifier cannot. */
export function rowsOf(
  { owner, table }: { owner: string; table: string },
  columns: readonly { name: string; type: string }[],
  { offset, count }: { offset: number; count: number },
): string {
  const values = columns.map(({ name, type }, index) => {
    const convert = CONVERSIONS[type] ?? ((column: string) => `SUBSTR(${column}, 1, ${MAX_VALUE_LENGTH + 1})`);
    return `${convert(`"${name}"`)} AS c${index}`;
  });
  return `SELECT ${values.join(", ")} FROM "${owner}"."${table}" OFFSET ${offset} ROWS FETCH NEXT ${count} ROWS ONLY`;
}

const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const PROGRAMS = ["FUNCTION", "PROCEDURE", "PACKAGE", "PACKAGE BODY", "TRIGGER", "TYPE", "TYPE BODY"];

/** Owner, name and type of everything with a source in lines. */
export const programsOf = (views: Views, limit: number): string =>
  `SELECT owner, object_name, object_type FROM sys.${views}_objects
 WHERE ${ofUsers("owner")} AND object_type IN (${PROGRAMS.map(quotedText).join(", ")})
 ORDER BY owner, object_name, object_type FETCH FIRST ${limit} ROWS ONLY`;

/** A line has at most 4,000 bytes, so that the rows fit into one answer. */
export const sourceOf = (views: Views, owner: string, name: string, type: string): string =>
  `SELECT text FROM sys.${views}_source WHERE owner = ${quotedText(owner)} AND name = ${quotedText(name)} AND type = ${quotedText(type)}
 ORDER BY line FETCH FIRST ${SOURCE_LINES} ROWS ONLY`;
export const SOURCE_LINES = 10_000;

export const viewsOf = (views: Views, limit: number): string =>
  `SELECT owner, view_name, 'VIEW' FROM sys.${views}_views WHERE ${ofUsers("owner")} AND text_length <= ${MAX_DEFINITION_LENGTH}
 ORDER BY owner, view_name FETCH FIRST ${limit} ROWS ONLY`;

/** A LONG, which cannot be part of an expression. */
export const viewText = (views: Views, owner: string, name: string): string =>
  `SELECT text FROM sys.${views}_views WHERE owner = ${quotedText(owner)} AND view_name = ${quotedText(name)}`;

export const jobsOf = (views: Views, limit: number): string =>
  `SELECT owner, job_name, job_action FROM sys.${views}_scheduler_jobs WHERE ${ofUsers("owner")} AND job_action IS NOT NULL
 ORDER BY owner, job_name FETCH FIRST ${limit} ROWS ONLY`;

/** No view shows their passwords. */
export const linksOf = (views: Views, limit: number): string =>
  `SELECT owner, db_link, host, username FROM sys.${views}_db_links ORDER BY owner, db_link FETCH FIRST ${limit} ROWS ONLY`;
