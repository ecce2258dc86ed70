// Rules for second factors, without a clock and without a database.
import type { Role, SignInPolicy } from "@strongroom/contract";
import { refuse } from "#kernel/http/refuse.ts";

const MINUTE = 60_000;

/** How long an enrolment waits for its answer, in milliseconds. */
export const ENROLMENT_LIFETIME = 10 * MINUTE;
/** How long a passkey challenge can be answered, in milliseconds. */
export const CHALLENGE_LIFETIME = 5 * MINUTE;
/** The maximum number of factors per user: enough for a phone, a computer and several security keys. */
const MOST_FACTORS = 20;

export const isRequired = (
  role: Role,
  { mfa_required_roles: roles }: Pick<SignInPolicy, "mfa_required_roles">,
): boolean => roles.includes(role);

/** Throws 409 when the user has the maximum number of factors. */
export function requireRoom(count: number): void {
  if (count < MOST_FACTORS) return;
  throw refuse(409, "factor.too-many", `You have ${MOST_FACTORS} second factors. Remove one first.`);
}

/** Throws 409 for the last factor of a user whose role requires one. */
export function requireFactorLeft(left: number, role: Role, policy: Pick<SignInPolicy, "mfa_required_roles">): void {
  if (left > 0 || !isRequired(role, policy)) return;
  throw refuse(
    409,
    "factor.required",
    "Your role requires a second factor. Add another one before you remove this one.",
  );
}

/** Throws 409 for a user who already has a factor: a password alone is not enough to add a second one. */
export function requireNoFactor(count: number): void {
  if (count === 0) return;
  throw refuse(409, "factor.exists", "You have a second factor. Use it to sign in.");
}
