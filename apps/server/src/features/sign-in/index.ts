// Sign-in, sign-up, sessions and password resets.
import type { Mail } from "#features/mail/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { SignInOfUsers } from "#features/users/index.ts";
import { isVaultHeld } from "#features/vault-closure/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { deleteNetworks } from "./attempts/attempts.store.ts";
import { invite } from "./passwords/invitations.ts";
import { requireOwnPassword } from "./passwords/require-own-password.ts";
import { createPasswords } from "./passwords/passwords.ts";
import type { HashParameters, Passwords } from "./passwords/passwords.ts";
import { issueResetLink, pendingResets } from "./passwords/reset-password.ts";
import { deleteReset } from "./passwords/resets.store.ts";
import { countSessions } from "./sessions/sessions.store.ts";
import { createAuthenticator, endEverything, endSessions, endSessionsWithoutFactor } from "./sessions/sessions.ts";
import { setupLink } from "./setup/setup.ts";
import type { ProofContext, SignInContext, SignInKernel } from "./context.ts";
import { defineJobs } from "./sign-in.jobs.ts";
import { bindSignIn } from "./sign-in.routes.ts";
import { findKeyInUse } from "./sessions/signing-keys.store.ts";
import { createSigningKeys } from "./sessions/signing-keys.ts";
import type { SigningKeys } from "./sessions/signing-keys.ts";
import { createTokens } from "./sessions/tokens.ts";
import { underLimits } from "./under-limits.ts";
import { waitingUntil, unlock } from "./attempts/waiting-people.ts";

export interface SignInFeature extends SignInOfUsers {
  /** For features that open sessions with `openSession` or with the second-step functions. */
  parts: SignInContext;
  /** The link for creating the first administrator; null once a user exists. */
  setupLink(): Promise<string | null>;
  /** Replaces the key that signs tokens. Open sessions continue. Rejects with SealedError. */
  rotateSigningKey(): Promise<void>;
  /** Ends sessions, pending sign-ins and links in a restored database. */
  endEverything(tx: Tx): Promise<{ sessions: number; sign_ins: number; links: number }>;
  /** When the active signing key was created; null before the first sign-in. */
  signingKeySince(db: Db): Promise<Date | null>;
}

export interface SignInDeps {
  mail: Mail;
  notify: Notify;
  /** The cost of a password hash. Only tests use less than the default. */
  hashing?: HashParameters;
}

export function installSignIn(kernel: Kernel, deps: SignInDeps): SignInFeature {
  const hashes = kernel.metrics.counter("strongroom_password_hashes_total", "Password hashes computed");
  const signingKeys = createSigningKeys(kernel);
  const passwords = createPasswords({ parameters: deps.hashing, onHash: () => hashes.inc() });
  const parts: SignInContext = {
    ...proofContextOf(kernel, passwords, signingKeys),
    kernel,
    mail: deps.mail,
    notify: deps.notify,
    signingKeys,
    endTokens: { current: async () => 0 },
    newcomers: { current: async () => {} },
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
      await deleteNetworks(tx, userId);
      await deleteReset(tx, userId);
    },
    providersOf: (db, userIds) => parts.externalProviders.current.providersOf(db, userIds),
    slowedDown: (db, people) => waitingUntil(parts, db, people),
    unlock: (tx, person) => unlock(parts, tx, person),
    invite: (tx, userId, by) => invite(parts, tx, userId, by),
    pendingResets: (db) => pendingResets(kernel, db),
    issueResetLink: async (tx, userId, by) => {
      await requireOwnPassword(parts, tx, userId);
      return issueResetLink(kernel, tx, userId, by);
    },
  };
}

/** For a process without HTTP. Users of identity providers have no password that it could check. */
export const createProofContext = (kernel: SignInKernel): ProofContext =>
  proofContextOf(kernel, createPasswords(), createSigningKeys(kernel));

const proofContextOf = (kernel: SignInKernel, passwords: Passwords, signingKeys: SigningKeys): ProofContext => ({
  kernel,
  passwords,
  tokens: createTokens(signingKeys, kernel.clock),
  secondStep: { current: async () => null },
  externalProviders: {
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
});

export { createUser, createResetLink, setUserStatus } from "./manage-users.ts";
export type { UserAdminContext } from "./manage-users.ts";
export type { HashParameters } from "./passwords/passwords.ts";
export { signIn } from "./sign-in.ts";
export { signOut } from "./sessions/own-sessions.ts";
export { createAuthenticator } from "./sessions/sessions.ts";
export { openSession } from "./sessions/open-session.ts";
export { finishSignIn, requirePendingSignIn, secondClaim, trySecondStep } from "./second-step/pending.ts";
export type { PendingSignIn } from "./second-step/pending.ts";
export { markProved } from "./sessions/sessions.store.ts";
export { setupLink } from "./setup/setup.ts";
export type {
  SecondStepDemand,
  DirectoryLogin,
  EndTokens,
  ExternalIdentity,
  ProofContext,
  SignInContext,
  SignInKernel,
  TakeOver,
} from "./context.ts";
export { isLastTry, provedUntil } from "./sign-in.policy.ts";
export type { SignInMethod } from "./sign-in.policy.ts";
export { endSessions, proveSession } from "./sessions/sessions.ts";
export { admitAttempt, admitGuess, undoAttemptCount, undoGuessCount, settleAttempt } from "./attempts/slow-down.ts";
export type { Attempt } from "./attempts/slow-down.ts";
export { refused } from "./sessions/start-session.ts";
export type { ProvenIdentity, SignInCall } from "./sessions/start-session.ts";
