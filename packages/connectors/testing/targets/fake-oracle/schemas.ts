// The schemas of the fake Oracle, and its answers to the queries of a search: matched by their text, with the names and the limits
// parsed from it. All values are VARCHAR2. Does not prove: that a real server understands the queries, what its dictionary shows to
// which login, large texts and their locators, XML, JSON, LONG, policies, read-only transactions, results of several calls.

export interface FakeOracleTable {
  owner: string;
  name: string;
  /** Names and types; VARCHAR2 without a type. */
  columns: (string | [name: string, type: string])[];
  rows: (string | null)[][];
  isPublic?: boolean;
  hasPolicy?: boolean;
  /** The error of every query of its rows; null closes the connection. */
  error?: number | null;
}

interface FakeOracleProgram {
  owner: string;
  name: string;
  /** `VIEW` or a type of the source views. */
  type: string;
  /** Empty for a login that may not read it. */
  text: string;
}

export interface FakeOracleSchemas {
  tables: FakeOracleTable[];
  programs: FakeOracleProgram[];
  jobs: { owner: string; name: string; action: string }[];
  links: { owner: string; name: string; host: string; username: string }[];
  /** The privileges of the session. */
  readsAnyTable: boolean;
  /** The transaction of the session. */
  isReadOnly: boolean;
}

export const emptySchemas = (): FakeOracleSchemas => ({
  tables: [],
  programs: [],
  jobs: [],
  links: [],
  readsAnyTable: true,
  isReadOnly: false,
});

interface Catalog {
  denied: ReadonlySet<string>;
  schemas: FakeOracleSchemas;
}

type Table = { names: string[]; rows: (string | null)[][] };
type Answer = Table | { error: number } | null;

const [NO_TABLE, NO_COLUMN, SYNTAX] = [942, 904, 933];
const named = (rows: (string | null)[][]): Table => ({ names: (rows[0] ?? [""]).map((_, at) => `C${at}`), rows });
const text = (pattern: RegExp, statement: string): string => (pattern.exec(statement)?.[1] ?? "").replaceAll("''", "'");

/** Undefined for a statement that is not of a search; null closes the connection. */
export function searchAnswer(statement: string, { denied, schemas }: Catalog): Answer | undefined {
  if (statement === "SET TRANSACTION READ ONLY") {
    schemas.isReadOnly = true;
    return { error: 0 };
  }
  const view = /^SELECT [\s\S]*? FROM sys\.([a-z_]+)/.exec(statement)?.[1];
  if (view === undefined) return /^SELECT .* FROM "/s.test(statement) ? rowsOf(statement, schemas) : undefined;
  if (denied.has(view)) return { error: NO_TABLE };
  const [kind] = /(?<=^(?:dba|all)_).*/.exec(view) ?? [];
  const matches = ({ owner, name, type }: Omit<FakeOracleProgram, "text">) =>
    owner === text(/owner = '((?:[^']|'')*)'/, statement) &&
    name === text(/name = '((?:[^']|'')*)'/, statement) &&
    (type === "VIEW" || type === text(/type = '((?:[^']|'')*)'/, statement));
  const isOf = ({ type }: FakeOracleProgram) => (type === "VIEW") === (kind === "views");
  switch (kind) {
    case "policies":
      return named(
        schemas.tables.filter(({ hasPolicy }) => hasPolicy === true).map(({ owner, name }) => [owner, name]),
      );
    case "tables":
      return named([["Y"]]);
    // The first view that the list of columns names.
    case "tab_privs":
      return columnsOf(schemas);
    case "objects":
      return named(schemas.programs.filter(isOf).map(({ owner, name, type }) => [owner, name, type]));
    case "views":
      if (statement.startsWith("SELECT owner"))
        return named(schemas.programs.filter(isOf).map(({ owner, name, type }) => [owner, name, type]));
      return sourceOf(schemas.programs.find((each) => isOf(each) && matches(each)));
    case "source":
      return sourceOf(schemas.programs.find((each) => isOf(each) && matches(each)));
    case "scheduler_jobs":
      return named(schemas.jobs.map(({ owner, name, action }) => [owner, name, action]));
    case "db_links":
      return named(schemas.links.map(({ owner, name, host, username }) => [owner, name, host, username]));
    default:
      if (view !== "session_privs" || !statement.includes("SELECT ANY TABLE")) return undefined;
      return named(schemas.readsAnyTable ? [["SELECT ANY TABLE"]] : []);
  }
}

function columnsOf({ tables }: FakeOracleSchemas): Table {
  return named(
    tables.flatMap(({ owner, name, columns, isPublic }) =>
      columns.map((column) => {
        const [written, type] = typeof column === "string" ? [column, "VARCHAR2"] : column;
        return [owner, name, written, type, isPublic === true ? "Y" : "N"];
      }),
    ),
  );
}

/** A row for each line, with its end. */
const sourceOf = (program: FakeOracleProgram | undefined): Table =>
  named((program?.text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => [line]));

const NAME = '"([^"]+)"';
const LIMITS = String.raw`, 1, (\d+)\)`;
const VALUE = `(?:SUBSTR\\((?:${NAME}|XMLSERIALIZE\\(CONTENT ${NAME} AS CLOB\\)|JSON_SERIALIZE\\(${NAME} RETURNING CLOB\\))${LIMITS}|TO_CHAR\\(${NAME}\\)) AS c\\d+`;

/** The whole statement or a syntax error: any remaining text would be a second clause. */
function rowsOf(statement: string, { tables, isReadOnly }: FakeOracleSchemas): Answer {
  const shape = new RegExp(
    `^SELECT ${VALUE}(?:, ${VALUE})* FROM ${NAME}\\.${NAME} OFFSET (\\d+) ROWS FETCH NEXT (\\d+) ROWS ONLY$`,
  );
  const parts = shape.exec(statement);
  if (parts === null || !isReadOnly) return { error: SYNTAX };
  const [owner, name, offset, count] = parts.slice(-4);
  const table = tables.find((each) => each.owner === owner && each.name === name);
  if (table === undefined) return { error: NO_TABLE };
  if (table.error === null) return null;
  if (table.error !== undefined) return { error: table.error };
  const wanted = [...statement.matchAll(new RegExp(VALUE, "g"))].map((each) => ({
    column: each.slice(1, 4).find((part) => part !== undefined) ?? each[5],
    limit: Number(each[4] ?? 100),
  }));
  const names = table.columns.map((column) => (typeof column === "string" ? column : column[0]));
  const at = wanted.map(({ column }) => names.indexOf(column ?? ""));
  if (at.includes(-1)) return { error: NO_COLUMN };
  const page = table.rows.slice(Number(offset), Number(offset) + Number(count));
  return named(page.map((row) => at.map((index, each) => row[index]?.slice(0, wanted[each]!.limit) ?? null)));
}
