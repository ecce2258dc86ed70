// Reads the text columns, definitions and settings of all databases of a PostgreSQL server.
import pg from "pg";
import type { Attempt } from "../attempt.ts";
import type { Failure, ReadDatabasesFinding, Target } from "../connector.ts";
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
import { loginFailure } from "./login-failure.ts";
import { addressOf, logIn, type LoggedIn } from "./login.ts";

/**
 * Logs in once for each database, and stops at the first login that is rejected.
 *
 * INVARIANT: no code of the target's users runs: every query is in a read-only transaction that looks up names in `pg_catalog`
 * alone and refuses tables with row-level security instead of evaluating their policies. These settings belong to the transaction,
 * because a connection pooler may give each one another session.
 */
export async function readDatabases(
  target: Target,
  password: string,
  { search, reader, current }: DatabaseTask,
): Promise<ReadDatabasesFinding> {
  const opened = await open(target, password, current);
  if ("failure" in opened) return opened.failure;
  const { loggedIn } = opened;
  const where = nameOf(loggedIn.address);
  const reading = new DatabaseReading(search, reader, current);
  let isSuperuser = false;
  try {
    const { rows } = await asked<Database>(loggedIn, DATABASES, [MAX_DATABASES]);
    isSuperuser = rows.some((row) => row.is_superuser === true);
    if (reading.wantsAny("setting:role.")) await readSettings(loggedIn, "", ROLE_SETTINGS, reading);
    const first = rows.find((row) => row.is_current === true);
    for (const row of [...(first === undefined ? [] : [first]), ...rows.filter((each) => each !== first)]) {
      const name = textOf(row.name);
      if (reading.isOver() || reading.limit !== null) {
        reading.notListed("");
        break;
      }
      if (!KINDS.some((kind) => reading.wantsAny(`${kind}:${fullName([name])}.`))) continue;
      const failure = await readNamed(name, row === first ? loggedIn : null, {
        target,
        password,
        current,
        reading,
        isSuperuser,
      });
      if (failure !== null) return failure;
    }
  } catch (error) {
    return readFailure(error, loggedIn);
  }
  return reading.result(where, isSuperuser);
}

interface Running {
  target: Target;
  password: string;
  current: Attempt;
  reading: DatabaseReading;
  isSuperuser: boolean;
}

/** Null, or the reason why nothing more can be read. A database that the login may not open is reported as unread. */
async function readNamed(
  name: string,
  session: LoggedIn | null,
  { target, password, current, reading, isSuperuser }: Running,
): Promise<Failure | null> {
  const opened = session === null ? await open(target, password, current, name) : { loggedIn: session };
  if ("failure" in opened) {
    const { failure } = opened;
    if (failure.outcome === "misconfigured" && OF_THIS_DATABASE.has(failure.code)) {
      reading.unread.add(fullName([name]));
      for (const kind of KINDS) reading.notListed(`${kind}:${fullName([name])}.`);
      return null;
    }
    return failure;
  }
  const { loggedIn } = opened;
  try {
    const queries = isSuperuser ? [...SETTING_QUERIES, SUBSCRIPTIONS] : SETTING_QUERIES;
    if (!isSuperuser) reading.notListed(`setting:${fullName([name])}.${SUBSCRIPTIONS.kind}.`);
    const wants = (kind: (typeof KINDS)[number]) => reading.wantsAny(`${kind}:${fullName([name])}.`);
    if (wants("setting")) for (const query of queries) await readSettings(loggedIn, fullName([name]), query, reading);
    if (wants("definition")) await readDefinitions(loggedIn, name, reading);
    if (wants("column")) await readTables(loggedIn, name, reading);
  } catch (error) {
    return readFailure(error, loggedIn);
  }
  // The answer does not matter: the attempt closes what is still open.
  await loggedIn.client.end().catch(() => {});
  return null;
}

const KINDS = ["column", "definition", "setting"] as const;
const OF_THIS_DATABASE: ReadonlySet<string> = new Set(["no-permission", "no-such-database", "tls-required"]);
const MAX_DATABASES = 1_000;

async function open(target: Target, password: string, current: Attempt, database?: string) {
  const address = addressOf(target);
  if (!("failure" in address)) current.waitFor(`${nameOf(address)} to send its tables`);
  const limits = { ...(database === undefined ? {} : { database }), queryTimeoutMs: 2 * QUERY_TIMEOUT_MS };
  return logIn(target, password, current, limits);
}

const BEGIN = `
  begin read only; set local search_path = pg_catalog; set local row_security = off; set local synchronize_seqscans = off;
  set local lock_timeout = '2s'; set local statement_timeout = ${QUERY_TIMEOUT_MS};
  set local idle_in_transaction_session_timeout = '5min'`;

async function inTransaction<T>({ client, expect }: LoggedIn, work: () => Promise<T>): Promise<T> {
  expect(MAX_ANSWER_BYTES);
  try {
    await client.query(BEGIN);
    return await work();
  } finally {
    await client.query("rollback").catch(() => {});
  }
}

