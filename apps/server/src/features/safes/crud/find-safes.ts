// Lists, counts and reads the safes that the caller may see.
import type { Safe, listSafes as listEndpoint, readSafe as readEndpoint } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readPlace, pageInOrder } from "#kernel/db/list-order.ts";
import { orderOf } from "../safe-order.ts";
import { toSafe } from "../safes.ts";
import { listSafes, readSafe, readSafes } from "../safes.store.ts";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import type { ShownSafe } from "../safes.store.ts";
import { notFound } from "../effective-permissions.ts";

export const searchableSafes: Searchable = {
  kind: "safe",
  needs: "safe.list",
  async find(db, actor, search) {
    const query = { limit: MOST_FOUND, after: null, search, status: null, permission: null };
    return (await listSafes(db, actor, query)).map(hitOf);
  },
  read: async (db, actor, ids) => (await readSafes(db, actor, ids)).map(hitOf),
};

export async function findSafes(call: Call<typeof listEndpoint>, db: Db) {
  const { limit, cursor, search, status, tag, permission, sort } = call.query;
  const rows = await listSafes(db, call.actor, {
    limit,
    sort,
    after: cursor === undefined ? null : readPlace(orderOf(sort), cursor),
    search: search === undefined || search === "" ? null : search,
    status: status ?? null,
    tag: tag ?? null,
    permission: permission ?? null,
  });
  const { shown, next_cursor } = pageInOrder(rows, limit);
  return { safes: shown.map(toSafe), next_cursor };
}

export const readOne = (call: Call<typeof readEndpoint>, db: Db): Promise<Safe> =>
  presentSafe(db, call.actor, call.params.id);

/** Throws 404 when the safe does not exist or this user may not see it. */
export async function presentSafe(db: Db, actor: Actor, id: string): Promise<Safe> {
  const row = await readSafe(db, actor, id);
  if (row === null) throw notFound();
  return toSafe(row);
}

function hitOf({ id, name, description, owner_name, owner_email, account_count, status }: ShownSafe): Hit {
  const accounts = account_count === 1 ? "1 account" : `${account_count.toLocaleString("en")} accounts`;
  const detail = [accounts, `owned by ${owner_name}`, ...(status === "active" ? [] : [status])].join(", ");
  return { id, title: name, detail, by: [description, owner_name, owner_email], can: [] };
}
