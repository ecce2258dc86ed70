// Finds the users who must wait after wrong passwords, and lets administrators unlock them.
import type { Db, Tx } from "#kernel/db/database.ts";
import { findNetworks, findWaiting, deleteAttempts } from "./attempts.store.ts";
import { fingerprintAddress } from "../fingerprint-address.ts";
import type { SignInContext } from "../context.ts";
import { accountKey, pairKey } from "./slow-down.ts";

interface Addressed {
  id: string;
  email: string;
}

/** For each user, the latest time until which they must wait on any network. Users without a wait are omitted. */
export async function waitingUntil(
  parts: SignInContext,
  db: Db,
  people: readonly Addressed[],
): Promise<ReadonlyMap<string, Date>> {
  const owners = new Map<string, string>();
  for (const [key, id] of await keysOf(parts, db, people)) owners.set(key, id);
  const until = new Map<string, Date>();
  for (const { key, retry_at: at } of await findWaiting(db, [...owners.keys()], parts.kernel.clock.now())) {
    const id = owners.get(key)!;
    if (at > (until.get(id) ?? 0)) until.set(id, at);
  }
  return until;
}

/**
 * Deletes a user's failure counts, both for their address and for their directory names. Their networks stay slowed
 * down, because a network's count includes other users.
 */
export async function unlock(parts: SignInContext, tx: Tx, person: Addressed): Promise<void> {
  for (const [key] of await keysOf(parts, tx, [person])) await deleteAttempts(tx, key);
}

async function keysOf(
  parts: SignInContext,
  db: Db,
  people: readonly Addressed[],
): Promise<[key: string, id: string][]> {
  const ids = people.map(({ id }) => id);
  const claimed = await parts.externalProviders.current.claimsOn(db, ids);
  const networks = await findNetworks(db, ids);
  const keys: [string, string][] = [];
  for (const { id, email } of [...people, ...claimed.map(({ user_id: id, email }) => ({ id, email }))]) {
    const account = await fingerprintAddress(parts.kernel, email);
    keys.push([accountKey(account), id]);
    for (const known of networks) if (known.user_id === id) keys.push([pairKey(account, known.network), id]);
  }
  return keys;
}
