// Lists and searches credentials: newest first at a cost that does not grow with their number, or sorted.
import { DATABASE_FILTER } from "@strongroom/contract";
import type { CredentialType, listCredentials } from "@strongroom/contract";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { fold, keysToFind } from "#features/secrets/index.ts";
import type { Filter, SecretRow } from "#features/secrets/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { readPlace, pageInOrder } from "#kernel/db/list-order.ts";
import type { ListOrder } from "#kernel/db/list-order.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { orderOf } from "./credential-order.ts";
import { toCredential } from "./vault.ts";
import { listNewest, listSorted, lookUp, readNamed, readOwn, walkNewest } from "./vault.store.ts";
import type { Conditions, Page } from "./vault.store.ts";

/** A search reads this many of the next credentials first, and more only if that is likely to fill the page. */
const NEAR = 1_000;
const FAR = 5_000;

export async function findCredentials(call: Call<typeof listCredentials>, db: Db) {
  const { limit, cursor, sort = "-created_at", ...filter } = call.query;
  if (sort !== "-created_at") return findSorted(call, db, orderOf(sort));
  const page = { limit: limit + 1, after: cursor === undefined ? null : readTimePlace(cursor) };
  const rows = await find(db, call.actor, page, filter);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    data: shown.map(toCredential),
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.created_at, id: last.id }),
  };
}

/** Sorts all matches: an owner's vault is small enough. */
async function findSorted({ actor, query }: Call<typeof listCredentials>, db: Db, order: ListOrder) {
  const { limit, cursor, ...filter } = query;
  const after = cursor === undefined ? null : readPlace(order, cursor);
  const rows = await listSorted(db, actor, { order, limit: limit + 1, after }, conditionsOf(filter));
  const { shown, next_cursor } = pageInOrder(rows, limit);
  return { data: shown.map(toCredential), next_cursor };
}

/** Returns the newest credentials that contain the text. */
const findNewest = (db: Db, actor: Actor, text: string, limit: number): Promise<SecretRow[]> =>
  find(db, actor, { limit, after: null }, { search: text });

/**
 * A common text is found quickly by reading the next credentials, a rare text by its search keys. The first thousand
 * rows determine the strategy. The query planner does not, because its estimates can be wrong by orders of magnitude.
 */
async function find(db: Db, actor: Actor, page: Page, filter: Filter): Promise<SecretRow[]> {
  const keys = keysToFind(actor.id, filter);
  if (keys.length === 0) return listNewest(db, actor, page);
  const conditions = conditionsOf(filter);
  const near = await walkNewest(db, actor, page, conditions, NEAR);
  if (near.length === page.limit) return near;
  if (near.length * (FAR / NEAR) >= page.limit) {
    const far = await walkNewest(db, actor, page, conditions, FAR);
    if (far.length === page.limit) return far;
  }
  return lookUp(db, actor, page, conditions, keys);
}

function conditionsOf(filter: Filter): Conditions {
  const text = fold(filter.search ?? "");
  return {
    text: text === "" ? null : text,
    types: filter.type === undefined ? null : typesOf(filter.type),
    environment: filter.environment ?? null,
    verificationStatus: filter.verification_status ?? null,
  };
}

const typesOf = (type: CredentialType): readonly string[] => (type === "database" ? DATABASE_FILTER : [type]);

/** Makes the caller's own credentials available to the global search. */
export const searchableCredentials: Searchable = {
  kind: "credential",
  needs: "credential.list",
  async find(db, actor, text) {
    const [named, matching] = await Promise.all([
      readNamed(db, actor, text, MOST_FOUND),
      findNewest(db, actor, text, MOST_FOUND),
    ]);
    const all = new Map([...named, ...matching].map((row) => [row.id, row]));
    return [...all.values()].map(hitOf);
  },
  read: async (db, actor, ids) => (await readOwn(db, actor, ids)).map(hitOf),
};

function hitOf({ id, name, username, host }: SecretRow): Hit {
  const detail = [username, host].filter((each) => each !== null && each !== "").join(" at ");
  return { id, title: name, detail, by: [username, host], can: ["copy", "verify", "rotate"] };
}
