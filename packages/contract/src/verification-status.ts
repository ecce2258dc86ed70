// One vocabulary for whether a stored secret works, and the names that each screen and call uses for it.
import { z } from "zod";

/** How the last verification ended if it failed. Only `rejected` says that the secret is wrong. */
export const FAILING_STATUSES = ["rejected", "unreachable", "misconfigured"] as const;
export type FailingStatus = (typeof FAILING_STATUSES)[number];

/**
 * `pending`: a verification follows automatically. `untested`: it was never verified, and no verification is
 * scheduled.
 */
export const VERIFICATION_STATUSES = ["verified", ...FAILING_STATUSES, "pending", "untested"] as const;
export const VerificationStatus = z.enum(VERIFICATION_STATUSES);
export type VerificationStatus = z.infer<typeof VerificationStatus>;

/** The filter value `failed` matches every failing status. */
export const VerificationStatusFilter = z.enum([...VERIFICATION_STATUSES, "failed"]);
export type VerificationStatusFilter = z.infer<typeof VerificationStatusFilter>;

/** ACC-28; distinguishes what could not be checked from what was rejected. */
export const ACCOUNT_VALIDATION_STATUSES = [
  "untested",
  "valid",
  "invalid",
  "unreachable",
  "misconfigured",
  "pending",
] as const;
export const AccountValidationStatus = z.enum(ACCOUNT_VALIDATION_STATUSES);
export type AccountValidationStatus = z.infer<typeof AccountValidationStatus>;

export const AccountValidationFilter = z.enum([...ACCOUNT_VALIDATION_STATUSES, "failed"]);
export type AccountValidationFilter = z.infer<typeof AccountValidationFilter>;

/** VAL-52; distinguishes what could not be checked from what was rejected. */
export const VALIDATION_STATUSES = ["verified", "pending", ...FAILING_STATUSES, "never_validated"] as const;
export const ValidationStatus = z.enum(VALIDATION_STATUSES);
export type ValidationStatus = z.infer<typeof ValidationStatus>;

export const VALIDATION_STATUS_FILTERS = [
  "verified",
  "pending",
  "failed",
  ...FAILING_STATUSES,
  "never_validated",
] as const;
export const ValidationStatusFilter = z.enum(VALIDATION_STATUS_FILTERS);
export type ValidationStatusFilter = z.infer<typeof ValidationStatusFilter>;

/** The accounts page's name for each status. */
export const ACCOUNT_VALIDATION_OF = {
  verified: "valid",
  rejected: "invalid",
  unreachable: "unreachable",
  misconfigured: "misconfigured",
  pending: "pending",
  untested: "untested",
} as const satisfies Record<VerificationStatus, AccountValidationStatus>;

/** The validation screens' name for each status. */
export const VALIDATION_OF = {
  verified: "verified",
  rejected: "rejected",
  unreachable: "unreachable",
  misconfigured: "misconfigured",
  pending: "pending",
  untested: "never_validated",
} as const satisfies Record<VerificationStatus, ValidationStatus>;

/** The status of one attempt: unlike a secret, an attempt can be aborted. */
export const AttemptStatus = z.enum([...VALIDATION_STATUSES, "aborted"]);
export type AttemptStatus = z.infer<typeof AttemptStatus>;

export const AttemptStatusFilter = z.enum([...VALIDATION_STATUS_FILTERS, "aborted"]);
export type AttemptStatusFilter = z.infer<typeof AttemptStatusFilter>;

type AnyStatus = VerificationStatusFilter | AccountValidationStatus | ValidationStatus | "unknown" | "success";

const SYNONYMS = {
  valid: "verified",
  success: "verified",
  invalid: "rejected",
  never_validated: "untested",
  unknown: "untested",
} as const;

/** The status for any of the names; `failed` stays, because it does not give a reason. */
export function verificationStatusOf(word: AnyStatus): VerificationStatusFilter {
  return word in SYNONYMS ? SYNONYMS[word as keyof typeof SYNONYMS] : (word as VerificationStatusFilter);
}

/** The label on every screen. */
export const VERIFICATION_LABELS: Record<VerificationStatusFilter, string> = {
  verified: "Verified",
  rejected: "Rejected",
  unreachable: "Unreachable",
  misconfigured: "Misconfigured",
  failed: "Failed",
  pending: "Pending",
  untested: "Untested",
};

/** The tooltip of each label. */
export const VERIFICATION_MEANINGS: Record<VerificationStatusFilter, string> = {
  verified: "The last login on the target with the stored secret succeeded.",
  rejected: "The target answered and refused the login with the stored secret.",
  unreachable: "The target could not be reached, so it is not known whether the secret works.",
  misconfigured: "The stored settings do not allow a login, so it is not known whether the secret works.",
  failed: "The last verification failed: rejected, unreachable or misconfigured.",
  pending: "The first verification of this secret is scheduled or running.",
  untested: "Nothing has verified this secret, and no verification is scheduled.",
};

/**
 * Shown in place of `misconfigured` when a server presented a different host key than the pinned one: a possible
 * attack.
 */
export const HOST_KEY_CHANGED = {
  label: "Host key changed",
  meaning: "The server was reinstalled, or someone is intercepting the connection. Nothing was sent to it.",
} as const;

/** Shown for an attempt that Strongroom did not finish. */
export const ABORTED = {
  label: "Aborted",
  meaning: "Strongroom did not finish this check. The target and the secret are not the cause.",
} as const;

export const isFailing = (status: string): status is FailingStatus =>
  (FAILING_STATUSES as readonly string[]).includes(status);
