// Holds an account for a change: nobody else changes, moves or deletes it, or its safe, until the transaction ends.
//
// Locks are taken in this order everywhere: safes by id, the row in `credentials`, access requests, check-outs, the row in
// `accounts`.
import type { SafePermission } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { lockAnyCredential } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { demand, lockSafes } from "#features/safes/index.ts";
import { notFound, readShown } from "./accounts.ts";
import { safeOf } from "./accounts.store.ts";
import { refuseTaken } from "./one-time.ts";
import type { GrantsInForce, ShownRow } from "./shown-accounts.store.ts";

type Held = CredentialRow & { safe_id: string };

/** Throws 404 when this person sees no such account, and 403 when they may not do this with it. */
export async function holdAccount(
  tx: Tx,
  actor: Actor,
  id: string,
  permission: SafePermission,
  grantsInForce: GrantsInForce,
): Promise<Held> {
  const { row, shown } = await holdShown(tx, actor, id, grantsInForce);
  demandOn(shown, permission);
  return row;
}

/**
 * As `holdAccount` without a demand; `shown` is as the person sees it, judged while it is held. `others` are safes to be held
 * along with the account's own.
 */
export async function holdShown(
  tx: Tx,
  actor: Actor,
  id: string,
  grantsInForce: GrantsInForce,
  others: readonly string[] = [],
): Promise<{ row: Held; shown: ShownRow }> {
  const safeId = await safeOf(tx, id);
  if (safeId === null) throw notFound();
  await lockSafes(tx, [safeId, ...others], "share");
  const row = await lockAnyCredential(tx, id);
  if (row === null) throw notFound();
  const shown = await readShown(tx, actor, id, grantsInForce);
  if (row.safe_id !== safeId) throw moved();
  return { row: { ...row, safe_id: safeId }, shown };
}

export const moved = (): Refusal => refuse(409, "account.moved", "The account was moved just now. Try again.");

/** Throws 403 when the person lacks the permission in the account's safe. */
export function demandOn(
  { safe_name: name, safe_status: status, permissions }: ShownRow,
  wanted: SafePermission,
): void {
  demand({ safe: { name, status }, permissions }, wanted);
}

/**
 * INVARIANT: nobody takes a secret to where it is handed out by other rules, another safe or another address, unless they could
 * take it out themselves without an approval. What is lent to them is not enough: that ends.
 */
export function demandSecret(shown: ShownRow): void {
  refuseTaken(shown);
  for (const permission of ownSecret(shown)) demandOn(shown, permission);
}

/** What it takes to have the secret by oneself. */
export const ownSecret = ({ approvals }: Pick<ShownRow, "approvals">): SafePermission[] =>
  approvals > 0 ? ["retrieve", "access_without_confirmation"] : ["retrieve"];
