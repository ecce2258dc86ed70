// Permissions and rules for viewing and managing users.
import type { Role, SignInPolicy, UserKind } from "@strongroom/contract";
import type { Actor, Asker } from "#kernel/authz/actor.ts";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import { refuse } from "#kernel/http/refuse.ts";

export const rolePermissions = {
  "user.list": ["admin", "manager"],
  // Not every safe owner has this permission, because every user can create a safe.
  "directory.search": ["admin", "manager"],
  "user.manage": ["admin"],
  "policy.read": ["admin", "manager"],
  "policy.manage": ["admin"],
} satisfies RolePermissions;

/** Whether a user can see other users' addresses and search for them. */
export const seesAddresses = ({ role, token = null }: Asker): boolean =>
  (rolePermissions["user.list"] as readonly Role[]).includes(role) &&
  (token === null || token.scopes.has("user.list") || token.scopes.has("user.manage"));

/** Whether this user is the only active administrator. */
export const isLastAdmin = (userId: string, activeAdminIds: readonly string[]): boolean =>
  activeAdminIds.length === 1 && activeAdminIds[0] === userId;

/** Throws 409 for the last administrator. INVARIANT: at least one user can manage users. */
export function requireAnotherAdmin(userId: string, activeAdminIds: readonly string[]): void {
  if (!isLastAdmin(userId, activeAdminIds)) return;
  throw refuse(409, "user.last-admin", "This is the last administrator. Make another user an administrator first.");
}

/** Throws 403 when users decide about themselves: only another user may grant or remove their permissions. */
export function requireAnotherPerson(actorId: string, userId: string): void {
  if (actorId !== userId) return;
  throw refuse(403, "user.oneself", "You cannot change your own role or status. Ask another administrator.");
}

/**
 * Throws 403 when an API token would change an administrator or its own holder, or create an administrator. INVARIANT: no token
 * creates an administrator, and none gives access to an administrator's account.
 */
export function requirePersonFor(
  actor: Pick<Actor, "id" | "token">,
  about: { id?: string; role: Role },
  becomes: Role = "user",
): void {
  if (actor.token === null) return;
  if (about.role !== "admin" && becomes !== "admin" && about.id !== actor.id) return;
  throw refuse(
    403,
    "user.person-needed",
    "An API token cannot create or change administrators, or change its own holder. Please sign in to do this.",
  );
}

/** Users who are waiting for activation can sign in too, but reach only their profile and their vault. */
export const canSignIn = ({ status }: { status: string }): boolean => status === "active" || status === "pending";

/** The initial status of an account that signs up with this address; null when the sign-up rule does not admit the address. */
export function statusAtSignUp(
  { sign_up, sign_up_domains }: Pick<SignInPolicy, "sign_up" | "sign_up_domains">,
  email: string,
): "pending" | "active" | null {
  if (sign_up === "closed") return null;
  if (sign_up === "open") return "active";
  // The address is not verified, so its domain only determines whether its owner may sign up.
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return sign_up === "activation" || sign_up_domains.includes(domain) ? "pending" : null;
}

interface Protected {
  role: Role;
  kind: UserKind;
  invited_at: Date | null;
  admin_until: Date | null;
}

/**
 * Whether a reset of this user's sign-in needs a second administrator. This is so for administrators, for recent administrators,
 * and for users who cancelled an earlier reset as unauthorised.
 */
export const needsSecondAdmin = (person: Protected, isVaultHeld: boolean, now: Date): boolean =>
  person.kind === "person" &&
  ((person.role === "admin" && person.invited_at === null) ||
    (person.admin_until !== null && person.admin_until > now) ||
    isVaultHeld);

/** Throws 409 for a user whose reset needs a second administrator. */
export function requireOneAdmin(person: Protected, isVaultHeld: boolean, now: Date): void {
  if (!needsSecondAdmin(person, isVaultHeld, now)) return;
  throw refuse(
    409,
    "admin-reset.second-needed",
    "Resetting an administrator's sign-in requires a second administrator. Request the reset, then have another administrator confirm it.",
  );
}

/** The default display name for a user who did not enter one (AUTH-24). */
export const nameFromEmail = (email: string): string => email.split("@", 1)[0] || email;

/** The role at sign-up, and the requested role, on which an administrator decides (OPEN-18). */
export function rolesAtSignUp(chosen: Role): { role: Role; requestedRole: Exclude<Role, "user"> | null } {
  return { role: "user", requestedRole: chosen === "user" ? null : chosen };
}
