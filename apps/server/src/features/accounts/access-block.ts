// Blocks retrieval from the end of a use until the rotation after it is verified, and lets secret managers lift the
// block.
import type { Account, allowAccountAccess } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { blockOf, canBeLifted } from "./access-block.policy.ts";
import { audienceOf, changed, readShown, targetOf, toAccount } from "./accounts.ts";
import { updateAccountRow } from "./accounts.store.ts";
import type { AccountDeps } from "./deps.ts";
import { requireAccountPermission, lockShown } from "./lock-account.ts";
import type { ShownRow } from "./shown-accounts.store.ts";

/**
 * Refuses access to the active secret while the account is blocked. INVARIANT: this function is called before anything is
 * written.
 */
export function refuseBlocked(row: ShownRow): void {
  const block = blockOf(row);
  if (block === null) return;
  throw refuse(
    409,
    "account.rotating",
    `"${row.name}" cannot be checked out now. ${block.message}`,
    block.state === "rotating" ? { retryAfter: 5 } : {},
  );
}

export async function allowAccess(
  { kernel, grants }: AccountDeps,
  call: Call<typeof allowAccountAccess>,
  tx: Tx,
): Promise<Account> {
  const { id } = call.params;
  call.note({ target: { type: "account", id }, reason: call.body.reason });
  const { shown } = await lockShown(tx, call.actor, id, grants.grantsInForce);
  call.note({ target: targetOf(shown) });
  requireAccountPermission(shown, "manage_secret");
  const block = blockOf(shown);
  if (block === null) throw refuse(409, "account.not-blocked", `"${shown.name}" is not blocked.`);
  if (!canBeLifted(shown)) throw underWay(shown);
  await updateAccountRow(tx, id, { rotation_block_lifted: true });
  call.note({ details: { blocked_since: block.since, state: block.state } });
  await kernel.events.publish(tx, changed(id, await audienceOf(tx, shown)));
  return toAccount(await readShown(tx, call.actor, id, grants.grantsInForce), call.actor);
}

const underWay = ({ name }: ShownRow): Refusal =>
  refuse(
    409,
    "account.rotation-under-way",
    `The target of "${name}" may already have the new password. Wait until the rotation finishes or stops.`,
    { retryAfter: 30 },
  );
