// Reads the text fields of collections, the pipelines of views and the stored functions of a MongoDB server.
import { BSON } from "mongodb";
import type { ReadDatabasesFinding, Target } from "../connector.ts";
import {
  DatabaseReading,
  MAX_ANSWER_BYTES,
  QUERY_TIMEOUT_MS,
  ReaderFailed,
  type DatabaseTask,
} from "../database-reading.ts";
import { fullName } from "../database-search.ts";
import { nameOf } from "../dial.ts";
import { DocumentRows } from "./documents.ts";
import { loginFailure, openSession } from "./session.ts";
import { ServerError, type Doc } from "./wire.ts";

/**
 * Logs in once.
 *
 * INVARIANT: no code of the target's users runs, and nothing is written: the commands only list and find, without an expression.
 * Views, whose pipelines can contain functions, are not queried.
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
  current.waitFor(`${where} to send its collections`);
  const reading = new DatabaseReading(search, reader, current);
  const ask: Ask = (database, command) => {
    session.expect(MAX_ANSWER_BYTES);
    return session.readFrom(database, command);
  };
  try {
    const isSuperuser = await readsEverything(ask);
    // The server names only the databases and collections of other logins' roles.
    if (!isSuperuser) reading.notListed("");
    const { databases } = await ask("admin", { listDatabases: 1, nameOnly: true, authorizedDatabases: true });
    const names = listOf(databases).flatMap(({ name }) => (typeof name === "string" ? [name] : []));
    for (const database of names.filter((name) => !SYSTEM.has(name)).toSorted()) {
      if (reading.isOver() || reading.limit !== null) {
        reading.notListed("");
        break;
      }
      const wantsAny = (kind: string) => reading.wantsAny(`${kind}:${fullName([database])}.`);
      if (wantsAny("definition")) await readFunctions(ask, reading, database);
      if (wantsAny("definition") || wantsAny("column")) await readDatabase(ask, reading, database, search.maxRows);
    }
    return reading.result(where, isSuperuser);
  } catch (error) {
    if (error instanceof ReaderFailed) throw error.cause;
    return loginFailure(error, address);
  } finally {
    session.close();
  }
}

type Ask = (database: string, command: Doc) => Promise<Doc>;

const SYSTEM: ReadonlySet<string> = new Set(["config", "local"]);
const READERS: ReadonlySet<unknown> = new Set(["root", "__system", "readAnyDatabase", "readWriteAnyDatabase"]);
const AT_ONCE = 25;
const MAX_COLLECTIONS = 50_000;

const listOf = (value: unknown): Doc[] =>
  Array.isArray(value) ? value.filter((each) => each !== null && typeof each === "object") : [];

async function readsEverything(ask: Ask): Promise<boolean> {
  const { authInfo } = await ask("admin", { connectionStatus: 1 });
  const roles = listOf((authInfo as { authenticatedUserRoles?: unknown } | undefined)?.authenticatedUserRoles);
  return roles.some(({ role, db }) => db === "admin" && READERS.has(role));
}

/** Returns false if the server refused: no permission or a time limit. Other errors end the search. */
async function answers(read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return false;
  }
}

/** The documents of a command with a cursor. The cursor is closed when the caller stops early. */
async function* documentsOf(ask: Ask, database: string, command: Doc): AsyncGenerator<Doc> {
  let { cursor } = await ask(database, command);
  let batch = batchOf(cursor, "firstBatch");
  let isAtEnd = false;
  try {
    for (;;) {
      yield* batch.documents;
      isAtEnd = batch.id === null;
      if (batch.id === null) return;
      ({ cursor } = await ask(database, { getMore: batch.id, collection: batch.collection, batchSize: AT_ONCE }));
      batch = batchOf(cursor, "nextBatch");
    }
  } finally {
    if (!isAtEnd && batch.id !== null) {
      const close = { killCursors: batch.collection, cursors: [batch.id] };
      // The server closes it itself after ten minutes; a lost connection is noticed by the next command.
      await ask(database, close).catch(() => {});
    }
  }
}

