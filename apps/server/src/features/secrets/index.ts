// Secrets: how the secrets of credentials and accounts are stored, sealed, opened and protected. This feature has no
// API calls.
import type { Notify } from "#features/notifications/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { defineAlarm, versionHealth } from "./active-version-alarm.ts";
import { bindExisting, defineCheck } from "./bind-versions.ts";
import type { SecretRow } from "./secrets.store.ts";

/** Called in the same transaction when a login with a stored secret may have a different result than before. */
export type LoginListener = (tx: Tx, secret: SecretRow) => Promise<void>;

export interface SecretsFeature {
  /**
   * Calls `listener` for each newly stored secret, and when a field that a login depends on changes, in the same
   * transaction.
   */
  onLoginChanged(listener: LoginListener): void;
  /** Calls these listeners; for features that store or change secrets. */
  readonly loginChanged: LoginListener;
  /** Call this after every unsealing, before anything uses a secret. */
  bindExisting(): Promise<void>;
  health: { name: string; problem: () => Promise<string | null> };
}

export function installSecrets(kernel: Kernel, deps: { notify: Notify }): SecretsFeature {
  const listeners: LoginListener[] = [];
  defineAlarm(kernel, deps.notify);
  defineCheck(kernel);
  return {
    onLoginChanged: (listener) => void listeners.push(listener),
    loginChanged: async (tx, secret) => {
      for (const listener of listeners) await listener(tx, secret);
    },
    bindExisting: () => bindExisting(kernel),
    health: versionHealth(kernel),
  };
}

export { activeError, bindActive, checkActive } from "./active-version.ts";
export { forgetMismatch } from "./active-version-alarm.ts";
export { bindOnce } from "./bind-once.ts";
export { bindExisting } from "./bind-versions.ts";
export { connectorFacts } from "./connector-facts.ts";
export { addressUsed, editSecret, isSame, replaceSecret } from "./edit-secret.ts";
export { examineSecrets } from "./examine-secrets.ts";
export { hostKeyAlarm, hostKeyText } from "./host-keys.ts";
export { NOT_ACTIVE, openEnvelope, unreadable } from "./open-secret.ts";
export { ENVELOPE_PURPOSE, keyOfOwner, keyOfSafe, keyOfVault } from "./owner-keys.ts";
export { resealUnder } from "./reseal.ts";
export { activeRotationOf, refuseWhileRotating, rotationState, supersedeRotation } from "./rotation-lock.ts";
export { ACCOUNTS, NAME_KEY, fold, keysToFind, nameBeginsWith, searchKeys, searchText } from "./search-keys.ts";
export type { Filter } from "./search-keys.ts";
export {
  SECRET_COLUMNS,
  deleteSecret,
  insertCandidate,
  isCandidate,
  isNotDeleted,
  lockSecret,
  lockSecrets,
  readEnvelope,
  rescheduleVerifications,
  updateSecret,
} from "./secrets.store.ts";
export type { BoundVersion, HostKey, SecretRow, SecretsTable } from "./secrets.store.ts";
export { storeSecret } from "./store-secret.ts";
export {
  hasVerificationStatus,
  causeColumn,
  isFailingRow,
  verificationStatus,
  verificationStatusColumn,
} from "./verification-status.ts";
export { versionsOf } from "./versions.ts";
