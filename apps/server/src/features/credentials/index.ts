// Credentials: the secrets that belong to a person, stored so that only this person reaches them.
import type { Kernel } from "#kernel/kernel.ts";
import { grants } from "./credentials.policy.ts";
import { bindCredentials } from "./credentials.routes.ts";
import type { HistoryOfTarget } from "./read-credential.ts";
import type { LoginListener } from "./store-credential.ts";

export interface CredentialsFeature {
  /** Calls `listener` for each credential that is stored, or changed in what a login depends on, in its transaction. */
  onLoginChanged(listener: LoginListener): void;
}

export function installCredentials(kernel: Kernel, deps: { historyOfTarget: HistoryOfTarget }): CredentialsFeature {
  const listeners: LoginListener[] = [];
  kernel.authority.grant(grants);
  bindCredentials(kernel, deps.historyOfTarget, async (tx, credential) => {
    for (const listener of listeners) await listener(tx, credential);
  });
  return { onLoginChanged: (listener) => void listeners.push(listener) };
}

export { isUsableBy } from "./credentials.policy.ts";
export {
  changed as credentialChanged,
  hostKeyText,
  keyOfSafe,
  notFound as credentialNotFound,
  targetOf as credentialTarget,
} from "./credentials.ts";
export { countUsable, lockAnyCredential, lockCredential, readEnvelope, updateCredential } from "./credentials.store.ts";
export type { CredentialRow, CredentialsTable, HostKey } from "./credentials.store.ts";
export { searchKeys } from "./index-credential.ts";
export { openEnvelope, unreadable } from "./reveal-credential.ts";
export type { LoginListener } from "./store-credential.ts";
