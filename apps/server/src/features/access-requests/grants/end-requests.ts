// Ends requests: revoked by the requester or an approver, or ended by a change to the account, the user or the
// membership.
import type { AccessRequest, revokeAccessRequest } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { EndReason } from "../access-requests.policy.ts";
import { auditOf, changed, finishChange, requireAction, approversOfRequests } from "../access-requests.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import type { EndingRow } from "./ending-requests.store.ts";
import { lockOpen, lockOpenFor, markEnded } from "./ending-requests.store.ts";
import { lockRequest } from "../lock-request.ts";
import { readRequests } from "../requests/shown-requests.store.ts";
import { notifyPeople, wasAwaited } from "../notify-people.ts";

export async function revoke(
  context: AccessRequestContext,
  call: Call<typeof revokeAccessRequest>,
  tx: Tx,
): Promise<AccessRequest> {
  const { id } = call.params;
  call.note({ target: { type: "access-request", id } });
  const { row, view } = await lockRequest(tx, call.actor, id);
  requireAction("revoke", view);
  const how = row.state === "pending" ? "withdrawn" : "revoked";
  await end(context, tx, await lockOpen(tx, [id]), how, call.actor);
  // Comments are free text, so the trail records only whether one was given.
  return finishChange(context, tx, call, id, "ended", { how, has_comment: call.body.comment !== null });
}

/** INVARIANT: the end of a request is set only once. Another feature checks in the account, in the same transaction. */
async function end(
  context: AccessRequestContext,
  tx: Tx,
  rows: readonly EndingRow[],
  how: EndReason,
  by: Actor | null,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await markEnded(tx, ids, how, by?.id ?? null);
  for (const row of rows.filter(({ state }) => state === "granted")) {
    await context.afterGrant(tx, {
      accountId: row.account_id!,
      userId: row.user_id,
      requestId: row.id,
      isRetrieved: row.is_retrieved,
      by,
    });
  }
}

/** Ends locked requests, audits each end as a system entry, and publishes it to browsers. */
export async function endAutomatically(
  context: AccessRequestContext,
  tx: Tx,
  rows: readonly EndingRow[],
  how: EndReason,
  by: Actor | null,
): Promise<void> {
  if (rows.length === 0) return;
  const { kernel } = context;
  await end(context, tx, rows, how, by);
  const ended = await readRequests(
    tx,
    rows.map(({ id }) => id),
  );
  const approvers = await approversOfRequests(tx, ended);
  const at = kernel.clock.now();
  const said = { how, ...(by === null ? {} : { by_id: by.id, by: by.name }) };
  await appendAudit(
    tx,
    ended.map((row) => systemEntry("access-request.ended", "access-requests", auditOf(row, said), at)),
  );
  await kernel.events.publish(tx, ...ended.map((row) => changed(row, "ended", approvers(row))));
  for (const row of ended.filter(wasAwaited)) {
    await notifyPeople(context, tx, { row, overseers: approvers(row), progress: null, change: "ended", by });
  }
}

const ACCOUNT_LOST = {
  deleted: "account-deleted",
  moved: "account-moved",
  disabled: "account-disabled",
} as const satisfies Record<string, EndReason>;
export type AccountLoss = keyof typeof ACCOUNT_LOST;

/** The caller must hold the locks on the accounts. */
export async function endRequestsForAccounts(
  context: AccessRequestContext,
  tx: Tx,
  accountIds: readonly string[],
  how: AccountLoss,
  by: Actor,
): Promise<void> {
  await endAutomatically(context, tx, await lockOpenFor(tx, { accountIds }), ACCOUNT_LOST[how], by);
}

/** The caller must hold the lock on the user. */
export async function endRequestsForUser(
  context: AccessRequestContext,
  tx: Tx,
  { userId, how }: { userId: string; how: "user-disabled" | "user-deleted" },
  by: Actor,
): Promise<void> {
  await endAutomatically(context, tx, await lockOpenFor(tx, { userId }), how, by);
}

/**
 * INVARIANT: reactivating a safe does not restore grants that its deactivation ended. The caller must hold the lock on
 * the safe.
 */
export async function endRequestsForSafe(
  context: AccessRequestContext,
  tx: Tx,
  safeId: string,
  by: Actor,
): Promise<void> {
  await endAutomatically(context, tx, await lockOpenFor(tx, { closedSafeId: safeId }), "safe-closed", by);
}

/**
 * Ends the open requests of these users for accounts of the safe, except grants that an administrator gave them as non-members.
 */
export async function endRequestsForMembers(
  context: AccessRequestContext,
  tx: Tx,
  { safeId, userIds }: { safeId: string; userIds: readonly string[] },
  by: Actor,
): Promise<void> {
  await endAutomatically(context, tx, await lockOpenFor(tx, { safeId, userIds }), "member-removed", by);
}
