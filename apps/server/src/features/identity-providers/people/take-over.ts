// Binds an existing account to the provider's identity with the same address, where the administrator allows it. Planned at the
// first proof of a sign-in, and done after the last one.
import type { Role } from "@strongroom/contract";
import type { ExternalIdentity, TakeOver } from "#features/sign-in/index.ts";
import { findUser, needsSecondAdmin, setPasswordHash, setRole, notifyOfNewAdmin } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import { isVaultHeld } from "#features/vault-closure/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { GroupNames } from "../identity-providers.policy.ts";
import { lockProviderShared } from "../identity-providers.store.ts";
import type { ProviderRow } from "../identity-providers.store.ts";
import type { IdentityProviderContext } from "../context.ts";
import { bindPerson, findProviderOf } from "./people.store.ts";
import { aUser, record } from "../record.ts";

/** The identity that a provider asserts after authenticating a person. */
export interface AssertedIdentity {
  /** The provider's identifier, which never changes. */
  subject: string;
  email: string | null;
  /** Null when the provider does not send this claim. */
  isEmailVerified: boolean | null;
  name: string | null;
  groups: readonly GroupNames[];
}

interface Known {
  provider: ProviderRow;
  identity: AssertedIdentity;
  known: UsersTable;
  role: Role | "keep";
}

/**
 * INVARIANT: this function does not change the account, because its own second factor may not be verified yet. Throws
 * 403 if the account may not be taken over: never for an administrator, nor for a user whose reset needs a second
 * administrator, and never without the administrator's consent or with an unverified address.
 */
export async function planTakeOver(
  db: Db,
  now: Date,
  { provider, identity, known, role }: Known,
): Promise<ExternalIdentity> {
  const isMeant = identity.isEmailVerified === true && known.status === "active";
  if (!isMeant || !(await mayBeTaken(db, provider, known, now)) || (await findProviderOf(db, known.id)) !== undefined)
    throw taken(provider);
  const wanted = { providerId: provider.id, subject: identity.subject, role: role === "keep" ? null : role };
  return { user: known, takeOver: wanted };
}

/** INVARIANT: a provider's assertion alone does not take over an account whose reset needs a second administrator. */
async function mayBeTaken(db: Db, provider: ProviderRow, { id }: UsersTable, now: Date): Promise<boolean> {
  const person = await findUser(db, id);
  if (person?.kind !== "person" || person.role === "admin" || !provider.links_by_email) return false;
  return !needsSecondAdmin(person, await isVaultHeld(db, id), now);
}

/** Implements `ExternalProviders.takeOver`. */
export async function takeOver(
  { kernel, signIn }: IdentityProviderContext,
  tx: Tx,
  user: UsersTable,
  { providerId, subject, role }: TakeOver,
): Promise<void> {
  const now = kernel.clock.now();
  const provider = await lockProviderShared(tx, providerId);
  if (provider?.is_enabled !== true) throw refuse(403, "sign-in.provider-off", "This sign-in method is disabled.");
  const binding = { provider_id: provider.id, subject, user_id: user.id, bound_at: now };
  if (!(await mayBeTaken(tx, provider, user, now)) || !(await bindPerson(tx, binding))) throw taken(provider);
  await setPasswordHash(tx, user.id, "");
  await signIn.forgetReset(tx, user.id);
  await signIn.endSessions(tx, user.id);
  await signIn.endTokens(tx, user.id, "provider-changed");
  const target = aUser(user);
  await record(now, tx, "identity-provider.person-bound", { target, details: { provider: provider.name } });
  if (role === null || role === user.role) return;
  await setRole(tx, user.id, role, now);
  if (role === "admin") {
    await notifyOfNewAdmin(signIn.parts.notify, tx, { person: user, by: describeProviderActor(provider) });
  }
  const details = { from: user.role, to: role, provider: provider.name };
  await record(now, tx, "user.role-changed", { target, details });
}

/** How notifications name the provider that changed a role. */
export const describeProviderActor = ({ name }: ProviderRow): string => `The identity provider ${name}`;

const taken = ({ name }: ProviderRow) =>
  refuse(
    403,
    "sign-in.account-exists",
    `Your email address belongs to a user who does not sign in through ${name}. Ask an administrator.`,
  );
