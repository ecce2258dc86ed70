// Signing in and up, sessions, resets: who a caller is, and the ways to become and to stop being somebody.
import type { Mail } from "#features/mail/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { SignInOfUsers } from "#features/users/index.ts";
import { isVaultHeld } from "#features/vault-closure/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { forgetNetworks } from "./attempts.store.ts";
import { invite } from "./invitations.ts";
import { requireOwnPassword } from "./password-elsewhere.ts";
import { createPasswords } from "./passwords.ts";
import type { HashParameters } from "./passwords.ts";
import { issueResetLink, pendingResets } from "./reset-password.ts";
import { deleteReset } from "./resets.store.ts";
import { countSessions } from "./sessions.store.ts";
import { createAuthenticator, endEverything, endSessions, endSessionsWithoutFactor } from "./sessions.ts";
import { setupLink } from "./set-up.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import { defineJobs } from "./sign-in.jobs.ts";
import { bindSignIn } from "./sign-in.routes.ts";
import { findKeyInUse } from "./signing-keys.store.ts";
import { createSigningKeys } from "./signing-keys.ts";
import { createTokens } from "./tokens.ts";
import { underLimits } from "./under-limits.ts";
import { slowedDown, unlock } from "./waiting-people.ts";

export interface SignInFeature extends SignInOfUsers {
  /** For the features that end in a session: `openSession` and its neighbours take it. */
  parts: SignInParts;
  /** For the person who starts the server; null when there is a user. */
  setupLink(): Promise<string | null>;
  /** Replaces the key that signs tokens; nobody is signed out by it. Rejects with SealedError. */
  rotateSigningKey(): Promise<void>;
  /** For a restored database. */
  endEverything(tx: Tx): Promise<{ sessions: number; sign_ins: number; links: number }>;
  /** Null before the first sign-in. */
  signingKeySince(db: Db): Promise<Date | null>;
}

export interface SignInDeps {
  mail: Mail;
  notify: Notify;
  /** What a password hash costs; less than the default is for tests alone. */
  hashing?: HashParameters;
}

export function installSignIn(kernel: Kernel, deps: SignInDeps): SignInFeature {
  const hashes = kernel.metrics.counter("strongroom_password_hashes_total", "Password hashes computed");
  const signingKeys = createSigningKeys(kernel);
  const parts: SignInParts = {
    kernel,
    mail: deps.mail,
    notify: deps.notify,
    passwords: createPasswords({ parameters: deps.hashing, onHash: () => hashes.inc() }),
    signingKeys,
    tokens: createTokens(signingKeys, kernel.clock),
    endTokens: { current: async () => 0 },
    newcomers: { current: async () => {} },
    secondStep: { current: async () => null },
    elsewhere: {
      current: {
        proveByDirectory: async () => null,
        providerOf: async () => null,
        openidProviderOf: async () => null,
        noteSignOut: async () => {},
        providersOf: async () => new Map(),
        claimsOn: async () => [],
        takeOver: async () => {},
      },
    },
  };
  kernel.authenticator.current = createAuthenticator(kernel, parts.tokens);
  bindSignIn(parts);
  defineJobs(parts);
  return {
    parts,
    setupLink: () => setupLink(kernel),
    rotateSigningKey: () => signingKeys.rotate(),
    signingKeySince: async (db) => (await findKeyInUse(db))?.created_at ?? null,
    endEverything: (tx) => endEverything(kernel, tx),
    countOpenSessions: countSessions,
    endSessions: (tx, userId) => endSessions(kernel, tx, userId),
    endTokens: (tx, userId, because) => parts.endTokens.current(tx, userId, because),
    endSessionsWithoutFactor: (tx, roles) => endSessionsWithoutFactor(kernel, tx, roles),
    underLimits: (db, before, after) => underLimits(db, before, after, kernel.clock.now()),
    isVaultHeld: (db, userId) => isVaultHeld(db, userId),
    forgetReset: deleteReset,
    forgetPerson: async (tx, userId) => {
      await forgetNetworks(tx, userId);
      await deleteReset(tx, userId);
    },
    providersOf: (db, userIds) => parts.elsewhere.current.providersOf(db, userIds),
    slowedDown: (db, people) => slowedDown(parts, db, people),
    unlock: (tx, person) => unlock(parts, tx, person),
    invite: (tx, userId, by) => invite(parts, tx, userId, by),
    pendingResets: (db) => pendingResets(kernel, db),
    issueResetLink: async (tx, userId, by) => {
      await requireOwnPassword(parts, tx, userId);
      return issueResetLink(kernel, tx, userId, by);
    },
  };
}

export { createUser, makeResetLink, setUserStatus } from "./manage-users.ts";
export type { Desk } from "./manage-users.ts";
export type { HashParameters } from "./passwords.ts";
export { openSession } from "./open-session.ts";
export { finishSignIn, pendingSignIn, secondClaim, trySecondStep } from "./pending.ts";
export type { PendingSignIn } from "./pending.ts";
export { markProved } from "./sessions.store.ts";
export { setupLink } from "./set-up.ts";
export type { Demand, DirectoryWish, EndTokens, ProvedElsewhere, SignInParts, TakeOver } from "./sign-in-parts.ts";
export { isLastTry, provedUntil } from "./sign-in.policy.ts";
export type { SignInMethod } from "./sign-in.policy.ts";
export { endSessions, proveSession } from "./sessions.ts";
export { admitAttempt, admitGuess, rewardAttempt, rewardGuess, settleAttempt } from "./slow-down.ts";
export type { Attempt } from "./slow-down.ts";
export { refused } from "./start-session.ts";
export type { Proved, SignInCall } from "./start-session.ts";
