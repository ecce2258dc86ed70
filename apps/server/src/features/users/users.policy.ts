// Who may see and manage the people who sign in.
import type { Role, SignInPolicy, UserKind } from "@strongroom/contract";
import type { Actor, Asker } from "#kernel/authz/actor.ts";
import type { Grants } from "#kernel/authz/authorise.ts";
import { refuse } from "#kernel/http/refuse.ts";

export const grants = {
  "user.list": ["admin", "manager"],
  // Not for everyone who owns a safe: everyone can create one.
  "directory.search": ["admin", "manager"],
  "user.manage": ["admin"],
  "policy.read": ["admin", "manager"],
  "policy.manage": ["admin"],
} satisfies Grants;

/** Whether a person sees other people's addresses and can search for them. */
export const seesAddresses = ({ role, token = null }: Asker): boolean =>
  (grants["user.list"] as readonly Role[]).includes(role) &&
  (token === null || token.scopes.has("user.list") || token.scopes.has("user.manage"));

/** Whether this is all of the administrators that are left, so that nobody could let the next one in. */
export const isLastAdmin = (userId: string, activeAdminIds: readonly string[]): boolean =>
  activeAdminIds.length === 1 && activeAdminIds[0] === userId;

/** Throws 409 for the last administrator. INVARIANT: there is always somebody who can manage users. */
export function requireAnotherAdmin(userId: string, activeAdminIds: readonly string[]): void {
  if (!isLastAdmin(userId, activeAdminIds)) return;
  throw refuse(409, "user.last-admin", "This is the last administrator. Make somebody else an administrator first.");
}

/** Throws 403 when somebody decides about themselves: rights are given and taken by another person. */
export function requireAnotherPerson(actorId: string, userId: string): void {
  if (actorId !== userId) return;
  throw refuse(403, "user.oneself", "Nobody changes their own role or status. Ask another administrator.");
}

/**
 * Throws 403 when an API token would change an administrator or its own holder, or make an administrator. INVARIANT: no token
 * makes an administrator, and none gives access to an administrator's account.
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
    "An API token cannot make or change an administrator, or change its own holder. Please sign in to do this.",
  );
}

/** People who wait for activation can sign in too: to their profile and their personal vault. */
export const canSignIn = ({ status }: { status: string }): boolean => status === "active" || status === "pending";

/** Whether an address may sign up, and the initial state of its account. Null: sign-up is closed to it. */
export function statusAtSignUp(
  { sign_up, sign_up_domains }: Pick<SignInPolicy, "sign_up" | "sign_up_domains">,
  email: string,
): "pending" | "active" | null {
  if (sign_up === "closed") return null;
  if (sign_up === "open") return "active";
  // The address is not verified, so its domain only decides who may sign up.
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
 * Whether a reset of this person's sign-in needs a second administrator: for an administrator, for a person who was one
 * recently, and for a person who cancelled an earlier reset as not theirs.
 */
export const needsSecondAdmin = (person: Protected, isVaultHeld: boolean, now: Date): boolean =>
  person.kind === "person" &&
  ((person.role === "admin" && person.invited_at === null) ||
    (person.admin_until !== null && person.admin_until > now) ||
    isVaultHeld);

/** Throws 409 for a person whose reset needs a second administrator. */
export function requireOneAdmin(person: Protected, isVaultHeld: boolean, now: Date): void {
  if (!needsSecondAdmin(person, isVaultHeld, now)) return;
  throw refuse(
    409,
    "admin-reset.second-needed",
    "Resetting the sign-in of an administrator needs a second administrator. Request it, and let another one confirm.",
  );
}

/** The name to show for somebody who gave none (AUTH-24). */
export const nameFromEmail = (email: string): string => email.split("@", 1)[0] || email;

/** The role that a sign-up gets, and the one that waits for an administrator (OPEN-18). */
export function rolesAtSignUp(chosen: Role): { role: Role; requestedRole: Exclude<Role, "user"> | null } {
  return { role: "user", requestedRole: chosen === "user" ? null : chosen };
}
