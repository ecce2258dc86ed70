// Locks an account, so that no other transaction changes, moves or deletes it or its safe.
//
// Lock order everywhere: safes by id, the row in `credentials`, access requests, check-outs, the row in `accounts`.
import type { SafePermission } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { lockSecret } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { requireEffectivePermission, lockSafes } from "#features/safes/index.ts";
import { notFound, readShown } from "./accounts.ts";
import { safeOf } from "./accounts.store.ts";
import { refuseTaken } from "./checkout/one-time.ts";
import type { GrantsInForce, ShownRow } from "./shown-accounts.store.ts";

type Held = SecretRow & { safe_id: string };

/** Throws 404 when this user may not see the account, and 403 when they lack the permission. */
export async function lockAccount(
  tx: Tx,
  actor: Actor,
  id: string,
  permission: SafePermission,
  grantsInForce: GrantsInForce,
): Promise<Held> {
  const { row, shown } = await lockShown(tx, actor, id, grantsInForce);
  requireAccountPermission(shown, permission);
  return row;
}

/**
 * Like `lockAccount`, but requires no permission. `shown` is read while the account is locked. `others` are safes to lock
 * together with the account's own.
 */
export async function lockShown(
  tx: Tx,
  actor: Actor,
  id: string,
  grantsInForce: GrantsInForce,
  others: readonly string[] = [],
): Promise<{ row: Held; shown: ShownRow }> {
  const safeId = await safeOf(tx, id);
  if (safeId === null) throw notFound();
  await lockSafes(tx, [safeId, ...others], "share");
  const row = await lockSecret(tx, id);
  if (row === null) throw notFound();
  const shown = await readShown(tx, actor, id, grantsInForce);
  if (row.safe_id !== safeId) throw moved();
  return { row: { ...row, safe_id: safeId }, shown };
}

export const moved = (): Refusal => refuse(409, "account.moved", "The account was just moved. Try again.");

/** Throws 403 when the user lacks the permission in the account's safe. */
export function requireAccountPermission(
  { safe_name: name, safe_status: status, permissions }: ShownRow,
  wanted: SafePermission,
): void {
  requireEffectivePermission({ safe: { name, status }, permissions }, wanted);
}

/**
 * INVARIANT: a user can move a secret to another safe or a different address, where other rules apply, only if they may retrieve
 * it without an approval. A grant is not enough, because it ends.
 */
export function requireSecret(shown: ShownRow): void {
  refuseTaken(shown);
  for (const permission of RETRIEVE_WITHOUT_APPROVAL(shown)) requireAccountPermission(shown, permission);
}

/** The permissions required to retrieve the secret without an approval. */
export const RETRIEVE_WITHOUT_APPROVAL = ({ approvals }: Pick<ShownRow, "approvals">): SafePermission[] =>
  approvals > 0 ? ["retrieve", "access_without_confirmation"] : ["retrieve"];
