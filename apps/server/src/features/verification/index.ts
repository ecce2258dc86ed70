// Verification: checks whether stored secrets still work on their targets.
import type { Kernel } from "#kernel/kernel.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { SecretsFeature } from "#features/secrets/index.ts";
import type { AccountsOfSafes } from "./owner-of.ts";
import { verifyAllOf } from "./runs/run-verification.ts";
import { createVerificationContext } from "./context.ts";
import type { VerificationContext, VerificationListener } from "./context.ts";
import { defineJobs, queueFirst } from "./verification.jobs.ts";
import { rolePermissions } from "./verification.policy.ts";
import { scheduleUnverified } from "./verification.store.ts";
import { bindVerification } from "./verification.routes.ts";

export interface VerificationFeature {
  /** The dependencies of the verification feature. */
  site: VerificationContext;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
  /** Registers a listener, which is called in the transaction of each attempt. */
  watch(watcher: VerificationListener): void;
  /** Starts a run of everything that the caller may verify. */
  verifyAll(call: Call, tx: Tx): ReturnType<typeof verifyAllOf>;
  /** Makes secrets that a user stored before their activation due for the next scheduled run. */
  scheduleVault(tx: Tx, userId: string): Promise<void>;
}

interface Deps {
  secrets: SecretsFeature;
  accounts: AccountsOfSafes;
}

/** Throws StartError when the configured networks are invalid. */
export function installVerification(kernel: Kernel, { secrets, accounts }: Deps): VerificationFeature {
  const context = createVerificationContext(kernel, accounts);
  const stopping = new AbortController();
  kernel.http.addHook("preClose", async () => stopping.abort());
  kernel.authority.grant(rolePermissions);
  secrets.onLoginChanged((tx, secret) => queueFirst(context, tx, secret));
  defineJobs(context);
  bindVerification(context, stopping.signal);
  return {
    site: context,
    stopping: stopping.signal,
    watch: (watcher) => void context.watchers.push(watcher),
    scheduleVault: (tx, userId) => scheduleUnverified(tx, userId, kernel.clock.now()),
    verifyAll: (call, tx) => verifyAllOf(context, call, tx),
  };
}

export { acceptedKeys, acceptOffered } from "./host-keys/accept-host-key.ts";
export { audiencesOf, ownerOf } from "./owner-of.ts";
export type { AccountsOfSafes, Owner } from "./owner-of.ts";
export type { Begun, Concluded, Remark, VerificationListener } from "./context.ts";
export { verifyAccounts, verifyAllowed } from "./runs/run-verification.ts";
export { insertEndedAttempts, listAttemptsOf } from "./verification.store.ts";
export type { AttemptRow } from "./verification.store.ts";
export { loginKey } from "./attempts/limit-rejections.ts";
export { tryNewLogin } from "./attempts/try-new-login.ts";
export { recorderForCall, manual, verify } from "./attempts/verify-credential.ts";
export { shouldReportProgress } from "./runs/work-run.ts";
export {
  VERIFY_EVERY_MS,
  changesAfter,
  connectorOf,
  destinationOf,
  resultOf,
  targetOf as loginTargetOf,
} from "./verification.ts";
export type { LoginRow, Result } from "./verification.ts";
export { SCHEDULE_EVERY } from "./verification.jobs.ts";
