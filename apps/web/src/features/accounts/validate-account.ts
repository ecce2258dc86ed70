// What a validation means for an account on screen, and what the person is told (ACC-29, ACC-30, ACC-42, ACC-43).
import type { Account, AccountValidationStatus } from "@strongroom/contract";
import { messageOf } from "#shared/api/call-error.ts";

export const VALIDATION_FAILED = "Failed to validate account credentials";

/** ACC-29. */
export function statusAfterValidation(status: string): AccountValidationStatus {
  return status === "valid" || status === "invalid" || status === "pending" ? status : "untested";
}

/** ACC-43. */
export const validatedText = (id: string, status: string): string =>
  `Validation completed for account ${id} with status: ${status}`;

type Validated = Pick<Account, "last_validation_status" | "last_validated_at" | "validation_message">;

/** ACC-30: marked here and now; the next load shows the server's word (OPEN-86). */
export const afterFailedCall = (error: unknown, now: Date): Validated => ({
  last_validation_status: "invalid",
  last_validated_at: now.toISOString(),
  validation_message: messageOf(error, VALIDATION_FAILED),
});
