// Updates a safe's properties, status and owner.
import type { AccessLevel, Safe, updateSafe, createSafe } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call, CallInput } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { presentSafe } from "./find-safes.ts";
import { transferSafe, ownersMembership } from "./transfer-safe.ts";
import { audienceOfSafe, changed, targetOf } from "../safes.ts";
import { updateSafeRow, insertSafe } from "../safes.store.ts";
import type { SafeRow } from "../safes.store.ts";
import { newId } from "#kernel/id.ts";
import { isSame } from "#features/secrets/index.ts";
import { replaceMember } from "../members/members.store.ts";
import { lockSafe } from "../effective-permissions.ts";

type Edit = Pick<
  SafeRow,
  "name" | "description" | "safe_type" | "access_level" | "status" | "session_zone" | "tags" | "owner_id"
>;

/** Called in the transaction that makes a safe inactive or archived, while the safe is locked. */
export type ClosedListener = (tx: Tx, safeId: string, by: Actor) => Promise<void>;

export async function changeSafe(
  kernel: Kernel,
  call: CallInput<typeof updateSafe> & Pick<Call, "requireStepUp">,
  tx: Tx,
  onClosed: ClosedListener,
): Promise<Safe> {
  const { id } = call.params;
  call.note({ target: { type: "safe", id } });
  const { safe } = await lockSafe(tx, call.actor, id, "manage_safe", "no key update");
  call.note({ target: targetOf(safe) });
  const { name, description, safe_type, access_level, status, session_zone, tags, owner_id } = call.body;
  const edit: Edit = {
    name,
    description,
    safe_type: safe_type ?? safe.safe_type,
    access_level: access_level ?? safe.access_level,
    status: status ?? safe.status,
    session_zone: session_zone === undefined ? safe.session_zone : session_zone,
    tags: tags ?? safe.tags,
    owner_id: owner_id ?? safe.owner_id,
  };
  if (givesAway(safe, edit)) call.requireStepUp();
  const fields = (Object.keys(edit) as (keyof Edit)[]).filter((field) => !isSame(edit[field], safe[field]));
  if (edit.owner_id !== safe.owner_id) await transferSafe(kernel, call, tx, safe, edit.owner_id);
  if (safe.status === "active" && edit.status !== "active") await onClosed(tx, id, call.actor);
  if (fields.length > 0) {
    await updateSafeRow(tx, id, { ...edit, updated_at: kernel.clock.now() });
    await kernel.events.publish(tx, changed(id, await audienceOfSafe(tx, id)));
  }
  // Descriptions may be long, so the audit entry records only that the description changed.
  const changes = fields.map((field) => [
    field,
    field === "description" ? true : { from: safe[field], to: edit[field] },
  ]);
  call.note({ details: { changed: Object.fromEntries(changes) } });
  return presentSafe(tx, call.actor, id);
}

/** Ranks the access levels by how many users can see the safe and request access. */
const WIDTH: Record<AccessLevel, number> = { private: 0, team: 1, department: 1, public: 2 };

/** Returns whether the change gives other users more access to the safe. */
function givesAway(before: Edit, after: Edit): boolean {
  const isShownToOthers =
    after.access_level !== before.access_level && WIDTH[after.access_level] >= WIDTH[before.access_level];
  const isReopened = before.status !== "active" && after.status === "active";
  return after.owner_id !== before.owner_id || isShownToOthers || isReopened;
}

export async function makeSafe(kernel: Kernel, call: Call<typeof createSafe>, tx: Tx): Promise<Safe> {
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  const { id: owner } = call.actor;
  await insertSafe(tx, { ...call.body, id, owner_id: owner, created_at: at, updated_at: at });
  await replaceMember(tx, ownersMembership(id, owner, owner, at));
  const { name, safe_type: type, access_level, session_zone } = call.body;
  const zone: Record<string, string> = session_zone === null ? {} : { session_zone };
  call.note({ target: targetOf({ id, name }), details: { type, access_level, ...zone } });
  await kernel.events.publish(tx, changed(id, await audienceOfSafe(tx, id)));
  return presentSafe(tx, call.actor, id);
}
