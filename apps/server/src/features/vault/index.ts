// Vault: the credentials of one user, stored so that only this user can read them.
import type { HistoryOfTarget } from "#features/audit/index.ts";
import type { SecretsFeature } from "#features/secrets/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { destroyVault } from "./delete-credential.ts";
import { rolePermissions } from "./vault.policy.ts";
import { bindVault } from "./vault.routes.ts";

export interface VaultFeature {
  /** Deletes the vault of a deleted user. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

interface Deps {
  secrets: SecretsFeature;
  historyOfTarget: HistoryOfTarget;
}

export function installVault(kernel: Kernel, { secrets, historyOfTarget }: Deps): VaultFeature {
  kernel.authority.grant(rolePermissions);
  bindVault(kernel, historyOfTarget, secrets.loginChanged);
  return { forgetPerson: (tx, userId) => destroyVault(kernel, tx, userId) };
}

export { searchableCredentials } from "./find-credentials.ts";
export { closureRefusal, requireOpenVault } from "./vault.policy.ts";
export { countOwnCredentials, lockCredential } from "./vault.store.ts";
export { credentialChanged, credentialNotFound, credentialTarget } from "./vault.ts";
