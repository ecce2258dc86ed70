// Reads the text columns, definitions and linked servers of a MySQL or MariaDB server.
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
import { MAX_COLUMNS, MAX_DEFINITION_LENGTH, MAX_VALUE_LENGTH, fullName } from "../database-search.ts";
import { nameOf } from "../dial.ts";
import { loginFailure, serverErrno } from "./login-failure.ts";
import { logIn, type LoggedIn } from "./login.ts";

/**
 * Logs in once.
 *
 * INVARIANT: no code of the target's users runs: the session is read-only, and views and tables of other servers are left out.
 */
export async function readDatabases(
  target: Target,
  password: string,
  { search, reader, current }: DatabaseTask,
): Promise<ReadDatabasesFinding> {
  const login = await logIn(target, password, current);
  if ("failure" in login) return login.failure;
  const { loggedIn } = login;
  const { address, tls, isMariadb } = loggedIn;
  const where = nameOf(address);
  current.waitFor(`${where} to send its tables`);
  const reading = new DatabaseReading(search, reader, current);
  const ask: LoggedIn["ask"] = (sql) => {
    loggedIn.expect(MAX_ANSWER_BYTES);
    return loggedIn.ask(sql);
  };
  let isSuperuser = false;
  try {
    await ask("set session transaction read only");
    // Other modes would read double quotes as names, or a backslash as an escape.
    await ask("set session sql_mode = 'NO_BACKSLASH_ESCAPES', session lock_wait_timeout = 2");
    await ask(
      isMariadb
        ? `set session max_statement_time = ${QUERY_TIMEOUT_MS / 1000}`
        : `set session max_execution_time = ${QUERY_TIMEOUT_MS}`,
    );
    const [right] = await ask<{ held: unknown }>(ALL_RIGHTS);
    isSuperuser = Number(right?.held) > 0;
    if (reading.wantsAny("setting:")) await readServers(ask, reading);
    if (reading.wantsAny("definition:")) await readDefinitions(ask, reading);
    if (reading.wantsAny("column:")) await readTables(ask, reading);
  } catch (error) {
    if (error instanceof ReaderFailed) throw error.cause;
    return loginFailure(error, address, tls.mode !== "disable");
  }
  return reading.result(where, isSuperuser);
}

type Ask = LoggedIn["ask"];

/** The server refused: no permission, a lock or a time limit. Other errors end the search. */
async function orUnread(reading: DatabaseReading, name: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (serverErrno(error) === null) throw error;
    reading.unread.add(name);
  }
}

async function readTables(ask: Ask, reading: DatabaseReading): Promise<void> {
  const rows = await ask<Column>(COLUMNS);
  if (rows.length > MAX_LISTED) reading.notListed("column:");
  const tables = new Map<string, FoundTable & { columns: string[]; from: string }>();
  for (const row of rows.slice(0, MAX_LISTED)) {
    const [database, table] = [textOf(row.database_name), textOf(row.table_name)];
    const name = fullName([database, table]);
    const from = `${quoted(database)}.${quoted(table)}`;
    const known = tables.get(name) ?? { name, owner: "", isPublic: false, columns: [], from };
    if (known.columns.length < MAX_COLUMNS) known.columns.push(textOf(row.column_name));
    tables.set(name, known);
  }
  const chosen = reading.choose([...tables.values()]);
  await reading.found(chosen.length);
  for (const table of chosen) {
    if (reading.isOver()) return;
    const { from } = tables.get(table.name)!;
    await orUnread(reading, table.name, () => reading.readTable(table, pagesOf(ask, table, from)));
  }
}

/** InnoDB reads in the order of the primary key, so pages fit together. */
function pagesOf(ask: Ask, { columns }: FoundTable, from: string) {
  let offset = 0;
  const count = rowsAtOnce(columns.length);
  const values = columns.map((column, index) => `left(${quoted(column)}, ${MAX_VALUE_LENGTH + 1}) as c${index}`);
  return async () => {
    const rows = await ask<Record<string, unknown>>(
      `select ${values.join(", ")} from ${from} limit ${count} offset ${offset}`,
    );
    offset += rows.length;
    return rows.slice(0, count).map((row) => columns.map((_, index) => textOrNull(row[`c${index}`])));
  };
}

