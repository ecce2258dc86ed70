// Lists the members of a safe for those who may see them.
import type { SafePermission, listSafeMembers } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { pageByName, placeByName } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { listMembers, membersWith } from "./members.store.ts";
import { bitOf } from "../safes.policy.ts";
import { toMember } from "../safes.ts";
import { notFound, readEffectivePermissions } from "../effective-permissions.ts";

export async function findMembers(call: Call<typeof listSafeMembers>, db: Db) {
  const standing = await readEffectivePermissions(db, call.actor, call.params.id);
  if (standing === null) throw notFound();
  if (!standing.seesMembers) {
    throw refuse(403, "safe.permission-missing", "Only members and administrators can see the members of a safe.");
  }
  const { limit, cursor } = call.query;
  const rows = await listMembers(db, call.params.id, limit, placeByName(cursor));
  const { shown, next_cursor } = pageByName(rows, limit);
  return { members: shown.map(toMember), next_cursor };
}

/** The active users who have this permission in the safe now through a membership. */
export const membersWho = (db: Db, safeId: string, permission: SafePermission): Promise<string[]> =>
  membersWith(db, safeId, bitOf(permission));
