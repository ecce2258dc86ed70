// The dependencies that the use cases of signing in share.
import type { IdentityProviderId, Role, SecondStep } from "@strongroom/contract";
import type { Mail } from "#features/mail/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { Newcomer, TokensEnd, UsersTable } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel, ProcessKernel } from "#kernel/kernel.ts";
import type { Passwords } from "./passwords/passwords.ts";
import type { SigningKeys } from "./sessions/signing-keys.ts";
import type { Tokens } from "./sessions/tokens.ts";

/**
 * The second step that a user has to complete. If `kinds` is empty, their role requires a factor but they have none, so
 * they set one up.
 */
export interface SecondStepDemand {
  kinds: SecondStep["kinds"];
  passkey: SecondStep["passkey"];
  /** Stores the challenge that the answer is checked against. */
  keep(tx: Tx): Promise<void>;
}

/** Returns null for a user who needs no second step. */
export type AskSecondStep = (db: Db, user: UsersTable) => Promise<SecondStepDemand | null>;

/** A login that matched no local password. */
export interface DirectoryLogin {
  /** Normalised by `typedName`. */
  name: string;
  password: string;
  /** The local user with this address, or undefined. */
  user: UsersTable | undefined;
  /** The client's network, from `clientKey`. */
  network: string;
  signal: AbortSignal;
}

/** An existing account that will be bound to a provider's identity once every proof is complete. */
export interface TakeOver {
  providerId: IdentityProviderId;
  /** The provider's identifier for the user. */
  subject: string;
  /** The role from the provider's groups; null keeps the account's role. */
  role: Role | null;
}

/** A user whom a provider has authenticated. */
export interface ExternalIdentity {
  user: UsersTable;
  /** Undefined when the account is already bound to the provider. */
  takeOver?: TakeOver;
}

/** The identity providers, as sign-in uses them. */
export interface ExternalProviders {
  /**
   * The user whom a directory authenticates; null when no directory does. Throws the refusal for an authenticated user
   * who may not sign in.
   */
  proveByDirectory(query: DirectoryLogin): Promise<ExternalIdentity | null>;
  /**
   * Binds the account to the provider and ends its password and sessions. The caller has locked the user. Throws 403
   * when the binding is no longer allowed.
   */
  takeOver(tx: Tx, user: UsersTable, wanted: TakeOver): Promise<void>;
  /** The name of the provider that a user signs in through, or null for a user with a local password. */
  providerOf(db: Db, userId: string): Promise<string | null>;
  /** The OpenID Connect provider that a user signs in through, if the provider is enabled. */
  openidProviderOf(db: Db, userId: string): Promise<{ id: IdentityProviderId; name: string } | null>;
  /**
   * Records that the user ended their sessions: their next sign-in will need a new authentication at their provider.
   */
  noteSignOut(tx: Tx, userId: string): Promise<void>;
  /** As `providerOf`, for several users. Users with a local password are omitted. */
  providersOf(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * The names, other than their addresses, by which guesses at these users are counted. Users without such names are
   * omitted.
   */
  claimsOn(db: Db, userIds: readonly string[]): Promise<readonly { user_id: string; email: string }[]>;
}

/**
 * Revokes a user's API tokens except those in `keep`, and also the tokens that the revoked ones created. Returns how
 * many were revoked. Throws 400 when one of `keep` is not an active token of that user.
 */
export type EndTokens = (tx: Tx, userId: string, because: TokensEnd, keep?: readonly string[]) => Promise<number>;

/** The parts of the kernel that proving an identity needs, in any process. */
export type SignInKernel = ProcessKernel & Pick<Kernel, "publicUrl">;

/** Proves identities and opens sessions. A session gateway has one too, for native SSH clients. */
export interface ProofContext {
  kernel: SignInKernel;
  passwords: Passwords;
  tokens: Tokens;
  /** Set once by the factors feature; until then a first proof is enough. */
  secondStep: { current: AskSecondStep };
  /** Set once by the identity providers feature; until then no user has a provider. */
  externalProviders: { current: ExternalProviders };
}

export interface SignInContext extends ProofContext {
  kernel: Kernel;
  mail: Mail;
  notify: Notify;
  signingKeys: SigningKeys;
  /** Set once by the tokens feature. */
  endTokens: { current: EndTokens };
  /** Called in the transaction that creates an account waiting for activation. Set once by the users feature. */
  newcomers: { current: (tx: Tx, newcomer: Newcomer) => Promise<void> };
}
