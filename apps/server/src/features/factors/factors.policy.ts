// What a person must have and may do with second factors: rules only, no clock and no database.
import type { Role, SignInPolicy } from "@strongroom/contract";
import { refuse } from "#kernel/http/refuse.ts";

const MINUTE = 60_000;

/** How long what was begun waits for its answer. */
export const BEGUN_LIFE = 10 * MINUTE;
/** How long a challenge of a passkey can be answered. */
export const CHALLENGE_LIFE = 5 * MINUTE;
/** Enough for a phone, a computer and a few keys in drawers. */
const MOST_FACTORS = 20;

export const isRequired = (
  role: Role,
  { mfa_required_roles: roles }: Pick<SignInPolicy, "mfa_required_roles">,
): boolean => roles.includes(role);

/** Throws 409 when there are too many. */
export function requireRoom(count: number): void {
  if (count < MOST_FACTORS) return;
  throw refuse(409, "factor.too-many", `You have ${MOST_FACTORS} second factors. Remove one first.`);
}

/** Throws 409 for the last factor of somebody whose role must have one. */
export function requireFactorLeft(left: number, role: Role, policy: Pick<SignInPolicy, "mfa_required_roles">): void {
  if (left > 0 || !isRequired(role, policy)) return;
  throw refuse(409, "factor.required", "Your role needs a second factor. Add another one before you remove this one.");
}

/** Throws 409 for who has a factor: with a password alone nobody adds another. */
export function requireNoFactor(count: number): void {
  if (count === 0) return;
  throw refuse(409, "factor.exists", "You have a second factor. Use it to sign in.");
}
