// Exclusive check-outs: one person at a time; what was seen is changed when they give it back, or when their time is over.
import type { Account, checkInAccount as checkInEndpoint } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { lockAnyCredential } from "#features/credentials/index.ts";
import { audienceOf, changed, notFound, readShown, targetOf, toAccount } from "./accounts.ts";
import { rotatesAfterUse, safeOf, wantRotation } from "./accounts.store.ts";
import { dropCheckOut, dropCheckOutOf, findOver, holdCheckOut, holdCheckOuts } from "./check-outs.store.ts";
import type { HeldCheckOut } from "./check-outs.store.ts";
import type { AccountDeps } from "./deps.ts";
import { demandOn } from "./hold-account.ts";

export const checkedOut = ({ name, until }: Pick<HeldCheckOut, "name" | "until">): Refusal => {
  const time = `${until.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return refuse(409, "account.checked-out", `${name} has this account checked out until ${time}.`);
};

/** One's own, or, for who manages the safe, anybody's. */
export async function checkIn(
  { kernel, grants }: AccountDeps,
  call: Call<typeof checkInEndpoint>,
  tx: Tx,
): Promise<Account> {
  const { id } = call.params;
  call.note({ target: { type: "account", id } });
  const row = await lockAnyCredential(tx, id);
  if (row === null) throw notFound();
  const shown = await readShown(tx, call.actor, id, grants.grantsInForce);
  call.note({ target: targetOf(shown) });
  const held = await holdCheckOut(tx, id);
  if (held === null || held.is_over) {
    throw refuse(409, "account.not-checked-out", "Nobody has this account checked out.");
  }
  if (held.user_id !== call.actor.id) demandOn(shown, "manage_safe");
  const isRotationWanted = await close(tx, held, kernel.clock.now());
  call.note({
    details: { checked_out_by: { id: held.user_id, name: held.name }, rotation_wanted: isRotationWanted },
  });
  await kernel.events.publish(tx, changed(id, await audienceOf(tx, shown)));
  return toAccount(await readShown(tx, call.actor, id, grants.grantsInForce), call.actor);
}

/** Ends a check-out that is held; true when the secret is to be changed now. */
export async function close(tx: Tx, held: HeldCheckOut, at: Date): Promise<boolean> {
  await dropCheckOut(tx, held.account_id);
  const isWanted = held.is_retrieved && (await rotatesAfterUse(tx, held.account_id));
  if (isWanted) await wantRotation(tx, held.account_id, "check-in", at);
  return isWanted;
}

/** Ends whatever check-outs there are of accounts that are lent no longer. Their rows in `credentials` are held. */
export async function endCheckOuts(tx: Tx, accountIds: readonly string[], at: Date): Promise<void> {
  for (const held of await holdCheckOuts(tx, accountIds)) await close(tx, held, at);
}

export interface EndedGrant {
  accountId: string;
  requestId: string;
  /** The secret came out during the grant. */
  isRetrieved: boolean;
}

/** What follows from the end of a grant, in its transaction: the check-out is closed, the secret is to be changed. */
export async function afterGrant(
  { events, clock }: Kernel,
  tx: Tx,
  { accountId, requestId, isRetrieved }: EndedGrant,
): Promise<void> {
  const isClosed = await dropCheckOutOf(tx, requestId);
  const isRotationWanted = isRetrieved && (await rotatesAfterUse(tx, accountId));
  if (isRotationWanted) await wantRotation(tx, accountId, "grant-ended", clock.now());
  const safeId = isClosed || isRotationWanted ? await safeOf(tx, accountId) : null;
  if (safeId === null) return;
  await events.publish(tx, changed(accountId, await audienceOf(tx, { id: accountId, safe_id: safeId })));
}

const AT_ONCE = 100;

/** Closes the check-outs whose time is over. They count for nothing already; here what follows from their end is done. */
export async function closeOver(kernel: Kernel): Promise<void> {
  for (const id of await findOver(kernel.database.db, AT_ONCE)) {
    await kernel.database.transaction(async (tx) => {
      const row = await lockAnyCredential(tx, id);
      const held = await holdCheckOut(tx, id);
      // Taken again, or given back, a moment ago.
      if (held === null || !held.is_over) return;
      const at = kernel.clock.now();
      const isRotationWanted = await close(tx, held, at);
      if (row === null || row.safe_id === null) return;
      const details = { checked_out_by: { id: held.user_id, name: held.name }, rotation_wanted: isRotationWanted };
      const note = { target: targetOf(row), details: { ...details, is_expired: true } };
      await appendAudit(tx, [systemEntry("account.checked-in", "check-outs", note, at)]);
      await kernel.events.publish(tx, changed(id, await audienceOf(tx, { id, safe_id: row.safe_id })));
    });
  }
}
