// Maps an identity asserted by a provider to a user: already linked, linked by email address, newly created, or refused.
import { Email, PersonName, UserId } from "@strongroom/contract";
import type { Role } from "@strongroom/contract";
import type { ExternalIdentity } from "#features/sign-in/index.ts";
import {
  findUserByEmail,
  insertUser,
  lockActiveAdmins,
  lockUser,
  nameFromEmail,
  setRole,
  notifyOfNewAdmin,
} from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { roleOf, isResponsibleFor } from "../identity-providers.policy.ts";
import type { ProviderRow } from "../identity-providers.store.ts";
import type { IdentityProviderContext } from "../context.ts";
import { bindPerson, findBound } from "./people.store.ts";
import { aUser, record } from "../record.ts";
import { describeProviderActor, planTakeOver } from "./take-over.ts";
import type { AssertedIdentity } from "./take-over.ts";

/**
 * Returns the user with the role of their current groups. Throws 403 with the reason when there is no such user and
 * none may be created. INVARIANT: once bound, a user is found by the subject alone, never by an address.
 */
export async function settlePerson(
  context: IdentityProviderContext,
  provider: ProviderRow,
  identity: AssertedIdentity,
): Promise<ExternalIdentity> {
  const { database } = context.kernel;
  const role = roleOf(identity.groups, provider);
  if (role === null) {
    throw refuse(403, "sign-in.no-group", `None of your groups at ${provider.name} can sign in to Strongroom.`);
  }
  if (identity.subject === "") throw new Error("the provider sent no subject");
  return database.transaction(async (tx) => {
    const bound = await findBound(tx, provider.id, identity.subject);
    if (bound !== undefined) return { user: await withRole(context, tx, provider, bound, role) };
    const email = addressOf(provider, identity);
    const known = await findUserByEmail(tx, email);
    if (known !== undefined) return planTakeOver(tx, context.kernel.clock.now(), { provider, identity, known, role });
    return {
      user: await makePerson(context, tx, { provider, identity, email, role: role === "keep" ? "user" : role }),
    };
  });
}

function addressOf({ name, domains }: ProviderRow, { email, isEmailVerified }: AssertedIdentity): string {
  const parsed = Email.safeParse(email ?? "").data;
  if (parsed === undefined || isEmailVerified === false) {
    throw refuse(
      403,
      "sign-in.no-email",
      `${name} did not confirm an email address for you, and a Strongroom user needs one.`,
    );
  }
  if (!isResponsibleFor(domains, parsed)) {
    throw refuse(403, "sign-in.other-domain", `${name} cannot sign in users with your email domain.`);
  }
  return parsed;
}

interface Newcomer {
  provider: ProviderRow;
  identity: AssertedIdentity;
  email: string;
  role: Role;
}

async function makePerson(
  { kernel, signIn }: IdentityProviderContext,
  tx: Tx,
  { provider, identity, email, role }: Newcomer,
): Promise<UsersTable> {
  if (!provider.creates_people) {
    throw refuse(
      403,
      "sign-in.not-known",
      `You have no Strongroom user for ${provider.name}. Ask an administrator to add you.`,
    );
  }
  const now = kernel.clock.now();
  const user: UsersTable = {
    id: UserId.parse(newId(now.getTime())),
    email,
    name: PersonName.safeParse(identity.name).data ?? nameFromEmail(email),
    role,
    requested_role: null,
    status: "active",
    kind: "person",
    password_hash: "",
    created_at: now,
    last_signed_in_at: null,
    invited_at: null,
  };
  const isNew =
    (await insertUser(tx, user)) &&
    (await bindPerson(tx, { provider_id: provider.id, subject: identity.subject, user_id: user.id, bound_at: now }));
  // A concurrent sign-in of the same new user has already created this user.
  if (!isNew) throw refuse(409, "sign-in.at-once", "Two sign-ins ran at the same time. Try again.");
  await record(kernel.clock.now(), tx, "user.registered", {
    target: aUser(user),
    details: { role, provider: provider.name },
  });
  if (role === "admin")
    await notifyOfNewAdmin(signIn.parts.notify, tx, { person: user, by: describeProviderActor(provider) });
  return user;
}

/** INVARIANT: at least one administrator remains: the last one keeps the role, and this is audited. */
async function withRole(
  { kernel, signIn }: IdentityProviderContext,
  tx: Tx,
  provider: ProviderRow,
  user: UsersTable,
  role: Role | "keep",
): Promise<UsersTable> {
  if (role === "keep" || role === user.role || user.status !== "active") return user;
  const admins = await lockActiveAdmins(tx);
  await lockUser(tx, user.id);
  const details = { from: user.role, to: role, provider: provider.name };
  const target = aUser(user);
  if (user.role === "admin" && admins.every((id) => id === user.id)) {
    await record(kernel.clock.now(), tx, "user.role-changed", {
      target,
      result: "failure",
      reason: "user.last-admin",
      details,
    });
    return user;
  }
  await setRole(tx, user.id, role, kernel.clock.now());
  if (role === "admin")
    await notifyOfNewAdmin(signIn.parts.notify, tx, { person: user, by: describeProviderActor(provider) });
  // Tokens carry the role, so sessions with the old role must end.
  await signIn.endSessions(tx, user.id);
  await record(kernel.clock.now(), tx, "user.role-changed", { target, details });
  return { ...user, role, requested_role: null };
}