const asked = <Row extends object>(loggedIn: LoggedIn, sql: string, values: readonly unknown[] = []) =>
  inTransaction(loggedIn, () => loggedIn.client.query<Row>(sql, [...values]));

function readFailure(error: unknown, { address, tls }: LoggedIn): Failure {
  if (error instanceof ReaderFailed) throw error.cause;
  return loginFailure(error, address, tls.mode !== "disable");
}

async function readTables(loggedIn: LoggedIn, database: string, reading: DatabaseReading): Promise<void> {
  const { rows } = await asked<Table>(loggedIn, TABLES, [MAX_COLUMNS, MAX_LISTED]);
  if (rows.length > MAX_LISTED) reading.notListed(`column:${fullName([database])}.`);
  const tables = new Map(rows.slice(0, MAX_LISTED).map((row) => [foundTable(database, row), row]));
  // The query asks for no more columns, but the server may send them.
  for (const [{ name, columns }, row] of tables) {
    if (textsOf(row.columns).length > columns.length) reading.notListed(`column:${name}.`);
  }
  const chosen = reading.choose([...tables.keys()]);
  await reading.found(chosen.length);
  for (const table of chosen) {
    if (reading.isOver()) return;
    await orUnread(reading, table.name, () => readRows(loggedIn, table, tables.get(table)!, reading));
  }
}

/** The server refused: no permission, row-level security, a lock or a time limit. Other errors end the search. */
async function orUnread(reading: DatabaseReading, name: string, read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    reading.unread.add(name);
    return false;
  }
}

const MAX_LISTED = 50_000;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);

const foundTable = (database: string, row: Table): FoundTable => ({
  name: fullName([database, textOf(row.schema), textOf(row.name)]),
  owner: textOf(row.owner),
  isPublic: row.is_public === true,
  columns: textsOf(row.columns).slice(0, MAX_COLUMNS),
});

