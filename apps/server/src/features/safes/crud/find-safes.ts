// Lists, counts and reads the safes that the caller may see.
import type { Safe, listSafes as listEndpoint, readSafe as readEndpoint } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { pageByName, placeByName } from "#kernel/http/cursor.ts";
import { toSafe } from "../safes.ts";
import { listSafes, readSafe } from "../safes.store.ts";
import { notFound } from "../effective-permissions.ts";

export async function findSafes(call: Call<typeof listEndpoint>, db: Db) {
  const { limit, cursor, search, status, permission } = call.query;
  const rows = await listSafes(db, call.actor, {
    limit,
    after: placeByName(cursor),
    search: search === undefined || search === "" ? null : search,
    status: status ?? null,
    permission: permission ?? null,
  });
  const { shown, next_cursor } = pageByName(rows, limit);
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
