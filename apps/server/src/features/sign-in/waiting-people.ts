// Who has to wait because of wrong passwords, for administrators to see and to end.
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { findNetworks, findWaiting, forgetAttempts } from "./attempts.store.ts";
import { fingerprintAddress } from "./fingerprint-address.ts";
import { accountKey, pairKey } from "./slow-down.ts";

interface Addressed {
  id: string;
  email: string;
}

/** Until when each has to wait at most, wherever they try from; those who need not wait are left out. */
export async function slowedDown(
  kernel: Kernel,
  db: Db,
  people: readonly Addressed[],
): Promise<ReadonlyMap<string, Date>> {
  const owners = new Map<string, string>();
  for (const [key, id] of await keysOf(kernel, db, people)) owners.set(key, id);
  const until = new Map<string, Date>();
  for (const { key, retry_at: at } of await findWaiting(db, [...owners.keys()], kernel.clock.now())) {
    const id = owners.get(key)!;
    if (at > (until.get(id) ?? 0)) until.set(id, at);
  }
  return until;
}

/** Forgets what was counted of one person. A whole network stays slowed down: others guess from there too. */
export async function unlock(kernel: Kernel, tx: Tx, person: Addressed): Promise<void> {
  for (const [key] of await keysOf(kernel, tx, [person])) await forgetAttempts(tx, key);
}

async function keysOf(kernel: Kernel, db: Db, people: readonly Addressed[]): Promise<[key: string, id: string][]> {
  const accounts = new Map<string, string>();
  for (const { id, email } of people) accounts.set(id, await fingerprintAddress(kernel, email));
  const networks = await findNetworks(db, [...accounts.keys()]);
  return [
    ...[...accounts].map(([id, account]): [string, string] => [accountKey(account), id]),
    ...networks.map(({ user_id: id, network }): [string, string] => [pairKey(accounts.get(id)!, network), id]),
  ];
}