function batchOf(value: unknown, name: "firstBatch" | "nextBatch") {
  const { id, ns, [name]: documents } = (value ?? {}) as Doc;
  const long = typeof id === "number" ? BSON.Long.fromNumber(id) : id instanceof BSON.Long ? id : BSON.Long.ZERO;
  const [, ...collection] = String(ns).split(".");
  return { id: long.isZero() ? null : long, collection: collection.join("."), documents: listOf(documents) };
}

interface Collection {
  /** `shop.settings`. */
  name: string;
  collection: string;
}

async function readDatabase(ask: Ask, reading: DatabaseReading, database: string, maxRows: number): Promise<void> {
  const collections: Collection[] = [];
  const isRead = await answers(async () => {
    for await (const { name: collection, type, options } of documentsOf(ask, database, {
      listCollections: 1,
      cursor: {},
    })) {
      if (typeof collection !== "string" || collection.startsWith("system.")) continue;
      const name = fullName([database, collection]);
      if (type === "view") await readView(reading, name, options);
      else collections.push({ name, collection });
      if (collections.length < MAX_COLLECTIONS && !reading.isOver()) continue;
      reading.notListed("");
      break;
    }
  });
  if (!isRead) {
    reading.unread.add(fullName([database]));
    for (const kind of ["column", "definition"]) reading.notListed(`${kind}:${fullName([database])}.`);
  }
  const chosen = reading.chooseByName(collections.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  await reading.found(chosen.length);
  for (const each of chosen) {
    if (reading.isOver()) return;
    if (await answers(() => readCollection(ask, reading, { ...each, database, maxRows }))) continue;
    reading.unread.add(each.name);
    reading.notListed(`column:${each.name}.`);
  }
}

async function readCollection(
  ask: Ask,
  reading: DatabaseReading,
  { name, collection, database, maxRows }: Collection & { database: string; maxRows: number },
): Promise<void> {
  const rows = new DocumentRows();
  const find = { find: collection, filter: {}, batchSize: AT_ONCE, maxTimeMS: QUERY_TIMEOUT_MS };
  for await (const document of documentsOf(ask, database, find)) {
    rows.isCut ||= rows.isFull || rows.count >= maxRows || reading.isOver();
    if (rows.isFull || rows.count >= maxRows || reading.isOver()) break;
    rows.add(document);
  }
  // A field of a document that was not read is not gone.
  if (rows.isCut) reading.notListed(`column:${name}.`);
  if (rows.columns.length === 0) return;
  const pages = [rows.rows()];
  const table = { name, owner: "", isPublic: false, columns: rows.columns };
  await reading.readTable(table, async () => pages.pop() ?? [], rows.isCut);
}

async function readView(reading: DatabaseReading, name: string, options: unknown): Promise<void> {
  const { viewOn, pipeline } = (options ?? {}) as Doc;
  await readText(reading, `definition:${name}`, BSON.EJSON.stringify({ viewOn, pipeline }, undefined, 2));
}

/** Functions for the server's JavaScript, in the collection `system.js`. */
async function readFunctions(ask: Ask, reading: DatabaseReading, database: string): Promise<void> {
  const find = { find: "system.js", filter: {}, batchSize: AT_ONCE, maxTimeMS: QUERY_TIMEOUT_MS };
  const isRead = await answers(async () => {
    for await (const { _id: name, value } of documentsOf(ask, database, find)) {
      if (reading.isOver()) break;
      const place = `definition:${fullName([database, "system", "js", String(name)])}`;
      const code = value instanceof BSON.Code ? value.code : value;
      await readText(
        reading,
        place,
        typeof code === "string" ? code : BSON.EJSON.stringify({ value: code }, undefined, 2),
      );
    }
  });
  if (!isRead) reading.unread.add(fullName([database, "system", "js"]));
  if (!isRead || reading.limit !== null) reading.notListed(`definition:${fullName([database, "system", "js"])}.`);
}

async function readText(reading: DatabaseReading, place: string, text: string): Promise<void> {
  if (!reading.wants(place)) return;
  await reading.definition({ place, owner: "", isPublic: false, text });
}
