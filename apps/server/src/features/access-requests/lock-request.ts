// Locks a request before a change, in the lock order of all features: user, safe, account, request.
import { lockSafes } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { RequestView } from "./access-requests.policy.ts";
import { readRequestView, notFound } from "./access-requests.ts";
import { lockAccountRow, lockUserRow, lockRequestRow, locateRequest } from "./access-requests.store.ts";
import type { ShownRequest, Viewer } from "./requests/shown-requests.store.ts";

/**
 * The locked request as this user sees it. Throws 404 if they may not see it. INVARIANT: every decision is based on the
 * locked row, so the second of two simultaneous decisions sees the first.
 */
export async function lockRequest(
  tx: Tx,
  actor: Viewer,
  id: string,
): Promise<{ row: ShownRequest; view: RequestView }> {
  await lockOwnUser(tx, actor, "beside others");
  const place = await locateRequest(tx, id);
  if (place === null) throw notFound();
  await lockSafeAndAccount(tx, place);
  await lockRequestRow(tx, id);
  const seen = await readRequestView(tx, actor, id);
  if (seen.row.safe_id !== place.safe_id) throw changedMeanwhile();
  return seen;
}

/** Throws 401 if the caller has been disabled since the call began. */
export async function lockOwnUser(tx: Tx, actor: Viewer, strength: "beside others" | "alone"): Promise<void> {
  if (await lockUserRow(tx, actor.id, strength)) return;
  throw refuse(401, "session.ended", "Your session has ended. Please log in again.");
}

/** Locks the safe and the account, so that the safe, its members and the account do not change until the transaction ends. */
export async function lockSafeAndAccount(
  tx: Tx,
  { account_id, safe_id }: { account_id: string | null; safe_id: string | null },
): Promise<void> {
  if (safe_id !== null) await lockSafes(tx, [safe_id], "share");
  if (account_id !== null) await lockAccountRow(tx, account_id);
}

export const changedMeanwhile = () =>
  refuse(409, "access-request.moved", "The account was moved in the meantime. Open the request again.");
