// Reads the text columns, programs, views, jobs and database links of the schemas of an Oracle database.
import oracledb from "oracledb";
import type { ReadDatabasesFinding, Target } from "../connector.ts";
import {
  DatabaseReading,
  MAX_ANSWER_BYTES,
  ReaderFailed,
  rowsAtOnce,
  type DatabaseTask,
  type FoundTable,
} from "../database-reading.ts";
import { MAX_COLUMNS, fullName } from "../database-search.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import {
  HAS_DBA_VIEWS,
  READS_ANY_TABLE,
  READ_ONLY,
  SOURCE_LINES,
  columnsOf,
  jobsOf,
  linksOf,
  policiesOf,
  programsOf,
  rowsOf,
  sourceOf,
  viewText,
  viewsOf,
  type Views,
} from "./catalog-queries.ts";
import { numberOf } from "./failures.ts";
import { openSession } from "./session.ts";
import { isName } from "./statements.ts";

/**
 * Logs in once.
 *
 * INVARIANT: no code of the target's users runs, and nothing is written: every table is read in a read-only transaction by its full
 * name; views, virtual columns, external tables and tables with a policy are left out.
 */
export async function readDatabases(
  target: Target,
  password: string,
  { search, reader, current }: DatabaseTask,
): Promise<ReadDatabasesFinding> {
  const session = await openSession(target, { username: target.username, password }, current);
  if ("failure" in session) return session.failure;
  const { address, connection } = session;
  const where = nameOf(address);
  current.waitFor(`${where} to send its tables`);
  const reading = new DatabaseReading(search, reader, current);
  const ask: Ask = async (statement, limit) => {
    session.expect(MAX_ANSWER_BYTES);
    const rows = { maxRows: limit, prefetchRows: limit, fetchArraySize: limit };
    const result = await connection.execute<unknown[]>(statement, [], { ...rows, fetchTypeHandler: asText });
    return (result.rows ?? []).map((row) => row.map((value) => (typeof value === "string" ? value : null)));
  };
  const rollback = () => connection.rollback();
  try {
    const views: Views = (await answers(async () => void (await ask(HAS_DBA_VIEWS, 1)))) ? "dba" : "all";
    const isSuperuser = views === "dba" && (await ask(READS_ANY_TABLE, 2)).length > 0;
    // The other views show only what the login may use.
    if (views === "all") reading.notListed("");
    const from: Source = { ask, rollback, reading, views };
    if (reading.wantsAny("setting:")) await readLinks(from);
    if (reading.wantsAny("definition:")) await readDefinitions(from);
    if (reading.wantsAny("column:")) await readTables(from);
    return reading.result(where, isSuperuser);
  } catch (error) {
    if (error instanceof ReaderFailed) throw error.cause;
    return connectionFailure(session.lost(), address);
  } finally {
    session.close();
  }
}

type Ask = (statement: string, limit: number) => Promise<(string | null)[][]>;

interface Source {
  ask: Ask;
  rollback: () => Promise<void>;
  reading: DatabaseReading;
  views: Views;
}

const MAX_LISTED = 50_000;
/** The session has ended: nothing more can be read. */
const ENDED: ReadonlySet<number> = new Set([28, 1012, 1089, 1092, 3113, 3114, 3135]);

/** Otherwise the driver hands over a locator for each large text, which costs a call. */
const asText = ({ dbType }: Pick<oracledb.Metadata<unknown>, "dbType">) =>
  dbType === oracledb.DB_TYPE_CLOB || dbType === oracledb.DB_TYPE_NCLOB ? { type: oracledb.STRING } : undefined;

/** Returns false if the server refused: no permission, a policy or a limit. Other errors end the search. */
async function answers(read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    const number = error instanceof ReaderFailed ? null : numberOf(error);
    if (number === null || number < 0 || ENDED.has(number)) throw error;
    return false;
  }
}

type Column = { name: string; type: string };
type OracleTable = FoundTable & { columns: string[]; typed: Column[]; owner: string; table: string };

