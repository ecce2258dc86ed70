// Transfers a safe to another user, who gets an owner's membership. The previous owner's membership becomes an ordinary
// one.
import type { updateSafe } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { CallInput } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { nameOfPrincipal, replaceMember } from "../members/members.store.ts";
import { permissionsOfRole } from "../safes.policy.ts";
import type { SafeRow } from "../safes.store.ts";

/** Throws 403 for everyone except the owner and administrators, including members who may manage the safe. */
export async function transferSafe(
  kernel: Kernel,
  call: CallInput<typeof updateSafe>,
  tx: Tx,
  safe: SafeRow,
  userId: string,
): Promise<void> {
  const { actor } = call;
  if (actor.id !== safe.owner_id && actor.role !== "admin") {
    throw refuse(403, "safe.not-owner", "Only the owner or an administrator can transfer a safe.");
  }
  if ((await nameOfPrincipal(tx, { user_id: userId })) === null) {
    throw refuse(422, "safe.member-unknown", "This user or group does not exist.");
  }
  await replaceMember(tx, ownersMembership(safe.id, userId, actor.id, kernel.clock.now()));
  // Administrators who make themselves the owner gain access to the secrets, so the audit entry is a warning.
  if (userId === actor.id) call.note({ result: "warning" });
}

export const ownersMembership = (safeId: string, userId: string, by: string, at: Date) => ({
  id: newId(at.getTime()),
  safe_id: safeId,
  user_id: userId,
  group_id: null,
  role: "owner" as const,
  permissions: permissionsOfRole("owner"),
  expires_at: null,
  added_at: at,
  added_by: by,
});
