// Moves accounts to another safe with their history, re-encrypts their secrets under that safe's key, and ends their grants and
// check-outs.
import type { Account, moveAccount as moveEndpoint } from "@strongroom/contract";
import type { Kek } from "@strongroom/keys";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { keyOfSafe, lockSecrets, refuseWhileRotating, resealUnder } from "#features/secrets/index.ts";
import { requireConfirmedPeople, requirePermission } from "#features/safes/index.ts";
import type { AccountMover } from "#features/safes/index.ts";
import { audiencesIn, changed, readShown, targetOf, toAccount } from "../accounts.ts";
import { accountsIn } from "../accounts.store.ts";
import { endCheckOuts } from "../checkout/check-outs.ts";
import type { AccountDeps } from "../deps.ts";
import { requireAccountPermission, requireSecret, lockShown } from "../lock-account.ts";

export async function moveAccount(deps: AccountDeps, call: SteppedCall<typeof moveEndpoint>): Promise<Account> {
  const { kernel, grants } = deps;
  const { id } = call.params;
  const { safe_id: toSafe, confirmation } = call.body;
  call.note({ target: { type: "account", id } });
  await readShown(kernel.database.db, call.actor, id, grants.grantsInForce);
  const kek = await keyToMoveTo(deps, call.actor, toSafe);
  const work = async (tx: Tx) => {
    const { name, details } = await moveOne(deps, tx, { id, toSafe, kek, actor: call.actor, confirmation });
    call.note({ target: targetOf({ id, name }), details });
    return toAccount(await readShown(tx, call.actor, id, grants.grantsInForce), call.actor);
  };
  return call.commit(work, (account) => account);
}

/**
 * Returns the key of a safe to which the actor may add accounts. Throws 404 or 403 otherwise. Call this function outside any
 * transaction.
 */
export async function keyToMoveTo({ kernel }: AccountDeps, actor: Actor, safeId: string): Promise<Kek> {
  await requirePermission(kernel.database.db, actor, safeId, "add");
  return kernel.keys.kekFor(keyOfSafe(safeId));
}

export interface Move {
  id: string;
  toSafe: string;
  /** The key of the destination, from `keyToMoveTo`. */
  kek: Kek;
  actor: Actor;
  /** The confirmation for `requireConfirmedPeople`. */
  confirmation: string | undefined;
}

/** Requires `delete` and the permissions to retrieve the secret in the current safe, and `add` in the destination. */
export async function moveOne(deps: AccountDeps, tx: Tx, { id, toSafe, kek, actor, confirmation }: Move) {
  const { row, shown } = await lockShown(tx, actor, id, deps.grants.grantsInForce, [toSafe]);
  requireAccountPermission(shown, "delete");
  const { safe } = await requirePermission(tx, actor, toSafe, "add");
  requireSecret(shown);
  if (safe.id === shown.safe_id) throw refuse(422, "account.same-safe", `The account is already in "${safe.name}".`);
  await requireConfirmedPeople(tx, actor, safe, confirmation);
  await carry(deps, tx, { ids: [id], fromSafe: row.safe_id, toSafe, kek, actor });
  const details = { from: { id: shown.safe_id, name: shown.safe_name }, to: { id: safe.id, name: safe.name } };
  return { name: row.name, details };
}

/** Moves all accounts of a safe that is being deleted. The caller has locked both safes and checked the permissions. */
export function moverOf(deps: AccountDeps): AccountMover {
  return async (tx, fromSafe, toSafe, actor) => {
    const ids = await accountsIn(tx, fromSafe);
    if (ids.length === 0) return;
    const kek = await deps.kernel.keys.kekFor(keyOfSafe(toSafe));
    await lockSecrets(tx, ids);
    await carry(deps, tx, { ids, fromSafe, toSafe, kek, actor });
  };
}

interface Load extends Omit<Move, "id" | "confirmation"> {
  ids: readonly string[];
  fromSafe: string;
}

/** Moves locked accounts. Users who could see the accounts before, or can see them now, receive an event. */
async function carry({ kernel, lost }: AccountDeps, tx: Tx, { ids, fromSafe, toSafe, kek, actor }: Load) {
  await refuseWhileRotating(tx, ...ids);
  const before = await audiencesIn(tx, fromSafe, ids);
  await lost(tx, ids, "moved", actor);
  await endCheckOuts(tx, ids, kernel.clock.now());
  await resealUnder(kernel, tx, { ids, fromSafe, toSafe, kek, at: kernel.clock.now() });
  const after = await audiencesIn(tx, toSafe, ids);
  const events = ids.flatMap((id) => [changed(id, before.get(id)!), changed(id, after.get(id)!)]);
  await kernel.events.publish(tx, ...events);
}