async function readTables({ ask, rollback, reading, views }: Source): Promise<void> {
  const tables = new Map<string, OracleTable>();
  const policies = new Set<string>();
  const isListed = await answers(async () => {
    const rows = await ask(columnsOf(views, MAX_LISTED + 1), MAX_LISTED + 1);
    if (rows.length > MAX_LISTED) reading.notListed("column:");
    for (const [owner, table, column, type, isPublic] of rows.slice(0, MAX_LISTED))
      addColumn(tables, { owner, table, column, type, isPublic });
    for (const [owner, table] of await ask(policiesOf(views), MAX_LISTED))
      policies.add(fullName([owner ?? "", table ?? ""]));
  });
  if (!isListed) {
    reading.unread.add("tables");
    reading.notListed("column:");
    return;
  }
  const chosen = reading.choose([...tables.values()]);
  await reading.found(chosen.length);
  for (const { name } of chosen) {
    if (reading.isOver()) return;
    const table = tables.get(name)!;
    const isReadable = !policies.has(name) && [table.owner, table.table, ...table.columns].every(isName);
    const isRead =
      isReadable &&
      (await answers(async () => {
        await rollback();
        await ask(READ_ONLY, 1);
        await reading.readTable(table, pagesOf(ask, table));
      }));
    if (!isRead) reading.unread.add(name);
  }
}

function addColumn(
  tables: Map<string, OracleTable>,
  row: Record<"owner" | "table" | "column" | "type" | "isPublic", string | null | undefined>,
): void {
  const [owner, table, column, type] = [row.owner ?? "", row.table ?? "", row.column ?? "", row.type ?? ""];
  const name = fullName([owner, table]);
  const known = tables.get(name) ?? { name, owner, table, isPublic: row.isPublic === "Y", columns: [], typed: [] };
  if (known.columns.length < MAX_COLUMNS) {
    known.columns.push(column);
    known.typed.push({ name: column, type });
  }
  tables.set(name, known);
}

function pagesOf(ask: Ask, { owner, table, typed }: OracleTable) {
  let offset = 0;
  const count = rowsAtOnce(typed.length);
  return async () => {
    const rows = await ask(rowsOf({ owner, table }, typed, { offset, count }), count);
    offset += rows.length;
    return rows.map((row) => typed.map((_, index) => row[index] ?? null));
  };
}

async function readDefinitions({ ask, reading, views }: Source): Promise<void> {
  const kinds = [
    { list: programsOf, text: sourceOf },
    { list: viewsOf, text: viewText },
  ];
  for (const { list, text } of kinds) {
    const isListed = await answers(async () => {
      const rows = await ask(list(views, MAX_LISTED), MAX_LISTED);
      for (const [owner, name, type] of rows) {
        if (reading.isOver()) break;
        const parts = [owner ?? "", name ?? "", ...(type?.endsWith(" BODY") === true ? ["body"] : [])];
        const place = `definition:${fullName(parts)}`;
        if (!reading.wants(place)) continue;
        const isRead = await answers(async () => {
          const lines = await ask(text(views, owner ?? "", name ?? "", type ?? ""), SOURCE_LINES);
          const source = lines.map(([line]) => line ?? "").join("");
          // Empty for a login that may use the object, but not read it.
          if (source === "" || WRAPPED.test(source)) reading.unread.add(fullName(parts));
          else {
            const isPart = lines.length === SOURCE_LINES;
            await reading.definition({ place, owner: owner ?? "", isPublic: false, text: source, isPart });
          }
        });
        if (!isRead) reading.unread.add(fullName(parts));
      }
      if (rows.length === MAX_LISTED) reading.notListed("definition:");
    });
    if (!isListed) notListed(reading, "definitions");
  }
  const isListed = await answers(async () => {
    for (const [owner, name, text] of await ask(jobsOf(views, MAX_LISTED), MAX_LISTED)) {
      const place = `definition:${fullName([owner ?? "", "job", name ?? ""])}`;
      if (!reading.wants(place)) continue;
      await reading.definition({ place, owner: owner ?? "", isPublic: false, text: text ?? "" });
    }
  });
  if (!isListed) notListed(reading, "jobs");
  if (reading.limit !== null) reading.notListed("definition:");
}

/** The source is encoded: the first line ends with this word. */
const WRAPPED = /^[^\n]*\swrapped\s*\n[0-9a-f]+\s*\n/i;

function notListed(reading: DatabaseReading, name: string): void {
  reading.unread.add(name);
  reading.notListed("definition:");
}

async function readLinks({ ask, reading, views }: Source): Promise<void> {
  const isRead = await answers(async () => {
    for (const [owner, name, host, username] of await ask(linksOf(views, MAX_LISTED), MAX_LISTED)) {
      const place = `setting:db_link.${fullName([owner ?? "", name ?? ""])}`;
      if (!reading.wants(place)) continue;
      const settings = [
        { name: "host", value: host ?? "" },
        { name: "username", value: username ?? "" },
      ];
      await reading.settings({ place, settings, owner: owner ?? "", isPublic: false });
    }
  });
  if (isRead) return;
  reading.unread.add("db_link");
  reading.notListed("setting:");
}
