// The databases of the fake MongoDB, and its answers to the commands of a search, with cursors. Only users with the role `root` see
// databases that are not `isReadable`. Does not prove: which roles allow what, secondaries, locks, time limits, the size of batches.
import { BSON } from "mongodb";

type Doc = Record<string, unknown>;

interface FakeMongodbCollection {
  name: string;
  /** Of a view or a time series. */
  type?: "view" | "timeseries";
  options?: Doc;
  documents?: Doc[];
  /** The error of every `find`; null closes the connection. */
  error?: number | null;
}

export interface FakeMongodbDatabase {
  name: string;
  isReadable?: boolean;
  collections: FakeMongodbCollection[];
}

interface OpenCursor {
  ns: string;
  rest: Doc[];
}

export interface FakeMongodbState {
  databases: FakeMongodbDatabase[];
  cursors: Map<number, OpenCursor>;
  /** Null before the login. */
  roles: readonly string[] | null;
}

const refusal = (code: number): Doc => ({ ok: 0, code, errmsg: "no" });
const [UNAUTHORIZED, BAD_VALUE, CURSOR_NOT_FOUND, NOT_LONG] = [13, 2, 43, 14];
const FIRST_BATCH = 101;

/** Null for a command that is not of a search. */
export function searchAnswer(command: string, body: Doc, state: FakeMongodbState): Doc | "close" | null {
  const { databases, cursors, roles } = state;
  if (roles === null) return null;
  const isReadable = ({ isReadable: is = true }: FakeMongodbDatabase) => is || roles.includes("root");
  const database = databases.find(({ name }) => name === body["$db"]);
  switch (command) {
    case "listDatabases":
      if (body["$db"] !== "admin" || body["authorizedDatabases"] !== true) return refusal(BAD_VALUE);
      return { ok: 1, databases: databases.filter(isReadable).map(({ name }) => ({ name })) };
    case "listCollections": {
      if (database !== undefined && !isReadable(database)) return refusal(UNAUTHORIZED);
      const listed = (database?.collections ?? []).map(({ name, type = "collection", options = {} }) => ({
        name,
        type,
        options,
      }));
      return opened(cursors, `${String(body["$db"])}.$cmd.listCollections`, listed, FIRST_BATCH);
    }
    case "find": {
      if (database !== undefined && !isReadable(database)) return refusal(UNAUTHORIZED);
      const collection = database?.collections.find(({ name }) => name === body["find"]);
      if (collection?.error === null) return "close";
      if (collection?.error !== undefined) return refusal(collection.error);
      const batchSize = Number(body["batchSize"] ?? FIRST_BATCH);
      return opened(cursors, `${String(body["$db"])}.${String(body["find"])}`, collection?.documents ?? [], batchSize);
    }
    case "getMore":
      return more(cursors, body);
    case "killCursors":
      for (const id of body["cursors"] as unknown[]) cursors.delete(Number(id));
      return { ok: 1 };
    default:
      return null;
  }
}

function opened(cursors: FakeMongodbState["cursors"], ns: string, documents: Doc[], batchSize: number): Doc {
  const rest = documents.slice(batchSize);
  const id = rest.length === 0 ? 0 : cursors.size + 1;
  if (id !== 0) cursors.set(id, { ns, rest });
  return { ok: 1, cursor: { id: BSON.Long.fromNumber(id), ns, firstBatch: documents.slice(0, batchSize) } };
}

/** A driver reads small 64-bit numbers as ordinary ones, which it would send back with another type. */
function more(cursors: FakeMongodbState["cursors"], body: Doc): Doc {
  const { getMore, collection, $db: database } = body;
  if (!(getMore instanceof BSON.Long)) return refusal(NOT_LONG);
  const id = getMore.toNumber();
  const open = cursors.get(id);
  if (open === undefined || open.ns !== `${String(database)}.${String(collection)}`) return refusal(CURSOR_NOT_FOUND);
  const size = Number(body["batchSize"]);
  const nextBatch = open.rest.splice(0, size);
  if (open.rest.length === 0) cursors.delete(id);
  return { ok: 1, cursor: { id: BSON.Long.fromNumber(open.rest.length === 0 ? 0 : id), ns: open.ns, nextBatch } };
}
