// The effect of a validation on the displayed account, and its toast (ACC-29, ACC-30, ACC-42, ACC-43).
import {
  AccountValidationStatus,
  VERIFICATION_LABELS,
  isFailing,
  verificationStatusOf,
  type Account,
  type ValidationResult,
} from "@strongroom/contract";
import { messageOf } from "#shared/api/call-error.ts";

export const VALIDATION_FAILED = "Failed to validate account credentials";

/** ACC-29. */
export const statusAfterValidation = (status: string): AccountValidationStatus =>
  AccountValidationStatus.safeParse(status).data ?? "untested";

/** ACC-43: the toast with the account's name, in the colour of its status. */
export function validatedNotice(
  name: string,
  result: Pick<ValidationResult, "outcome" | "validation_message" | "validation_status">,
) {
  if (result.outcome === "aborted")
    return { kind: "error", text: `${name} was not validated: ${result.validation_message}` } as const;
  const status = statusAfterValidation(result.validation_status);
  const known = verificationStatusOf(status);
  const text = `Validation completed for account ${name} with status: ${VERIFICATION_LABELS[known]}`;
  const kind = known === "verified" ? "success" : isFailing(known) ? "error" : "custom";
  return { kind, text } as const;
}

type Validated = Pick<Account, "last_validation_status" | "last_validated_at" | "validation_message">;

/**
 * ACC-30: marked immediately; the next load shows the server's status (OPEN-86). A failed call is not a rejection by the
 * target.
 */
export const afterFailedCall = (error: unknown, now: Date): Validated => ({
  last_validation_status: "unreachable",
  last_validated_at: now.toISOString(),
  validation_message: messageOf(error, VALIDATION_FAILED),
});