async function readDefinitions(ask: Ask, reading: DatabaseReading): Promise<void> {
  for (const query of DEFINITIONS) {
    let offset = 0;
    for (let isAtEnd = false; !isAtEnd && !reading.isOver();) {
      const rows = await ask<Definition>(`${query} limit ${DEFINITIONS_AT_ONCE} offset ${offset}`);
      for (const row of rows) {
        const place = `definition:${fullName([textOf(row.database_name), textOf(row.name)])}`;
        const text = textOrNull(row.text);
        if (!reading.wants(place)) continue;
        // The server hides the source of routines from logins without a right on them.
        if (text === null) reading.unread.add(place.slice(place.indexOf(":") + 1));
        else await reading.definition({ place, owner: textOf(row.owner), isPublic: false, text });
      }
      isAtEnd = rows.length < DEFINITIONS_AT_ONCE;
      offset += rows.length;
    }
  }
  if (reading.limit !== null) reading.notListed("definition:");
}

/** Servers of FEDERATED and SPIDER tables. */
async function readServers(ask: Ask, reading: DatabaseReading): Promise<void> {
  try {
    for (const row of await ask<Record<string, unknown>>(SERVERS)) {
      const place = `setting:mysql.server.${fullName([textOf(row["name"])])}`;
      if (!reading.wants(place)) continue;
      const settings = ["host", "port", "username", "password"].map((name) => ({ name, value: textOf(row[name]) }));
      await reading.settings({ place, settings, owner: textOf(row["owner"]), isPublic: false });
    }
  } catch (error) {
    if (serverErrno(error) === null) throw error;
    reading.unread.add("mysql.servers");
    reading.notListed("setting:");
  }
}

const MAX_LISTED = 200_000;
const DEFINITIONS_AT_ONCE = 50;

const textOrNull = (value: unknown): string | null => {
  if (typeof value === "string") return value;
  return Buffer.isBuffer(value) ? value.toString("utf8") : null;
};
const textOf = (value: unknown): string => textOrNull(value) ?? "";
const quoted = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

/** The server determines the types of values, so no type is assumed. */
interface Column {
  database_name: unknown;
  table_name: unknown;
  column_name: unknown;
}
interface Definition {
  database_name: unknown;
  name: unknown;
  owner: unknown;
  text: unknown;
}

const SYSTEM = "('information_schema', 'performance_schema', 'sys', 'mysql')";

const ALL_RIGHTS =
  "select count(*) as held from information_schema.user_privileges where privilege_type = 'SUPER' and replace(grantee, '''', '') = current_user()";

const COLUMNS = `
  select c.table_schema as database_name, c.table_name as table_name, c.column_name as column_name
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
   where t.table_type in ('BASE TABLE', 'SYSTEM VERSIONED') and coalesce(t.engine, '') not in ('FEDERATED', 'CONNECT', 'SPIDER', 'S3')
     and c.table_schema not in ${SYSTEM}
     and (c.data_type in ('char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'json')
       or (c.data_type in ('smallint', 'mediumint', 'int', 'bigint') and c.column_name regexp '(^|_)port$'))
   order by c.table_schema, c.table_name, c.ordinal_position limit ${MAX_LISTED + 1}`;

const DEFINITIONS = [
  `select routine_schema as database_name, routine_name as name, definer as owner,
          left(routine_definition, ${MAX_DEFINITION_LENGTH + 1}) as text
     from information_schema.routines where routine_schema not in ${SYSTEM} order by 1, 2, routine_type`,
  `select trigger_schema as database_name, trigger_name as name, definer as owner,
          left(action_statement, ${MAX_DEFINITION_LENGTH + 1}) as text
     from information_schema.triggers where trigger_schema not in ${SYSTEM} order by 1, 2`,
  `select event_schema as database_name, event_name as name, definer as owner,
          left(event_definition, ${MAX_DEFINITION_LENGTH + 1}) as text
     from information_schema.events where event_schema not in ${SYSTEM} order by 1, 2`,
  `select table_schema as database_name, table_name as name, definer as owner,
          left(view_definition, ${MAX_DEFINITION_LENGTH + 1}) as text
     from information_schema.views where table_schema not in ${SYSTEM} order by 1, 2`,
];

const SERVERS =
  "select server_name as name, host as host, cast(port as char) as port, username as username, password as password, owner as owner from mysql.servers order by server_name limit 10000";
