// The databases of the fake SQL Server, and its answers to the queries of a search: matched by their text, with the names and the
// limits parsed from it. Does not prove: that a real server understands the queries, what its catalog views show to which login, how
// it converts types, orders rows, locks tables or masks columns.

export interface FakeMssqlTable {
  schema: string;
  name: string;
  columns: string[];
  rows: (string | null)[][];
  isPublic?: boolean;
  /** Why the catalog names it as unreadable. */
  reason?: "external" | "predicate" | "masked";
  /** The error of every query of its rows; null closes the connection, "never" never answers. */
  error?: number | null | "never";
}

export interface FakeMssqlDatabase {
  name: string;
  isOpen: boolean;
  seesAll: boolean;
  tables: FakeMssqlTable[];
  /** The schema is null for a trigger of the database, the text for an encrypted module. */
  modules: { schema: string | null; name: string; text: string | null }[];
}

export interface FakeMssqlCatalog {
  databases: FakeMssqlDatabase[];
  /** Error 229 for anyone else than an administrator. */
  jobSteps: { job: string; step: string; command: string }[];
  linkedServers: { name: string; source: string; providerString: string | null; login: string | null }[];
  credentials: { name: string; identity: string }[];
  /** As before 2016: without the catalog views of security policies. */
  isOld: boolean;
}

export const emptyCatalog = (): FakeMssqlCatalog => ({
  databases: [],
  jobSteps: [],
  linkedServers: [],
  credentials: [],
  isOld: false,
});

export const aDatabase = (database: Partial<FakeMssqlDatabase> & { name: string }): FakeMssqlDatabase => ({
  isOpen: true,
  seesAll: true,
  tables: [],
  modules: [],
  ...database,
});

export type CatalogAnswer =
  | { names: readonly string[]; rows: readonly (readonly (string | null)[])[] }
  | { error: number }
  | "close"
  | "never";

const [SYNTAX, NO_OBJECT, NO_PERMISSION] = [102, 208, 229];
const NAME = String.raw`\[((?:[^\]]|\]\])*)\]`;
const plain = (quoted: string | undefined): string => (quoted ?? "").replaceAll("]]", "]");
const flag = (is: boolean | undefined): string => (is === true ? "1" : "0");

/** Null for a statement that is not of a search. */
export function searchAnswer(text: string, catalog: FakeMssqlCatalog, isAdministrator: boolean): CatalogAnswer | null {
  if (text.startsWith("SET NOCOUNT ON;")) return { names: [], rows: [] };
  if (text.includes("IS_SRVROLEMEMBER('sysadmin')") && text.includes("AS is_sysadmin"))
    return { names: ["is_sysadmin"], rows: [[flag(isAdministrator)]] };
  if (text.includes("FROM sys.databases"))
    return { names: ["name", "is_open"], rows: catalog.databases.map(({ name, isOpen }) => [name, flag(isOpen)]) };
  if (text.includes("AS sees_all")) {
    const [, name] = new RegExp(`N'${NAME}', 'DATABASE', 'VIEW DEFINITION'`).exec(text.replaceAll("''", "'")) ?? [];
    return { names: ["sees_all"], rows: [[flag(databaseOf(catalog, name)?.seesAll)]] };
  }
  if (text.includes("AS provider_string")) return linkedServers(catalog, isAdministrator);
  if (text.includes("FROM sys.credentials"))
    return { names: ["name", "username"], rows: catalog.credentials.map(({ name, identity }) => [name, identity]) };
  if (text.includes("FROM msdb.dbo.sysjobsteps")) {
    if (!isAdministrator) return { error: NO_PERMISSION };
    const rows = catalog.jobSteps.map(({ job, step, command }) => [job, step, "sa", command]);
    return paged(text, ["job", "step", "owner", "text"], rows);
  }
  const [, named] = new RegExp(`FROM ${NAME}\\.sys\\.`).exec(text) ?? [];
  if (named !== undefined) return ofDatabase(text, databaseOf(catalog, named), catalog.isOld);
  return text.startsWith("SELECT LEFT(CAST(") ? rowsOf(text, catalog) : null;
}

