// What the use cases of signing in share.
import type { IdentityProviderId, Role, SecondStep } from "@strongroom/contract";
import type { Mail } from "#features/mail/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { Newcomer, TokensEnd, UsersTable } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Passwords } from "./passwords.ts";
import type { SigningKeys } from "./signing-keys.ts";
import type { Tokens } from "./tokens.ts";

/** What somebody still has to prove. Empty kinds: they have no factor and need one, so they set one up. */
export interface Demand {
  kinds: SecondStep["kinds"];
  passkey: SecondStep["passkey"];
  /** Stores what the answer will be checked against. */
  keep(tx: Tx): Promise<void>;
}

/** Answers null for who needs nothing beyond their first proof. */
export type AskSecondStep = (db: Db, user: UsersTable) => Promise<Demand | null>;

/** What was typed at sign-in and is no password here. */
export interface DirectoryWish {
  /** In one spelling. */
  name: string;
  password: string;
  /** Whose address it is here; undefined: nobody's. */
  user: UsersTable | undefined;
  /** Where it was typed, as `clientKey` gives it. */
  network: string;
  signal: AbortSignal;
}

/** An account that is here already and becomes that of whom a provider proved, once every proof is there. */
export interface TakeOver {
  providerId: IdentityProviderId;
  /** What the provider calls them. */
  subject: string;
  /** By their groups; null: as it is here. */
  role: Role | null;
}

/** Somebody whom another place has proved. */
export interface ProvedElsewhere {
  user: UsersTable;
  /** Undefined: the account is theirs. */
  takeOver?: TakeOver;
}

/** The other places that know who somebody is. */
export interface Elsewhere {
  /** Whom a directory proves; null: none does. Throws the refusal of somebody who is proved and may not come in. */
  proveByDirectory(wish: DirectoryWish): Promise<ProvedElsewhere | null>;
  /** Makes it so, with the person held: ends their password and their sessions. Throws 403 when it may no longer be. */
  takeOver(tx: Tx, user: UsersTable, wanted: TakeOver): Promise<void>;
  /** The name of the provider that a person signs in through: their password is not ours. Null: nobody's. */
  providerOf(db: Db, userId: string): Promise<string | null>;
  /** The OpenID Connect provider that a person signs in through, if it is enabled. */
  openidProviderOf(db: Db, userId: string): Promise<{ id: IdentityProviderId; name: string } | null>;
  /** The person ended their sessions: their next sign-in needs a new authentication at their provider. */
  noteSignOut(tx: Tx, userId: string): Promise<void>;
  /** The same of several people; those whose password is ours are left out. */
  providersOf(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** By what guesses at each of these people are counted there, beside their address; those of whom nothing is are left out. */
  claimsOn(db: Db, userIds: readonly string[]): Promise<readonly { user_id: string; email: string }[]>;
}

/**
 * Revokes the API tokens of a person except those in `keep`, and the tokens that revoked ones created; returns how many. Throws
 * 400 when one of `keep` is not an active token of theirs.
 */
export type EndTokens = (tx: Tx, userId: string, because: TokensEnd, keep?: readonly string[]) => Promise<number>;

export interface SignInParts {
  kernel: Kernel;
  mail: Mail;
  notify: Notify;
  passwords: Passwords;
  signingKeys: SigningKeys;
  tokens: Tokens;
  /** Set once by the tokens feature. */
  endTokens: { current: EndTokens };
  /** Called, in the transaction that creates it, for an account that waits for activation. Set once by the users feature. */
  newcomers: { current: (tx: Tx, newcomer: Newcomer) => Promise<void> };
  /** Set once by the feature of second factors; until then a first proof is enough. */
  secondStep: { current: AskSecondStep };
  /** Set once by the feature of identity providers; until then nobody is known elsewhere. */
  elsewhere: { current: Elsewhere };
}
