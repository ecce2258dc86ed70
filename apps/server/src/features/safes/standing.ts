// What a person may do in one safe: asked by every call about a safe or something in it.
import { SAFE_PERMISSION_LABELS } from "@strongroom/contract";
import type { SafePermission } from "@strongroom/contract";
import type { Asker } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { allows, isHeldBack } from "./safes.policy.ts";
import type { Permissions } from "./safes.policy.ts";
import { lockSafes, readSafeStanding } from "./safes.store.ts";
import type { SafeRow, Strength } from "./safes.store.ts";

export interface Standing {
  safe: SafeRow;
  permissions: Permissions;
  /** Members and administrators. */
  seesMembers: boolean;
}

/** The same for a safe that this person may not see and for one that does not exist. */
export const notFound = (): Refusal => refuse(404, "safe.not-found", "Safe not found");

/** What this person may do in a safe now; null when they may not even see it. */
export async function readStanding(db: Db, actor: Asker, safeId: string): Promise<Standing | null> {
  const row = await readSafeStanding(db, actor, safeId);
  if (row === null) return null;
  const { permissions, sees_members: seesMembers, ...safe } = row;
  return { safe, permissions, seesMembers };
}

/** Throws 404 when this person may not see the safe, and 403 when they may not do this there. */
export async function requirePermission(
  db: Db,
  actor: Asker,
  safeId: string,
  permission: SafePermission,
): Promise<Standing> {
  const standing = await readStanding(db, actor, safeId);
  if (standing === null) throw notFound();
  demand(standing, permission);
  return standing;
}

/**
 * As `requirePermission`, judged and held until the transaction ends. `share`, for who puts something in or takes it out,
 * goes on beside others like it; the safe is neither changed nor deleted meanwhile. Locks of accounts and requests are taken
 * after it, never before.
 */
export async function holdSafe(
  tx: Tx,
  actor: Asker,
  safeId: string,
  permission: SafePermission,
  strength: Strength = "share",
): Promise<Standing> {
  await lockSafes(tx, [safeId], strength);
  return requirePermission(tx, actor, safeId, permission);
}

/** What a refusal speaks of. */
export interface Wanting {
  safe: Pick<SafeRow, "name" | "status">;
  permissions: Permissions;
}

/** Throws 403 when the standing lacks the permission. */
export function demand({ safe, permissions }: Wanting, wanted: SafePermission): void {
  if (allows(permissions, wanted)) return;
  const sentence = isHeldBack(safe.status, wanted)
    ? `The safe "${safe.name}" is ${safe.status}: it lends nothing and takes nothing in.`
    : `You need the permission "${SAFE_PERMISSION_LABELS[wanted]}" in the safe "${safe.name}".`;
  throw refuse(403, "safe.permission-missing", sentence);
}