const databaseOf = ({ databases }: FakeMssqlCatalog, quoted: string | undefined) =>
  databases.find(({ name }) => name === plain(quoted));

function ofDatabase(text: string, database: FakeMssqlDatabase | undefined, isOld: boolean): CatalogAnswer {
  if (database === undefined) return { error: NO_OBJECT };
  if (text.includes(".sys.external_tables")) {
    const names = ["schema_name", "table_name", "reason"];
    const refused = database.tables.filter(({ reason }) => reason !== undefined);
    return isOld
      ? { error: NO_OBJECT }
      : { names, rows: refused.map((each) => [each.schema, each.name, each.reason!]) };
  }
  if (text.includes(".sys.columns")) {
    const names = ["schema_name", "table_name", "column_name", "owner", "is_public"];
    const rows = database.tables.flatMap(({ schema, name, columns, isPublic }) =>
      columns.map((column) => [schema, name, column, "dbo", flag(isPublic)]),
    );
    return { names, rows };
  }
  if (!text.includes(".sys.sql_modules")) return { error: NO_OBJECT };
  const isOfDatabase = text.includes("parent_class = 0");
  const modules = database.modules.filter(({ schema }) => (schema === null) === isOfDatabase);
  const rows = modules.map((each) => [each.schema, each.name, "dbo", each.text]);
  return paged(text, ["schema_name", "name", "owner", "text"], rows);
}

function linkedServers({ linkedServers: servers }: FakeMssqlCatalog, isAdministrator: boolean): CatalogAnswer {
  const names = ["name", "data_source", "provider_string", "location", "username"];
  const rows = servers.map(({ name, source, providerString, login }) => [
    name,
    source,
    isAdministrator ? providerString : null,
    null,
    login,
  ]);
  return { names, rows };
}

function paged(text: string, names: readonly string[], rows: (string | null)[][]): CatalogAnswer {
  const [, offset, count] = / OFFSET (\d+) ROWS FETCH NEXT (\d+) ROWS ONLY/.exec(text) ?? [];
  if (offset === undefined || count === undefined) return { error: SYNTAX };
  return { names, rows: rows.slice(Number(offset), Number(offset) + Number(count)) };
}

const VALUE = String.raw`LEFT\(CAST\(${NAME} AS nvarchar\(max\)\), (\d+)\) AS c(\d+)`;

/** The whole statement or a syntax error: any remaining text would be a second statement. */
function rowsOf(text: string, catalog: FakeMssqlCatalog): CatalogAnswer {
  const shape = new RegExp(
    `^SELECT (${VALUE}(?:, ${VALUE})*) FROM ${NAME}\\.${NAME}\\.${NAME} ORDER BY \\(SELECT NULL\\) OFFSET \\d+ ROWS FETCH NEXT \\d+ ROWS ONLY OPTION \\(MAXDOP 1\\)$`,
  );
  const parts = shape.exec(text);
  if (parts === null) return { error: SYNTAX };
  const [database, schema, name] = parts.slice(-3).map(plain);
  const table = databaseOf(catalog, parts.at(-3))?.tables.find((each) => each.schema === schema && each.name === name);
  if (database === undefined || table === undefined) return { error: NO_OBJECT };
  if (table.error === null) return "close";
  if (table.error === "never") return "never";
  if (table.error !== undefined) return { error: table.error };
  const wanted = [...parts[1]!.matchAll(new RegExp(VALUE, "g"))];
  const at = wanted.map(([, column]) => table.columns.indexOf(plain(column)));
  if (at.includes(-1)) return { error: 207 };
  const rows = table.rows.map((row) => at.map((index, each) => row[index]?.slice(0, Number(wanted[each]![2])) ?? null));
  return paged(
    text,
    wanted.map(([, , , number]) => `c${number}`),
    rows,
  );
}