async function readRows(
  loggedIn: LoggedIn,
  table: FoundTable,
  { schema, name }: Table,
  reading: DatabaseReading,
): Promise<void> {
  const columns = table.columns.map((column) => `left(${quoted(column)}::text, ${MAX_VALUE_LENGTH + 1})`);
  const count = rowsAtOnce(columns.length);
  const from = `${quoted(textOf(schema))}.${quoted(textOf(name))}`;
  const { client, expect } = loggedIn;
  await inTransaction(loggedIn, async () => {
    await client.query(`declare rows no scroll cursor for select ${columns.join(", ")} from ${from}`);
    await reading.readTable(table, async () => {
      expect(MAX_ANSWER_BYTES);
      const { rows } = await client.query<unknown[]>({ text: `fetch ${count} from rows`, rowMode: "array" });
      return rows
        .slice(0, count)
        .map((row) => table.columns.map((_, index) => (typeof row[index] === "string" ? row[index] : null)));
    });
  });
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function readDefinitions(loggedIn: LoggedIn, database: string, reading: DatabaseReading) {
  for (const query of [FUNCTIONS, VIEWS]) {
    let after = 0;
    for (let isAtEnd = false; !isAtEnd && !reading.isOver();) {
      const limits = [after, MAX_DEFINITION_LENGTH + 1, DEFINITIONS_AT_ONCE];
      const { rows } = await asked<Definition>(loggedIn, query, limits);
      for (const row of rows) {
        const named = fullName([database, textOf(row.schema), textOf(row.name)]);
        const place = `definition:${named}${row.args === null ? "" : `(${textOf(row.args)})`}`;
        if (!reading.wants(place)) continue;
        // Everyone who may connect can read the catalogs.
        const readers = { owner: textOf(row.owner), isPublic: true };
        await reading.definition({ ...readers, place, text: textOf(row.text) });
      }
      const last = Number(rows.at(-1)?.id ?? 0);
      isAtEnd = rows.length < DEFINITIONS_AT_ONCE || !(last > after);
      // A list that goes round in a circle is not complete.
      if (rows.length > 0 && !(last > after)) reading.notListed(`definition:${fullName([database])}.`);
      after = last;
    }
  }
  if (reading.limit !== null) reading.notListed(`definition:${fullName([database])}.`);
}

const DEFINITIONS_AT_ONCE = 50;

/** `database` is empty for the settings of the whole server. */
async function readSettings(
  loggedIn: LoggedIn,
  database: string,
  { kind, isPublic, sql }: Settings,
  reading: DatabaseReading,
) {
  const name = database === "" ? kind : `${database}.${kind}`;
  const isListed = await orUnread(reading, name, async () => {
    const { rows } = await asked<Setting>(loggedIn, sql);
    for (const row of rows) {
      const place = `setting:${name}.${fullName(textsOf(row.path))}`;
      if (!reading.wants(place)) continue;
      const settings = textsOf(row.options).map((option) => {
        const [, key = "", value = ""] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
        return { name: key, value };
      });
      await reading.settings({ place, settings, owner: textOf(row.owner), isPublic });
    }
  });
  if (!isListed) reading.notListed(`setting:${name}.`);
}

/** The server determines the types of values, so no type is assumed. */
interface Database {
  name: unknown;
  is_current: unknown;
  is_superuser: unknown;
}
interface Table {
  schema: unknown;
  name: unknown;
  owner: unknown;
  is_public: unknown;
  columns: unknown;
}
interface Definition {
  id: unknown;
  schema: unknown;
  name: unknown;
  args: unknown;
  owner: unknown;
  text: unknown;
}
interface Setting {
  path: unknown;
  owner: unknown;
  options: unknown;
}

const DATABASES = `
  select d.datname::text as name, d.datname = current_database() as is_current, (select rolsuper from pg_roles where rolname = current_user) as is_superuser
    from pg_database d where d.datallowconn and not d.datistemplate order by d.datname limit $1`;

/** Text, JSON, XML, lists of texts, and ports, which belong to a login beside them. Partitions are read through their table; foreign tables would ask other servers. */
const TABLES = `
  select n.nspname::text as schema, c.relname::text as name, pg_get_userbyid(c.relowner)::text as owner,
         exists (select from aclexplode(c.relacl) a where a.grantee = 0 and a.privilege_type = 'SELECT') as is_public,
         columns.names as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (
      select array_agg(name order by number) as names from (
        select a.attname::text as name, a.attnum as number
          from pg_attribute a join pg_type t on t.oid = a.atttypid left join pg_type e on e.oid = t.typelem
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
           and (t.typcategory = 'S' or t.typname in ('json', 'jsonb', 'xml', 'hstore')
             or (t.typcategory = 'N' and a.attname ~* '(^|_)port$')
             or (t.typcategory = 'A' and (e.typcategory = 'S' or e.typname in ('json', 'jsonb', 'xml'))))
         order by a.attnum limit $1) as chosen) as columns
   where c.relkind in ('r', 'p', 'm') and not c.relispartition and c.relpersistence <> 't'
     and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and columns.names is not null
     and not exists (select from pg_inherits i join pg_class f on f.oid = i.inhrelid
                      where i.inhparent = c.oid and f.relkind = 'f')
   order by n.nspname, c.relname limit $2 + 1`;

const FUNCTIONS = `
  select p.oid::bigint as id, n.nspname::text as schema, p.proname::text as name,
         pg_get_function_identity_arguments(p.oid) as args, pg_get_userbyid(p.proowner)::text as owner,
         left(p.prosrc, $2) as text
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
   where p.oid > $1 and l.lanname not in ('c', 'internal') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
   order by p.oid limit $3`;

const VIEWS = `
  select c.oid::bigint as id, n.nspname::text as schema, c.relname::text as name, null as args,
         pg_get_userbyid(c.relowner)::text as owner, left(pg_get_viewdef(c.oid), $2) as text
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.oid > $1 and c.relkind in ('v', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
   order by c.oid limit $3`;

interface Settings {
  /** The second part of their places. */
  kind: string;
  /** Every login of the database can read them. */
  isPublic: boolean;
  sql: string;
}

const ROLE_SETTINGS: Settings = {
  kind: "role",
  isPublic: true,
  sql: roleSettingsOf("0"),
};

const SETTING_QUERIES: readonly Settings[] = [
  {
    kind: "role",
    isPublic: true,
    sql: roleSettingsOf("(select oid from pg_database where datname = current_database())"),
  },
  {
    kind: "foreign_server",
    isPublic: true,
    sql: `
      select array[s.srvname::text] as path, pg_get_userbyid(s.srvowner)::text as owner, s.srvoptions::text[] as options
        from pg_foreign_server s where s.srvoptions is not null order by 1 limit 10000`,
  },
  {
    kind: "user_mapping",
    isPublic: false,
    sql: `
      select array[m.srvname::text, m.usename::text] as path, m.usename::text as owner,
             s.srvoptions::text[] || m.umoptions::text[] as options
        from pg_user_mappings m join pg_foreign_server s on s.oid = m.srvid where m.umoptions is not null
       order by 1 limit 10000`,
  },
];

/** Only superusers can read the connection of a subscription. */
const SUBSCRIPTIONS: Settings = {
  kind: "subscription",
  isPublic: false,
  sql: `
    select array[s.subname::text] as path, pg_get_userbyid(s.subowner)::text as owner,
           array['connection=' || s.subconninfo] as options
      from pg_subscription s
     where s.subdbid = (select oid from pg_database where datname = current_database()) order by 1 limit 10000`,
};

/** Settings that roles get at login, such as `app.jwt_secret`. */
function roleSettingsOf(database: string): string {
  return `
    select array[coalesce(r.rolname::text, 'all')] as path, coalesce(r.rolname::text, '') as owner, s.setconfig as options
      from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole
     where s.setdatabase = ${database} order by 1 limit 10000`;
}
