// Finds users and groups that could become members, in the directory or among those the caller already knows.
import { isMachineAddress } from "@strongroom/contract";
import type {
  GroupId,
  Principal,
  UserId,
  findKnownPrincipals as knownEndpoint,
  findPrincipals as findEndpoint,
} from "@strongroom/contract";
import { seesAddresses } from "#features/users/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { hintsFor } from "#kernel/masked-address.ts";
import { findKnown, findPrincipals, managesSomeMembers } from "./principals.store.ts";
import type { PrincipalRow } from "./principals.store.ts";
import { limitOf } from "../safes.policy.ts";

export async function principals(call: Call<typeof findEndpoint>, db: Db): Promise<{ principals: Principal[] }> {
  const { actor } = call;
  return present(actor, await findPrincipals(db, call.query.search, seesAddresses(actor)));
}

/** INVARIANT: users who may not search the directory can find only users whose full address they know. */
export async function knownPrincipals(call: Call<typeof knownEndpoint>, db: Db): Promise<{ principals: Principal[] }> {
  const { actor } = call;
  if (limitOf(actor) !== null) {
    throw refuse(403, "token.limited-to-safes", "An API token that is limited to safes cannot look up people.");
  }
  if (!(await managesSomeMembers(db, actor))) {
    throw refuse(403, "safe.permission-missing", "Only people who manage the members of a safe can look up people.");
  }
  return present(actor, await findKnown(db, actor.id, call.query.search));
}

function present(actor: Actor, rows: readonly PrincipalRow[]): { principals: Principal[] } {
  const masks = hintsFor(rows);
  const isOpen = seesAddresses(actor);
  const shown = rows.map(({ user_id, group_id, name, email }, index) => {
    const is_machine = isMachineAddress(email);
    return {
      user_id: user_id as UserId | null,
      group_id: group_id as GroupId | null,
      name,
      hint: isOpen && !is_machine ? email : masks[index]!,
      is_machine,
    };
  });
  return { principals: shown };
}
