// Changes a safe's properties, its status and its owner.
import type { AccessLevel, Safe, updateSafe } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Act } from "#kernel/http/act.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { presentSafe } from "./find-safes.ts";
import { makeOwner } from "./make-owner.ts";
import { audienceOfSafe, changed, targetOf } from "./safes.ts";
import { updateSafeRow } from "./safes.store.ts";
import type { SafeRow } from "./safes.store.ts";
import { holdSafe } from "./standing.ts";

type Edit = Pick<SafeRow, "name" | "description" | "safe_type" | "access_level" | "status" | "owner_id">;

/** Called in the transaction that closes a safe, with the safe held. */
export type ClosedListener = (tx: Tx, safeId: string, by: Actor) => Promise<void>;

export async function changeSafe(
  kernel: Kernel,
  call: Act<typeof updateSafe> & Pick<Call, "requireStepUp">,
  tx: Tx,
  onClosed: ClosedListener,
): Promise<Safe> {
  const { id } = call.params;
  call.note({ target: { type: "safe", id } });
  const { safe } = await holdSafe(tx, call.actor, id, "manage_safe", "no key update");
  call.note({ target: targetOf(safe) });
  const { name, description, safe_type, access_level, status, owner_id } = call.body;
  const edit: Edit = {
    name,
    description,
    safe_type: safe_type ?? safe.safe_type,
    access_level: access_level ?? safe.access_level,
    status: status ?? safe.status,
    owner_id: owner_id ?? safe.owner_id,
  };
  if (givesAway(safe, edit)) call.requireStepUp();
  const fields = (Object.keys(edit) as (keyof Edit)[]).filter((field) => edit[field] !== safe[field]);
  if (edit.owner_id !== safe.owner_id) await makeOwner(kernel, call, tx, safe, edit.owner_id);
  if (safe.status === "active" && edit.status !== "active") await onClosed(tx, id, call.actor);
  if (fields.length > 0) {
    await updateSafeRow(tx, id, { ...edit, updated_at: kernel.clock.now() });
    await kernel.events.publish(tx, changed(id, await audienceOfSafe(tx, id)));
  }
  // Descriptions may be long: that one changed is enough.
  const told = fields.map((field) => [field, field === "description" ? true : { from: safe[field], to: edit[field] }]);
  call.note({ details: { changed: Object.fromEntries(told) } });
  return presentSafe(tx, call.actor, id);
}

/** How many people can see the safe and request access, by level. */
const WIDTH: Record<AccessLevel, number> = { private: 0, team: 1, department: 1, public: 2 };

/** Whether the change gives another person more rights in the safe. */
function givesAway(before: Edit, after: Edit): boolean {
  const isShownToOthers =
    after.access_level !== before.access_level && WIDTH[after.access_level] >= WIDTH[before.access_level];
  const isReopened = before.status !== "active" && after.status === "active";
  return after.owner_id !== before.owner_id || isShownToOthers || isReopened;
}
