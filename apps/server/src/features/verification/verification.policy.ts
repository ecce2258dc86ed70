// Who may verify and look at verifications, and when the product itself must not try again.
import { ROLES } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants: Grants = {
  "credential.verify": ROLES,
  "verification.read": ROLES,
};

/** What started an attempt. */
export type Trigger = "manual" | "first" | "bulk" | "scheduled" | "rotation";

/** What a run was asked to try: everything, what somebody picked, or what is due. */
export type RunScope = "all" | "selected" | "scheduled";

interface Rejected {
  login_revision: number;
  rejected_revision: number | null;
}

/**
 * The lock-out budget: after one rejected login, nothing but a person's own wish sends the same secret to the same
 * account again, or the target would lock the account because of us.
 */
export function isHeldBack(credential: Rejected, isAutomatic: boolean): boolean {
  return isAutomatic && credential.rejected_revision === credential.login_revision;
}

/** INVARIANT: a result that comes after the secret or its target changed says nothing about what is stored now. */
export function isOutdated(tried: { revision: number }, now: { login_revision: number } | null): boolean {
  return now === null || now.login_revision !== tried.revision;
}

/** Whether the schedule's turn has come. */
export function isDue(credential: { verify_after: Date | null }, now: Date): boolean {
  return credential.verify_after !== null && credential.verify_after <= now;
}
