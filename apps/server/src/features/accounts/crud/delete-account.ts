// Deletes an account: erases its secrets immediately, ends its grants, and keeps the audit trail.
import type { Message, SafePermission, deleteAccount as deleteEndpoint } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { deleteSecret, refuseWhileRotating, supersedeRotation } from "#features/secrets/index.ts";
import { audienceOf, deleted, targetOf } from "../accounts.ts";
import { deleteDependents, readAccountRow, reconciledBy, updateAccountRow } from "../accounts.store.ts";
import { deleteCheckOut } from "../checkout/check-outs.store.ts";
import type { AccountDeps } from "../deps.ts";
import { lockAccount } from "../lock-account.ts";

export async function removeAccount(deps: AccountDeps, call: Call<typeof deleteEndpoint>, tx: Tx): Promise<Message> {
  const { id } = call.params;
  call.note({ target: { type: "account", id } });
  const { name } = await deleteOne(deps, tx, { id, actor: call.actor });
  call.note({ target: targetOf({ id, name }) });
  return { message: `"${name}" deleted successfully` };
}

/**
 * Deletes an account whose password was never known, which needs only `add` in its safe. Returns false, and deletes
 * nothing, when its password is known.
 */
export async function discardUnknown(deps: AccountDeps, tx: Tx, id: string, actor: Actor): Promise<boolean> {
  await lockAccount(tx, actor, id, "add", deps.grants.grantsInForce);
  if (!(await readAccountRow(tx, id)).is_password_unknown) return false;
  await deleteOne(deps, tx, { id, actor, permission: "add" });
  return true;
}

/** Throws 409 for an account that a platform uses as its reconcile account. */
export async function deleteOne(
  { kernel, grants, lost }: AccountDeps,
  tx: Tx,
  { id, actor, permission = "delete" }: { id: string; actor: Actor; permission?: SafePermission },
): Promise<{ name: string }> {
  const row = await lockAccount(tx, actor, id, permission, grants.grantsInForce);
  const platform = await reconciledBy(tx, id);
  if (platform !== null) {
    throw refuse(409, "account.reconciles", `The platform "${platform}" uses this account to reconcile others.`);
  }
  await refuseWhileRotating(tx, id);
  const audience = await audienceOf(tx, row);
  await lost(tx, [id], "deleted", actor);
  await deleteCheckOut(tx, id);
  await supersedeRotation(tx, id, kernel.clock.now(), "The account was deleted.");
  await deleteDependents(tx, id);
  await deleteSecret(tx, id, kernel.clock.now());
  await updateAccountRow(tx, id, { notes: null, rotation_wanted_at: null, rotation_wanted_because: null });
  await kernel.events.publish(tx, deleted(id, audience));
  return { name: row.name };
}
