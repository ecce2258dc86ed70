// The dependencies that the use cases of signing in share.
import type { IdentityProviderId, Role, SecondStep } from "@strongroom/contract";
import type { Mail } from "#features/mail/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { Newcomer, TokensEnd, UsersTable } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Passwords } from "./passwords/passwords.ts";
import type { SigningKeys } from "./sessions/signing-keys.ts";
import type { Tokens } from "./sessions/tokens.ts";

/**
 * The second step that a person has to complete. Empty `kinds`: their role requires a factor and they have none, so they set one
 * up.
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
  /** The local user with this address; undefined when there is none. */
  user: UsersTable | undefined;
  /** The client's network, from `clientKey`. */
  network: string;
  signal: AbortSignal;
}

/** An existing account that is bound to a provider's identity once every proof is complete. */
export interface TakeOver {
  providerId: IdentityProviderId;
  /** The provider's identifier of the person. */
  subject: string;
  /** The role from the provider's groups; null keeps the account's role. */
  role: Role | null;
}

/** A person whom a provider has authenticated. */
export interface ExternalIdentity {
  user: UsersTable;
  /** Undefined when the account is already bound to the provider. */
  takeOver?: TakeOver;
}

/** The identity providers, as signing in uses them. */
export interface ExternalProviders {
  /**
   * The person whom a directory authenticates; null when no directory does. Throws the refusal for an authenticated person who
   * may not sign in.
   */
  proveByDirectory(query: DirectoryLogin): Promise<ExternalIdentity | null>;
  /**
   * Binds the account to the provider and ends its password and sessions; the caller has locked the user. Throws 403 when it is
   * no longer allowed.
   */
  takeOver(tx: Tx, user: UsersTable, wanted: TakeOver): Promise<void>;
  /** The name of the provider that a person signs in through, who then has no local password; null when there is none. */
  providerOf(db: Db, userId: string): Promise<string | null>;
  /** The OpenID Connect provider that a person signs in through, if it is enabled. */
  openidProviderOf(db: Db, userId: string): Promise<{ id: IdentityProviderId; name: string } | null>;
  /** Records that the person ended their sessions: their next sign-in needs a new authentication at their provider. */
  noteSignOut(tx: Tx, userId: string): Promise<void>;
  /** As `providerOf`, for several people. People with a local password are omitted. */
  providersOf(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The names, besides their address, by which guesses at these people are counted. People without such names are omitted. */
  claimsOn(db: Db, userIds: readonly string[]): Promise<readonly { user_id: string; email: string }[]>;
}

/**
 * Revokes the API tokens of a person except those in `keep`, and the tokens that revoked ones created; returns how many. Throws
 * 400 when one of `keep` is not an active token of that person.
 */
export type EndTokens = (tx: Tx, userId: string, because: TokensEnd, keep?: readonly string[]) => Promise<number>;

export interface SignInContext {
  kernel: Kernel;
  mail: Mail;
  notify: Notify;
  passwords: Passwords;
  signingKeys: SigningKeys;
  tokens: Tokens;
  /** Set once by the tokens feature. */
  endTokens: { current: EndTokens };
  /** Called in the transaction that creates an account waiting for activation. Set once by the users feature. */
  newcomers: { current: (tx: Tx, newcomer: Newcomer) => Promise<void> };
  /** Set once by the factors feature; until then a first proof is enough. */
  secondStep: { current: AskSecondStep };
  /** Set once by the identity providers feature; until then no user has a provider. */
  elsewhere: { current: ExternalProviders };
}
