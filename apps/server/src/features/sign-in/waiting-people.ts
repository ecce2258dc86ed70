// Who has to wait because of wrong passwords, for administrators to see and to end.
import type { Db, Tx } from "#kernel/db/database.ts";
import { findNetworks, findWaiting, forgetAttempts } from "./attempts.store.ts";
import { fingerprintAddress } from "./fingerprint-address.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import { accountKey, pairKey } from "./slow-down.ts";

interface Addressed {
  id: string;
  email: string;
}

/** Until when each has to wait at most, wherever they try from; those who need not wait are left out. */
export async function slowedDown(
  parts: SignInParts,
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

/** Forgets what was counted of one person, here and for their directory. A whole network stays slowed down: others guess there too. */
export async function unlock(parts: SignInParts, tx: Tx, person: Addressed): Promise<void> {
  for (const [key] of await keysOf(parts, tx, [person])) await forgetAttempts(tx, key);
}

async function keysOf(parts: SignInParts, db: Db, people: readonly Addressed[]): Promise<[key: string, id: string][]> {
  const ids = people.map(({ id }) => id);
  const elsewhere = await parts.elsewhere.current.claimsOn(db, ids);
  const networks = await findNetworks(db, ids);
  const keys: [string, string][] = [];
  for (const { id, email } of [...people, ...elsewhere.map(({ user_id: id, email }) => ({ id, email }))]) {
    const account = await fingerprintAddress(parts.kernel, email);
    keys.push([accountKey(account), id]);
    for (const known of networks) if (known.user_id === id) keys.push([pairKey(account, known.network), id]);
  }
  return keys;
}
