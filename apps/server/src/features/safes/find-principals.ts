// Finds users and groups that could become members, for those who manage the members of some safe.
import type { GroupId, Principal, UserId, findPrincipals as findEndpoint } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { findPrincipals, managesSomeMembers } from "./principals.store.ts";

export async function principals(call: Call<typeof findEndpoint>, db: Db): Promise<{ principals: Principal[] }> {
  if (call.actor.role !== "admin" && !(await managesSomeMembers(db, call.actor))) {
    throw refuse(403, "safe.permission-missing", "Only who manages the members of a safe may search for people.");
  }
  const found = await findPrincipals(db, call.query.search ?? "");
  return {
    principals: found.map(({ user_id, group_id, name, email }) => ({
      user_id: user_id as UserId | null,
      group_id: group_id as GroupId | null,
      name,
      email,
    })),
  };
}
