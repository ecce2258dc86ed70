// Reads the text columns, modules, agent jobs and linked servers of a SQL Server.
import type { ReadDatabasesFinding, Target } from "../connector.ts";
import {
  DatabaseReading,
  MAX_ANSWER_BYTES,
  QUERY_TIMEOUT_MS,
  ReaderFailed,
  rowsAtOnce,
  type DatabaseTask,
  type FoundTable,
} from "../database-reading.ts";
import { MAX_COLUMNS, fullName } from "../database-search.ts";
import { connectionFailure, nameOf } from "../dial.ts";
import { rejected } from "../finding.ts";
import {
  CREDENTIALS,
  DATABASES,
  IS_SYSADMIN,
  LINKED_SERVER_SETTINGS,
  SETTINGS,
  columnsOf,
  jobSteps,
  modulesOf,
  rowsOf,
  seesAll,
  unreadableTablesOf,
} from "./catalog-queries.ts";
import { ServerError, openSession, type Row } from "./session.ts";

/**
 * Logs in once.
 *
 * INVARIANT: no code of the target's users runs, and nothing is written. SQL Server has no read-only sessions, so every statement is
 * one SELECT from catalog views or from a table by its full name; views, computed columns, external tables and tables with a security
 * policy are left out.
 */
export async function readDatabases(
  target: Target,
  password: string,
  { search, reader, current }: DatabaseTask,
): Promise<ReadDatabasesFinding> {
  const session = await openSession(target, { username: target.username, password }, current);
  if ("failure" in session) return session.failure;
  const { address } = session;
  const where = nameOf(address);
  current.waitFor(`${where} to send its tables`);
  const reading = new DatabaseReading(search, reader, current);
  const ask: Ask = (statement) => {
    session.expect(MAX_ANSWER_BYTES);
    return session.run(statement, QUERY_TIMEOUT_MS);
  };
  try {
    await ask(SETTINGS);
    const [right] = await ask(IS_SYSADMIN);
    const isSuperuser = right?.["is_sysadmin"] === "1";
    // The server shows other logins only a part.
    if (!isSuperuser) reading.notListed("setting:");
    if (reading.wantsAny("setting:")) await readSettings(ask, reading);
    if (reading.wantsAny("definition:msdb.job.")) await readJobs(ask, reading);
    for (const { name, is_open: isOpen } of await ask(DATABASES)) {
      const database = name ?? "";
      if (reading.isOver() || reading.limit !== null) {
        reading.notListed("");
        break;
      }
      if (!KINDS.some((kind) => reading.wantsAny(`${kind}:${fullName([database])}.`))) continue;
      if (isOpen === "1") await readDatabase(ask, reading, database);
      else notRead(reading, database);
    }
    return reading.result(where, isSuperuser);
  } catch (error) {
    if (error instanceof ReaderFailed) throw error.cause;
    if (error instanceof ServerError)
      return rejected("no-permission", `${where} does not list its databases (error ${error.numbers[0]}).`);
    return connectionFailure(session.lost() ?? error, address);
  } finally {
    session.close();
  }
}

type Ask = (statement: string) => Promise<Row[]>;

const KINDS = ["column", "definition"] as const;
const MAX_LISTED = 50_000;
const DEFINITIONS_AT_ONCE = 50;
const NO_SUCH_OBJECT = 208;

/** Returns false if the server refused: no permission, a lock or a time limit. Other errors end the search. */
async function answers(read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return false;
  }
}

function notRead(reading: DatabaseReading, database: string): void {
  reading.unread.add(fullName([database]));
  for (const kind of KINDS) reading.notListed(`${kind}:${fullName([database])}.`);
}

async function readDatabase(ask: Ask, reading: DatabaseReading, database: string): Promise<void> {
  const isRead = await answers(async () => {
    const [right] = await ask(seesAll(database));
    if (right?.["sees_all"] !== "1") for (const kind of KINDS) reading.notListed(`${kind}:${fullName([database])}.`);
    if (reading.wantsAny(`definition:${fullName([database])}.`)) await readModules(ask, reading, database);
    if (reading.wantsAny(`column:${fullName([database])}.`)) await readTables(ask, reading, database);
  });
  if (!isRead) notRead(reading, database);
}

type Named = readonly [database: string, schema: string, table: string];

