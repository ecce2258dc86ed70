// Deletes a safe. It must be empty, so that destroying its key loses no secret: remaining accounts are moved, or the
// call is refused.
import { readAccessTime } from "#kernel/db/access-time.ts";
import type { Message, deleteSafe } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { destroyKek } from "#kernel/keys/destroy-kek.ts";
import { keyOfSafe } from "#features/secrets/index.ts";
import { requireConfirmedPeople } from "../members/confirm-people.ts";
import { membershipsOf } from "../members/members.store.ts";
import { permissionsIn } from "../safes.policy.ts";
import { audienceOfSafe, changed, targetOf } from "../safes.ts";
import { countAccounts, lockSafes, updateSafeRow } from "../safes.store.ts";
import type { SafeRow } from "../safes.store.ts";
import { requireEffectivePermission, requirePermission } from "../effective-permissions.ts";
import type { EffectivePermissions } from "../effective-permissions.ts";

/**
 * Moves every account of one safe into another and re-encrypts it under the other safe's key. Both safes must be
 * locked.
 */
export type AccountMover = (tx: Tx, fromSafe: string, toSafe: string, by: Actor) => Promise<void>;

/** Requires the same permissions as moving each account separately. */
export async function removeSafe(
  kernel: Kernel,
  call: Call<typeof deleteSafe>,
  tx: Tx,
  move: AccountMover,
): Promise<Message> {
  const { id } = call.params;
  const { move_accounts_to: destination, confirmation } = call.query;
  call.note({ target: { type: "safe", id } });
  await lockSafes(tx, destination === undefined ? [id] : [id, destination], "update");
  const standing = await requirePermission(tx, call.actor, id, "manage_safe");
  const { safe } = standing;
  call.note({ target: targetOf(safe) });
  const accounts = await countAccounts(tx, id);
  if (accounts > 0) {
    // The members of the destination gain access to the secrets of this safe.
    if (destination !== undefined) call.requireStepUp();
    const to = await requireDestination(tx, call.actor, standing, destination, accounts);
    await requireConfirmedPeople(tx, call.actor, to, confirmation);
    await move(tx, id, to.id, call.actor);
    if ((await countAccounts(tx, id)) > 0) throw new Error(`accounts are left in the safe ${id}`);
    call.note({ details: { accounts_moved: accounts, to: { id: to.id, name: to.name } } });
    await kernel.events.publish(tx, changed(to.id, await audienceOfSafe(tx, to.id)));
  }
  const audience = await audienceOfSafe(tx, id);
  const at = kernel.clock.now();
  await updateSafeRow(tx, id, { deleted_at: at, updated_at: at });
  // INVARIANT: a safe's key is destroyed only when nothing is sealed under that key.
  await destroyKek(tx, kernel.events, keyOfSafe(id));
  await kernel.events.publish(tx, { type: "safe.deleted", audience, data: { safe_id: id } });
  return { message: `"${safe.name}" deleted successfully` };
}

async function requireDestination(
  tx: Tx,
  actor: Actor,
  standing: EffectivePermissions,
  destination: string | undefined,
  accounts: number,
) {
  const { safe } = standing;
  if (destination === undefined) {
    const held = accounts === 1 ? "an account" : `${accounts} accounts`;
    throw refuse(
      409,
      "safe.not-empty",
      `"${safe.name}" still contains ${held}. Choose a safe to move them to, or delete them first.`,
    );
  }
  if (destination === safe.id)
    throw refuse(422, "safe.same", "The accounts cannot be moved into the safe that is being deleted.");
  requireEffectivePermission(standing, "delete");
  const { safe: to } = await requirePermission(tx, actor, destination, "add");
  await requireOwnSecrets(tx, actor, safe);
  return to;
}

/**
 * Requires, as for moving a single account, that the mover may retrieve every secret without approval. Ignores the
 * safe's status, so that an inactive or archived safe can be emptied too.
 */
async function requireOwnSecrets(
  tx: Tx,
  actor: Actor,
  { id, name, access_level: accessLevel }: SafeRow,
): Promise<void> {
  const safe = { name, status: "active", accessLevel } as const;
  const memberships = await membershipsOf(tx, id, actor.id);
  const known = { role: actor.role, memberships, safe, sharesWithOwner: { team: false, department: false } };
  const permissions = permissionsIn(known, await readAccessTime(tx));
  requireEffectivePermission({ safe, permissions }, "retrieve");
  requireEffectivePermission({ safe, permissions }, "access_without_confirmation");
}
