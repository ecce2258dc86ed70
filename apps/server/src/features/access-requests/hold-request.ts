// Holds a request for a change of it, in the order in which everybody takes locks: person, safe, account, request.
import { lockSafes } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { View } from "./access-requests.policy.ts";
import { look, notFound } from "./access-requests.ts";
import { holdAccount, holdPerson, holdRequest, placeOf } from "./access-requests.store.ts";
import type { ShownRequest, Who } from "./shown-requests.store.ts";

/**
 * The request as it is once nobody else can change it, seen by this person. Throws 404 when they may not see it.
 * INVARIANT: what is decided on it is decided on this, so of two decisions at the same time the second sees the first.
 */
export async function hold(tx: Tx, actor: Who, id: string): Promise<{ row: ShownRequest; view: View }> {
  await holdOneself(tx, actor, "beside others");
  const place = await placeOf(tx, id);
  if (place === null) throw notFound();
  await holdPlace(tx, place);
  await holdRequest(tx, id);
  const seen = await look(tx, actor, id);
  if (seen.row.safe_id !== place.safe_id) throw meanwhile();
  return seen;
}

/** Throws 401 when this person was disabled since the call began. */
export async function holdOneself(tx: Tx, actor: Who, strength: "beside others" | "alone"): Promise<void> {
  if (await holdPerson(tx, actor.id, strength)) return;
  throw refuse(401, "session.ended", "Your session has ended. Please log in again.");
}

/** Holds the safe and the account: its members, and that it is there, stay as they are until the transaction ends. */
export async function holdPlace(
  tx: Tx,
  { account_id, safe_id }: { account_id: string | null; safe_id: string | null },
): Promise<void> {
  if (safe_id !== null) await lockSafes(tx, [safe_id], "share");
  if (account_id !== null) await holdAccount(tx, account_id);
}

export const meanwhile = () =>
  refuse(409, "access-request.moved", "The account was moved meanwhile. Look at the request again.");