async function readTables(ask: Ask, reading: DatabaseReading, database: string): Promise<void> {
  const rows = await ask(columnsOf(database, MAX_LISTED + 1));
  if (rows.length > MAX_LISTED) reading.notListed(`column:${fullName([database])}.`);
  const tables = new Map<string, FoundTable & { columns: string[]; from: Named }>();
  for (const row of rows.slice(0, MAX_LISTED)) {
    const from: Named = [database, row["schema_name"] ?? "", row["table_name"] ?? ""];
    const name = fullName(from);
    const readers = { owner: row["owner"] ?? "", isPublic: row["is_public"] === "1" };
    const known = tables.get(name) ?? { name, ...readers, columns: [], from };
    if (known.columns.length < MAX_COLUMNS) known.columns.push(row["column_name"] ?? "");
    tables.set(name, known);
  }
  const unreadable = await unreadableTables(ask, database);
  const chosen = reading.choose([...tables.values()].filter(({ name }) => unreadable.get(name) !== "external"));
  await reading.found(chosen.length);
  for (const table of chosen) {
    if (reading.isOver()) return;
    const { from } = tables.get(table.name)!;
    const isRead =
      !unreadable.has(table.name) && (await answers(() => reading.readTable(table, pagesOf(ask, table, from))));
    if (!isRead) reading.unread.add(table.name);
  }
}

/** The reason for each table that must not be read. */
async function unreadableTables(ask: Ask, database: string): Promise<Map<string, string>> {
  try {
    const rows = await ask(unreadableTablesOf(database));
    return new Map(
      rows.map((row) => [
        fullName([database, row["schema_name"] ?? "", row["table_name"] ?? ""]),
        row["reason"] ?? "predicate",
      ]),
    );
  } catch (error) {
    if (error instanceof ServerError && error.numbers[0] === NO_SUCH_OBJECT) return new Map();
    throw error;
  }
}

function pagesOf(ask: Ask, { columns }: FoundTable, from: Named) {
  let offset = 0;
  const count = rowsAtOnce(columns.length);
  return async () => {
    const rows = await ask(rowsOf(from, columns, { offset, count }));
    offset += rows.length;
    return rows.slice(0, count).map((row) => columns.map((_, index) => row[`c${index}`] ?? null));
  };
}

/** Reads page after page of definitions. `placeOf` names each one. */
async function readPages(
  ask: Ask,
  reading: DatabaseReading,
  query: (offset: number, count: number) => string,
  placeOf: (row: Row) => string,
): Promise<void> {
  let offset = 0;
  for (let isAtEnd = false; !isAtEnd && !reading.isOver();) {
    const rows = await ask(query(offset, DEFINITIONS_AT_ONCE));
    for (const row of rows) {
      const place = `definition:${placeOf(row)}`;
      const { text = null, owner = null } = row;
      if (!reading.wants(place)) continue;
      // Encrypted, or hidden from a login without VIEW DEFINITION.
      if (text === null) reading.unread.add(place.slice(place.indexOf(":") + 1));
      else await reading.definition({ place, owner: owner ?? "", isPublic: false, text });
    }
    isAtEnd = rows.length < DEFINITIONS_AT_ONCE;
    offset += rows.length;
  }
}

async function readModules(ask: Ask, reading: DatabaseReading, database: string): Promise<void> {
  for (const query of modulesOf(database)) {
    await readPages(ask, reading, query, ({ schema_name: schema = null, name }) =>
      fullName([database, ...(schema === null ? [] : [schema]), name ?? ""]),
    );
  }
  if (reading.limit !== null) reading.notListed(`definition:${fullName([database])}.`);
}

async function readJobs(ask: Ask, reading: DatabaseReading): Promise<void> {
  const isRead = await answers(() =>
    readPages(ask, reading, jobSteps, ({ job, step }) => fullName(["msdb", "job", job ?? "", step ?? ""])),
  );
  if (!isRead) reading.unread.add("msdb.job");
  if (!isRead || reading.limit !== null) reading.notListed("definition:msdb.job.");
}

const SETTING_QUERIES = [
  ["linked_server", LINKED_SERVER_SETTINGS, ["data_source", "provider_string", "location", "username"]],
  ["credential", CREDENTIALS, ["username"]],
] as const;

async function readSettings(ask: Ask, reading: DatabaseReading): Promise<void> {
  for (const [kind, query, columns] of SETTING_QUERIES) {
    const isRead = await answers(async () => {
      for (const [name, rows] of Map.groupBy(await ask(query), (row) => row["name"] ?? "")) {
        const place = `setting:${kind}.${fullName([name])}`;
        if (!reading.wants(place)) continue;
        // A linked server has a row for each of its logins.
        const pairs = rows.flatMap((row) => columns.map((column) => [column, row[column] ?? ""] as const));
        const distinct = new Map(pairs.map(([column, value]) => [`${column}=${value}`, { name: column, value }]));
        const settings = [...distinct.values()].filter(({ value }) => value !== "");
        await reading.settings({ place, settings, owner: "", isPublic: false });
      }
    });
    if (isRead) continue;
    reading.unread.add(kind);
    reading.notListed(`setting:${kind}.`);
  }
}
