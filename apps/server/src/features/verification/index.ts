// Verification: does a stored secret still work on the real system?
import type { Kernel } from "#kernel/kernel.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { CredentialsFeature } from "#features/credentials/index.ts";
import type { AccountsOfSafes } from "./owner-of.ts";
import { verifyAllOf } from "./run-verification.ts";
import { createSite } from "./site.ts";
import type { Site, Watcher } from "./site.ts";
import { defineJobs, queueFirst } from "./verification.jobs.ts";
import { grants } from "./verification.policy.ts";
import { scheduleUnproved } from "./verification.store.ts";
import { bindVerification } from "./verification.routes.ts";

export interface VerificationFeature {
  /** What every verification of this server needs. */
  site: Site;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
  /** Tells this one of attempts, in their transactions. */
  watch(watcher: Watcher): void;
  /** Starts a run over everything that the caller may have verified. */
  verifyAll(call: Call, tx: Tx): ReturnType<typeof verifyAllOf>;
  /** Secrets that a person stored before their account was activated are verified by the next run of the schedule. */
  scheduleVault(tx: Tx, userId: string): Promise<void>;
}

interface Deps {
  credentials: CredentialsFeature;
  accounts: AccountsOfSafes;
}

/** Throws StartError when the configured networks make no sense. */
export function installVerification(kernel: Kernel, { credentials, accounts }: Deps): VerificationFeature {
  const site = createSite(kernel, accounts);
  const stopping = new AbortController();
  kernel.http.addHook("preClose", async () => stopping.abort());
  kernel.authority.grant(grants);
  credentials.onLoginChanged((tx, credential) => queueFirst(site, tx, credential));
  defineJobs(site);
  bindVerification(site, stopping.signal);
  return {
    site,
    stopping: stopping.signal,
    watch: (watcher) => void site.watchers.push(watcher),
    scheduleVault: (tx, userId) => scheduleUnproved(tx, userId, kernel.clock.now()),
    verifyAll: (call, tx) => verifyAllOf(site, call, tx),
  };
}

export { acceptedKeys, acceptOffered } from "./accept-host-key.ts";
export { audiencesOf, ownerOf } from "./owner-of.ts";
export type { AccountsOfSafes, Owner } from "./owner-of.ts";
export type { Begun, Concluded, Remark, Watcher } from "./site.ts";
export { verifyAccounts, verifyAllowed } from "./run-verification.ts";
export { insertEndedAttempts, listAttemptsOf } from "./verification.store.ts";
export type { AttemptRow } from "./verification.store.ts";
export { inNameOf, manual, verify } from "./verify-credential.ts";
export { isWorthTelling } from "./work-run.ts";
export { changesAfter, destinationOf, resultOf, targetOf as loginTargetOf } from "./verification.ts";
export type { LoginRow, Result } from "./verification.ts";
export { SCHEDULE_EVERY } from "./verification.jobs.ts";
