// Credentials: the secrets that belong to a person, stored so that only this person reaches them.
import type { Kernel } from "#kernel/kernel.ts";
import type { Tx } from "#kernel/db/database.ts";
import { destroyVault } from "./delete-credential.ts";
import { grants } from "./credentials.policy.ts";
import { bindCredentials } from "./credentials.routes.ts";
import type { HistoryOfTarget } from "./read-credential.ts";
import type { LoginListener } from "./store-credential.ts";

export interface CredentialsFeature {
  /** Calls `listener` for each credential that is stored, or changed in what a login depends on, in its transaction. */
  onLoginChanged(listener: LoginListener): void;
  /** Tells these listeners, for who stores or changes accounts. */
  readonly loginChanged: LoginListener;
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

export function installCredentials(kernel: Kernel, deps: { historyOfTarget: HistoryOfTarget }): CredentialsFeature {
  const listeners: LoginListener[] = [];
  kernel.authority.grant(grants);
  const loginChanged: LoginListener = async (tx, credential) => {
    for (const listener of listeners) await listener(tx, credential);
  };
  bindCredentials(kernel, deps.historyOfTarget, loginChanged);
  return {
    onLoginChanged: (listener) => void listeners.push(listener),
    loginChanged,
    forgetPerson: (tx, userId) => destroyVault(kernel, tx, userId),
  };
}

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
export { refuseWhileRotating, rotationState, rotationInHand, supersedeRotation } from "./rotation-lock.ts";
export { openEnvelope, unreadable } from "./reveal-credential.ts";
export type { HistoryOfTarget } from "./read-credential.ts";
export type { LoginListener } from "./store-credential.ts";
export { searchableCredentials } from "./search-credentials.ts";
export { storeNew } from "./store-version.ts";
