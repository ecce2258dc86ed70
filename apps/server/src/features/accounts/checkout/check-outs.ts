// Exclusive check-outs: one user at a time. A retrieved secret is rotated when the account is checked in or the check-out
// expires.
import type { Account, checkInAccount as checkInEndpoint } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { lockSecret } from "#features/secrets/index.ts";
import { audienceOf, changed, notFound, readShown, targetOf, toAccount } from "../accounts.ts";
import { rotatesAfterUse, safeOf, scheduleRotation } from "../accounts.store.ts";
import { deleteCheckOut, deleteCheckOutOf, findExpired, lockCheckOut, lockCheckOuts } from "./check-outs.store.ts";
import type { LockedCheckOut } from "./check-outs.store.ts";
import type { AccountDeps } from "../deps.ts";
import { requireAccountPermission } from "../lock-account.ts";

export const checkedOut = ({ name, until }: Pick<LockedCheckOut, "name" | "until">): Refusal => {
  const time = `${until.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return refuse(409, "account.checked-out", `${name} has this account checked out until ${time}.`);
};

/** Users may check in their own check-outs; members who may manage the safe can check in those of any user. */
export async function checkIn(
  { kernel, grants }: AccountDeps,
  call: Call<typeof checkInEndpoint>,
  tx: Tx,
): Promise<Account> {
  const { id } = call.params;
  call.note({ target: { type: "account", id } });
  const row = await lockSecret(tx, id);
  if (row === null) throw notFound();
  const shown = await readShown(tx, call.actor, id, grants.grantsInForce);
  call.note({ target: targetOf(shown) });
  const held = await lockCheckOut(tx, id);
  if (held === null || held.is_over) {
    throw refuse(409, "account.not-checked-out", "This account is not checked out.");
  }
  if (held.user_id !== call.actor.id) requireAccountPermission(shown, "manage_safe");
  const isRotationWanted = await endCheckOut(tx, held, kernel.clock.now());
  call.note({
    details: { checked_out_by: { id: held.user_id, name: held.name }, rotation_wanted: isRotationWanted },
  });
  await kernel.events.publish(tx, changed(id, await audienceOf(tx, shown)));
  return toAccount(await readShown(tx, call.actor, id, grants.grantsInForce), call.actor);
}

/** Ends a locked check-out; returns whether a rotation of the secret was scheduled. */
export async function endCheckOut(tx: Tx, held: LockedCheckOut, at: Date): Promise<boolean> {
  await deleteCheckOut(tx, held.account_id);
  const isWanted = held.is_retrieved && (await rotatesAfterUse(tx, held.account_id));
  if (isWanted) await scheduleRotation(tx, held.account_id, "check-in", at);
  return isWanted;
}

/** Ends all check-outs of accounts that can no longer be used. Their rows in `credentials` must be locked. */
export async function endCheckOuts(tx: Tx, accountIds: readonly string[], at: Date): Promise<void> {
  for (const held of await lockCheckOuts(tx, accountIds)) await endCheckOut(tx, held, at);
}

export interface EndedGrant {
  accountId: string;
  requestId: string;
  /** Whether the secret was retrieved during the grant. */
  isRetrieved: boolean;
}

/**
 * Handles the end of a grant in the same transaction: ends its check-out, and schedules a rotation if the secret was retrieved.
 */
export async function afterGrant(
  { events, clock }: Kernel,
  tx: Tx,
  { accountId, requestId, isRetrieved }: EndedGrant,
): Promise<void> {
  const isClosed = await deleteCheckOutOf(tx, requestId);
  const isRotationWanted = isRetrieved && (await rotatesAfterUse(tx, accountId));
  if (isRotationWanted) await scheduleRotation(tx, accountId, "grant-ended", clock.now());
  const safeId = isClosed || isRotationWanted ? await safeOf(tx, accountId) : null;
  if (safeId === null) return;
  await events.publish(tx, changed(accountId, await audienceOf(tx, { id: accountId, safe_id: safeId })));
}

const AT_ONCE = 100;

/**
 * Ends expired check-outs. They no longer give access; this job schedules the rotation, records the end and publishes the event.
 */
export async function endExpiredCheckOuts(kernel: Kernel): Promise<void> {
  for (const id of await findExpired(kernel.database.db, AT_ONCE)) {
    await kernel.database.transaction(async (tx) => {
      const row = await lockSecret(tx, id);
      const held = await lockCheckOut(tx, id);
      // Another transaction renewed or ended the check-out in the meantime.
      if (held === null || !held.is_over) return;
      const at = kernel.clock.now();
      const isRotationWanted = await endCheckOut(tx, held, at);
      if (row === null || row.safe_id === null) return;
      const details = { checked_out_by: { id: held.user_id, name: held.name }, rotation_wanted: isRotationWanted };
      const note = { target: targetOf(row), details: { ...details, is_expired: true } };
      await appendAudit(tx, [systemEntry("account.checked-in", "check-outs", note, at)]);
      await kernel.events.publish(tx, changed(id, await audienceOf(tx, { id, safe_id: row.safe_id })));
    });
  }
}
