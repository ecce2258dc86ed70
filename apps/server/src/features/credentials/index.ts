// Credentials: secrets that belong to one user, stored so that only this user can read them.
import type { Kernel } from "#kernel/kernel.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Notify } from "#features/notifications/index.ts";
import { defineAlarm, versionHealth } from "./active-version-alarm.ts";
import { bindExisting, defineCheck } from "./bind-versions.ts";
import { destroyVault } from "./delete-credential.ts";
import { rolePermissions } from "./credentials.policy.ts";
import { bindCredentials } from "./credentials.routes.ts";
import type { HistoryOfTarget } from "./read-credential.ts";
import type { LoginListener } from "./store-credential.ts";

export interface CredentialsFeature {
  /**
   * Calls `listener` for each stored credential, and when a field that a login depends on changes, in the same
   * transaction.
   */
  onLoginChanged(listener: LoginListener): void;
  /** Calls these listeners; for features that store or change accounts. */
  readonly loginChanged: LoginListener;
  /** Deletes the vault of a deleted user. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
  /** Call it after every unsealing, before anything uses a secret. */
  bindExisting(): Promise<void>;
  health: { name: string; problem: () => Promise<string | null> };
}

interface Deps {
  historyOfTarget: HistoryOfTarget;
  notify: Notify;
}

export function installCredentials(kernel: Kernel, deps: Deps): CredentialsFeature {
  const listeners: LoginListener[] = [];
  kernel.authority.grant(rolePermissions);
  const loginChanged: LoginListener = async (tx, credential) => {
    for (const listener of listeners) await listener(tx, credential);
  };
  defineAlarm(kernel, deps.notify);
  defineCheck(kernel);
  bindCredentials(kernel, deps.historyOfTarget, loginChanged);
  return {
    onLoginChanged: (listener) => void listeners.push(listener),
    loginChanged,
    forgetPerson: (tx, userId) => destroyVault(kernel, tx, userId),
    bindExisting: () => bindExisting(kernel),
    health: versionHealth(kernel),
  };
}

export { activeError, bindActive, checkActive } from "./active-version.ts";
export { forgetMismatch } from "./active-version-alarm.ts";
export { examineSecrets } from "./examine-secrets.ts";
export { closureRefusal, requireOpenVault } from "./credentials.policy.ts";
export { connectorFacts } from "./connector-facts.ts";
export {
  changed as credentialChanged,
  hostKeyAlarm,
  hostKeyText,
  isSame,
  ENVELOPE_PURPOSE,
  keyOfOwner,
  keyOfSafe,
  notFound as credentialNotFound,
  targetOf as credentialTarget,
} from "./credentials.ts";
export {
  countUsable,
  deleteAnyCredential,
  insertCandidate,
  isCandidate,
  lockAnyCredential,
  lockAnyCredentials,
  lockCredential,
  readEnvelope,
  rescheduleSome,
  updateCredential,
} from "./credentials.store.ts";
export type { CredentialRow, CredentialsTable, HostKey } from "./credentials.store.ts";
export { ACCOUNTS, fold, keysToFind, searchKeys } from "./index-credential.ts";
export { NAME_KEY, nameBeginsWith } from "./names.store.ts";
export { versionsOf } from "./credential-versions.ts";
export { editStored } from "./edit-stored.ts";
export { replaceSecret } from "./replace-secret.ts";
export { resealUnder } from "./reseal.ts";
export { refuseWhileRotating, rotationState, activeRotationOf, supersedeRotation } from "./rotation-lock.ts";
export { NOT_ACTIVE, openEnvelope, unreadable } from "./reveal-credential.ts";
export type { HistoryOfTarget } from "./read-credential.ts";
export type { LoginListener } from "./store-credential.ts";
export { searchableCredentials } from "./search-credentials.ts";
export { storeNew } from "./store-version.ts";
export {
  hasVerificationStatus,
  isFailingRow,
  verificationStatus,
  verificationStatusColumn,
} from "./verification-status.ts";
