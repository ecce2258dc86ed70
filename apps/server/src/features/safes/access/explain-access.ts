// Explains access: returns everyone who can use or retrieve accounts of a safe now, and through which membership or
// grant.
import { SAFE_ROLE_LABELS } from "@strongroom/contract";
import type { AccountId, EffectiveAccess, SafeRole, UserId, explainSafeAccess } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { pageByName, placeByName } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { listAccess } from "./access.store.ts";
import type { AccessRow } from "./access.store.ts";
import { allows } from "../safes.policy.ts";
import type { Permissions } from "../safes.policy.ts";
import { notFound, readEffectivePermissions } from "../effective-permissions.ts";

export async function explainSafe(call: Call<typeof explainSafeAccess>, db: Db) {
  const standing = await readEffectivePermissions(db, call.actor, call.params.id);
  if (standing === null) throw notFound();
  return explainAccess(db, standing, { ...call.query, accountId: null });
}

interface Question {
  /** Null for the whole safe. */
  accountId: string | null;
  limit: number;
  cursor?: string | undefined;
}

/** Requires the permission to manage members or view the audit of the safe; throws 403 otherwise. */
export async function explainAccess(
  db: Db,
  { safe, permissions }: { safe: { id: string }; permissions: Permissions },
  { accountId, limit, cursor }: Question,
): Promise<{ access: EffectiveAccess[]; next_cursor: string | null }> {
  if (!allows(permissions, "manage_members") && !allows(permissions, "view_audit")) {
    const sentence = "Only people who can manage the members or view the audit of this safe can see who has access.";
    throw refuse(403, "safe.permission-missing", sentence);
  }
  const rows = await listAccess(db, { safeId: safe.id, accountId, limit, after: placeByName(cursor) });
  const { shown, next_cursor } = pageByName(rows, limit);
  return { access: shown.map(toAccess), next_cursor };
}

function toAccess({ user_id, name, email, account_id, paths }: AccessRow): EffectiveAccess {
  const shown = paths.map(({ kind, through, permissions, needs_approval, expires_at }) => ({
    kind,
    through: kind === "member" ? SAFE_ROLE_LABELS[through as SafeRole] : through,
    can: (["use", "retrieve"] as const).filter((permission) => allows(permissions, permission)),
    needs_approval,
    expires_at,
  }));
  return {
    user_id: user_id as UserId,
    name,
    email,
    can_use: shown.some(({ can }) => can.includes("use")),
    can_retrieve: shown.some(({ can }) => can.includes("retrieve")),
    paths: shown,
    account_id: account_id as AccountId | null,
  };
}
