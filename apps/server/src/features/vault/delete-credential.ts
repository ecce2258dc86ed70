// Deletes a credential: its secrets are erased immediately, and the audit trail stays (OPEN-57).
import type { Message, deleteCredential as deleteEndpoint } from "@strongroom/contract";
import { deleteSecret, keyOfVault, refuseWhileRotating, supersedeRotation } from "#features/secrets/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { destroyKek } from "#kernel/keys/destroy-kek.ts";
import { credentialNotFound, credentialTarget } from "./vault.ts";
import { deleteVault, lockCredential } from "./vault.store.ts";

export async function deleteOwnCredential(kernel: Kernel, call: Call<typeof deleteEndpoint>, tx: Tx): Promise<Message> {
  const { id } = call.params;
  call.note({ target: { type: "credential", id } });
  if ((await lockCredential(tx, call.actor, id)) === null) throw credentialNotFound();
  await refuseWhileRotating(tx, id);
  await supersedeRotation(tx, id, kernel.clock.now(), "The credential was deleted.");
  const row = await deleteSecret(tx, id, kernel.clock.now());
  if (row === null) throw credentialNotFound();
  call.note({ target: credentialTarget(row) });
  await kernel.events.publish(tx, {
    type: "credential.deleted",
    audience: { users: [call.actor.id] },
    data: { credential_id: id },
  });
  return { message: `"${row.name}" deleted successfully` };
}

/**
 * Erases the secrets of a deleted user immediately, and destroys their key, which makes any remaining copies unreadable.
 */
export async function destroyVault(kernel: Kernel, tx: Tx, userId: string): Promise<void> {
  await deleteVault(tx, userId, kernel.clock.now());
  await destroyKek(tx, kernel.events, keyOfVault(userId));
}
