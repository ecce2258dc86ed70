// Decides who may verify and read verifications, and when automatic attempts must not retry.
import { ROLES } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = {
  "credential.verify": ROLES,
  "verification.read": ROLES,
};

/** The origin of an attempt. */
export type Trigger = "manual" | "first" | "bulk" | "scheduled" | "rotation";

/** The scope of a run: everything, a selection, or what is due. */
export type RunScope = "all" | "selected" | "scheduled";

interface Rejected {
  login_revision: number;
  rejected_revision: number | null;
}

/**
 * The lockout budget: after one rejected login, only a user's explicit request sends the same secret to the same
 * account again. Otherwise automatic attempts could lock the account on the target.
 */
export function isHeldBack(credential: Rejected, isAutomatic: boolean): boolean {
  return isAutomatic && credential.rejected_revision === credential.login_revision;
}

/** INVARIANT: a result that arrives after the secret or its target changed does not apply to the stored secret. */
export function isOutdated(tried: { revision: number }, now: { login_revision: number } | null): boolean {
  return now === null || now.login_revision !== tried.revision;
}

/** Returns whether the credential is due for the schedule. */
export function isDue(credential: { verify_after: Date | null }, now: Date): boolean {
  return credential.verify_after !== null && credential.verify_after <= now;
}
