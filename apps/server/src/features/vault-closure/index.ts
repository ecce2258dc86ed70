// Vault closure: an administrator who resets a user's sign-in does not gain access to that user's secrets.
import { cancelRecovery, cancelRecoveryByLink, readVaultClosure } from "@strongroom/contract";
import type { Mail } from "#features/mail/index.ts";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import type { Tx } from "#kernel/db/database.ts";
import { cancelByLink, cancelOwn, describeClosure } from "./cancel-recovery.ts";
import type { ClosureDeps } from "./cancel-recovery.ts";
import { defineClosureJobs } from "./vault-closure.jobs.ts";
import { deleteClosure, restartWaiting } from "./vault-closure.store.ts";

export interface VaultClosureFeature {
  /** To be called when a user is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** For a restored database: restarts the waiting times of closed vaults. Returns the number of these vaults. */
  restartWaiting(tx: Tx): Promise<number>;
}

export function installVaultClosure(deps: ClosureDeps & { mail: Mail }): VaultClosureFeature {
  const { kernel, mail } = deps;
  implement(kernel, readVaultClosure, (call, db) => describeClosure(kernel, call, db));
  implementInSteps(kernel, cancelRecovery, (call, db) => cancelOwn(deps, call, db));
  implementInSteps(kernel, cancelRecoveryByLink, (call, db) => cancelByLink(deps, call, db));
  defineClosureJobs(kernel, mail);
  return {
    forgetPerson: async (tx, userId) => void (await deleteClosure(tx, userId)),
    restartWaiting: (tx) => restartWaiting(tx, kernel.clock.now()),
  };
}

export { closeVault, closureOf, openByFactor } from "./close-vault.ts";
export { deleteLaterFactors, isVaultHeld } from "./vault-closure.store.ts";
