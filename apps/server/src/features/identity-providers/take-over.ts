// Whoever has an account's address at a provider gets the account, where the administrator allows it: asked for at the first
// proof of a sign-in, and done with its last.
import type { Role } from "@strongroom/contract";
import type { ProvedElsewhere, TakeOver } from "#features/sign-in/index.ts";
import { findUser, needsSecondAdmin, setPasswordHash, setRole, tellOfNewAdmin } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import { isVaultHeld } from "#features/vault-closure/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { GroupNames } from "./identity-providers.policy.ts";
import { holdProvider } from "./identity-providers.store.ts";
import type { ProviderRow } from "./identity-providers.store.ts";
import type { Office } from "./office.ts";
import { bindPerson, findProviderOf } from "./people.store.ts";
import { aUser, record } from "./record.ts";

/** What a provider says of somebody whom it has proved. */
export interface Vouched {
  /** What stays the same whatever else changes. */
  subject: string;
  email: string | null;
  /** Null: the provider does not say. */
  isEmailVerified: boolean | null;
  name: string | null;
  groups: readonly GroupNames[];
}

interface Known {
  provider: ProviderRow;
  vouched: Vouched;
  known: UsersTable;
  role: Role | "keep";
}

/**
 * INVARIANT: nothing of the account changes here, because its own second factor may be missing still. Throws 403 where it may
 * not be taken over: an administrator's never, nor one whose reset
 * needs a second administrator, and none without the administrator's consent or on an address that is not verified.
 */
export async function foreseeTakeOver(
  db: Db,
  now: Date,
  { provider, vouched, known, role }: Known,
): Promise<ProvedElsewhere> {
  const isMeant = vouched.isEmailVerified === true && known.status === "active";
  if (!isMeant || !(await mayBeTaken(db, provider, known, now)) || (await findProviderOf(db, known.id)) !== undefined)
    throw taken(provider);
  const wanted = { providerId: provider.id, subject: vouched.subject, role: role === "keep" ? null : role };
  return { user: known, takeOver: wanted };
}

/** INVARIANT: an account whose reset needs a second administrator is not taken over by the word of a provider alone. */
async function mayBeTaken(db: Db, provider: ProviderRow, { id }: UsersTable, now: Date): Promise<boolean> {
  const person = await findUser(db, id);
  if (person?.kind !== "person" || person.role === "admin" || !provider.links_by_email) return false;
  return !needsSecondAdmin(person, await isVaultHeld(db, id), now);
}

/** As `Elsewhere.takeOver` says. */
export async function takeOver(
  { kernel, signIn }: Office,
  tx: Tx,
  user: UsersTable,
  { providerId, subject, role }: TakeOver,
): Promise<void> {
  const now = kernel.clock.now();
  const provider = await holdProvider(tx, providerId);
  if (provider?.is_enabled !== true)
    throw refuse(403, "sign-in.provider-off", "This way of signing in is switched off.");
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
    await tellOfNewAdmin(signIn.parts.notify, tx, { person: user, by: asMaker(provider) });
  }
  const details = { from: user.role, to: role, provider: provider.name };
  await record(now, tx, "user.role-changed", { target, details });
}

/** As people know who gave a role. */
export const asMaker = ({ name }: ProviderRow): string => `The identity provider ${name}`;

const taken = ({ name }: ProviderRow) =>
  refuse(
    403,
    "sign-in.account-exists",
    `There is an account with your email address here, and it does not sign in through ${name}. Please ask an administrator.`,
  );
