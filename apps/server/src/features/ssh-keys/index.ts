// Users' own SSH public keys, with which native SSH clients sign in to the session gateway.
import { addSshKey, listSshKeys, removeSshKey } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { endAllKeys } from "./end-keys.ts";
import { notifyOfExpiry } from "./notify-ssh-keys.ts";
import { add, list, remove } from "./ssh-keys.ts";
import { sweepKeys } from "./ssh-keys.store.ts";

/** How long an expired key stays in the list, in milliseconds. */
const RETENTION_AFTER_END = 30 * 86_400_000;

export interface SshKeysFeature {
  /** Used after a restore. Returns the number of deleted keys. */
  endAllKeys(tx: Tx): Promise<number>;
}

export function installSshKeys(kernel: Kernel): SshKeysFeature {
  implement(kernel, listSshKeys, (call, db) => list(kernel, call, db));
  implement(kernel, addSshKey, (call, tx) => add(kernel, call, tx));
  implement(kernel, removeSshKey, (call, tx) => remove(call, tx));
  kernel.jobs.define("ssh-keys.sweep", { schedule: "47 4 * * *", policy: "exclusive" }, () =>
    kernel.database.transaction((tx) => sweepKeys(tx, new Date(kernel.clock.now().getTime() - RETENTION_AFTER_END))),
  );
  kernel.jobs.define("ssh-keys.notify-expiry", { schedule: "17 * * * *", policy: "exclusive" }, () =>
    kernel.database.transaction((tx) => notifyOfExpiry(kernel, tx)),
  );
  return { endAllKeys: (tx) => endAllKeys(kernel, tx) };
}

export { endKeysOf } from "./end-keys.ts";
export { fingerprintOf } from "./ssh-keys.ts";
export { findKeyByFingerprint, markKeyUsed, sshKeyEnd } from "./ssh-keys.store.ts";
export type { SshKeyRow } from "./ssh-keys.store.ts";
