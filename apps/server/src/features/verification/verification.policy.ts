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
export function isHeldBack(secretRow: Rejected, isAutomatic: boolean): boolean {
  return isAutomatic && secretRow.rejected_revision === secretRow.login_revision;
}

/** INVARIANT: a result that arrives after the secret or its target changed does not apply to the stored secret. */
export function isOutdated(tried: { revision: number }, now: { login_revision: number } | null): boolean {
  return now === null || now.login_revision !== tried.revision;
}

/** Returns whether the secret is due for the schedule. */
export function isDue(secretRow: { verify_after: Date | null }, now: Date): boolean {
  return secretRow.verify_after !== null && secretRow.verify_after <= now;
}
