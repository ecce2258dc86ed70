// Reads and requires a user's effective permissions in a safe, for every call about a safe or its contents.
import { SAFE_PERMISSION_LABELS } from "@strongroom/contract";
import type { SafePermission } from "@strongroom/contract";
import type { Asker } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { allows, isHeldBack } from "./safes.policy.ts";
import type { Permissions } from "./safes.policy.ts";
import { lockSafes, readSafePermissions } from "./safes.store.ts";
import type { SafeRow, Strength } from "./safes.store.ts";

export interface EffectivePermissions {
  safe: SafeRow;
  permissions: Permissions;
  /** True for members and administrators. */
  seesMembers: boolean;
}

/** The same refusal for a safe that does not exist and one that this user may not see. */
export const notFound = (): Refusal => refuse(404, "safe.not-found", "Safe not found");

/** Returns the user's permissions in a safe now; null when they may not see it. */
export async function readEffectivePermissions(
  db: Db,
  actor: Asker,
  safeId: string,
): Promise<EffectivePermissions | null> {
  const row = await readSafePermissions(db, actor, safeId);
  if (row === null) return null;
  const { permissions, sees_members: seesMembers, ...safe } = row;
  return { safe, permissions, seesMembers };
}

/** Throws 404 when this user may not see the safe, and 403 when they lack the permission. */
export async function requirePermission(
  db: Db,
  actor: Asker,
  safeId: string,
  permission: SafePermission,
): Promise<EffectivePermissions> {
  const standing = await readEffectivePermissions(db, actor, safeId);
  if (standing === null) throw notFound();
  requireEffectivePermission(standing, permission);
  return standing;
}

/**
 * Like `requirePermission`, but locks the safe first, until the transaction ends. With `share`, transactions that add
 * or remove accounts run in parallel, while the safe cannot be changed or deleted. Accounts and requests are locked
 * after the safe, never before.
 */
export async function lockSafe(
  tx: Tx,
  actor: Asker,
  safeId: string,
  permission: SafePermission,
  strength: Strength = "share",
): Promise<EffectivePermissions> {
  await lockSafes(tx, [safeId], strength);
  return requirePermission(tx, actor, safeId, permission);
}

/** The safe and permissions that a refusal refers to. */
export interface RequiredPermission {
  safe: Pick<SafeRow, "name" | "status">;
  permissions: Permissions;
}

/** Throws 403 when the permission is missing. */
export function requireEffectivePermission({ safe, permissions }: RequiredPermission, wanted: SafePermission): void {
  if (allows(permissions, wanted)) return;
  const sentence = isHeldBack(safe.status, wanted)
    ? `The safe "${safe.name}" is ${safe.status}. Activate it to use, change or add accounts.`
    : `You need the permission "${SAFE_PERMISSION_LABELS[wanted]}" in the safe "${safe.name}".`;
  throw refuse(403, "safe.permission-missing", sentence);
}
