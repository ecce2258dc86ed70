// Ends requests: by their owner or an approver, and by what happens to the account, the person or the membership.
import type { AccessRequest, revokeAccessRequest } from "@strongroom/contract";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { EndedHow } from "./access-requests.policy.ts";
import { auditOf, changed, conclude, demand, overseersOfAll } from "./access-requests.ts";
import type { Site } from "./access-requests.ts";
import type { EndingRow } from "./ending-requests.store.ts";
import { holdOpen, holdOpenOf, latch } from "./ending-requests.store.ts";
import { hold } from "./hold-request.ts";
import { readRequests } from "./shown-requests.store.ts";
import { tellPeople, wasAwaited } from "./tell-people.ts";

export async function revoke(site: Site, call: Call<typeof revokeAccessRequest>, tx: Tx): Promise<AccessRequest> {
  const { id } = call.params;
  call.note({ target: { type: "access-request", id } });
  const { row, view } = await hold(tx, call.actor, id);
  demand("revoke", view);
  const how = row.state === "pending" ? "withdrawn" : "revoked";
  await end(site, tx, await holdOpen(tx, [id]), how, call.actor);
  // Comments are people's words: that there is one is enough for the trail.
  return conclude(site, tx, call, id, "ended", { how, has_comment: call.body.comment !== null });
}

/** INVARIANT: an end is set once. What was lent is given back elsewhere in the same transaction. */
async function end(site: Site, tx: Tx, rows: readonly EndingRow[], how: EndedHow, by: Actor | null): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await latch(tx, ids, how, by?.id ?? null);
  for (const row of rows.filter(({ state }) => state === "granted")) {
    await site.afterGrant(tx, {
      accountId: row.account_id!,
      userId: row.user_id,
      requestId: row.id,
      isRetrieved: row.is_retrieved,
      by,
    });
  }
}

/** Ends what is held, puts it on record as done by the product, and tells the browsers. */
export async function endByItself(
  site: Site,
  tx: Tx,
  rows: readonly EndingRow[],
  how: EndedHow,
  by: Actor | null,
): Promise<void> {
  if (rows.length === 0) return;
  const { kernel } = site;
  await end(site, tx, rows, how, by);
  const ended = await readRequests(
    tx,
    rows.map(({ id }) => id),
  );
  const overseers = await overseersOfAll(tx, ended);
  const at = kernel.clock.now();
  const said = { how, ...(by === null ? {} : { by_id: by.id, by: by.name }) };
  await appendAudit(
    tx,
    ended.map((row) => systemEntry("access-request.ended", "access-requests", auditOf(row, said), at)),
  );
  await kernel.events.publish(tx, ...ended.map((row) => changed(row, "ended", overseers(row))));
  for (const row of ended.filter(wasAwaited)) {
    await tellPeople(site, tx, { row, overseers: overseers(row), progress: null, change: "ended", by });
  }
}

const ACCOUNT_LOST = {
  deleted: "account-deleted",
  moved: "account-moved",
  disabled: "account-disabled",
} as const satisfies Record<string, EndedHow>;
export type AccountLost = keyof typeof ACCOUNT_LOST;

/** Whoever calls this holds the accounts. */
export async function accountsLost(
  site: Site,
  tx: Tx,
  accountIds: readonly string[],
  how: AccountLost,
  by: Actor,
): Promise<void> {
  await endByItself(site, tx, await holdOpenOf(tx, { accountIds }), ACCOUNT_LOST[how], by);
}

/** Whoever calls this holds the person. */
export async function userLost(
  site: Site,
  tx: Tx,
  { userId, how }: { userId: string; how: "user-disabled" | "user-deleted" },
  by: Actor,
): Promise<void> {
  await endByItself(site, tx, await holdOpenOf(tx, { userId }), how, by);
}

/** INVARIANT: what was lent of a safe that is made inactive does not come back with it. Whoever calls this holds the safe. */
export async function safeClosed(site: Site, tx: Tx, safeId: string, by: Actor): Promise<void> {
  await endByItself(site, tx, await holdOpenOf(tx, { closedSafeId: safeId }), "safe-closed", by);
}

/** Not what an administrator lent to them as to somebody from outside. */
export async function membersLost(
  site: Site,
  tx: Tx,
  { safeId, userIds }: { safeId: string; userIds: readonly string[] },
  by: Actor,
): Promise<void> {
  await endByItself(site, tx, await holdOpenOf(tx, { safeId, userIds }), "member-removed", by);
}
