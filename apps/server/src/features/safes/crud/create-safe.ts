// Creates a safe: the caller owns it and is its first member.
import type { Safe, createSafe } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { presentSafe } from "./find-safes.ts";
import { ownersMembership } from "./make-owner.ts";
import { replaceMember } from "../members/members.store.ts";
import { audienceOfSafe, changed, targetOf } from "../safes.ts";
import { insertSafe } from "../safes.store.ts";

export async function makeSafe(kernel: Kernel, call: Call<typeof createSafe>, tx: Tx): Promise<Safe> {
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  const { id: owner } = call.actor;
  await insertSafe(tx, { ...call.body, id, owner_id: owner, created_at: at, updated_at: at });
  await replaceMember(tx, ownersMembership(id, owner, owner, at));
  const { name, safe_type: type, access_level } = call.body;
  call.note({ target: targetOf({ id, name }), details: { type, access_level } });
  await kernel.events.publish(tx, changed(id, await audienceOfSafe(tx, id)));
  return presentSafe(tx, call.actor, id);
}
