// Account validation: log in to the target with the stored secret, and the results of earlier logins.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AccountId, Message, Moment, pageQuery } from "./fields.ts";
import { AccountValidationStatus } from "./verification-status.ts";
import { Outcome } from "./verification.ts";

const byId = z.object({ id: AccountId });

/** ACC-90. */
export const ValidationResult = z.object({
  success: z.boolean(),
  validation_status: AccountValidationStatus,
  validation_timestamp: Moment,
  validation_message: z.string(),
  outcome: Outcome,
});
export type ValidationResult = z.infer<typeof ValidationResult>;

export const validateAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/validate",
  summary: "Log in to the target with the stored secret and record the result",
  params: byId,
  reply: ValidationResult,
  needs: "account.use",
  scope: "account.verify",
  audit: "account.validated",
  gives: "nothing",
});

/** ACC-86 to ACC-89. */
export const ValidationHistoryEntry = z.object({
  id: z.uuid(),
  validation_status: z.enum(["success", "failed", "pending", "aborted"]),
  /** Null while the login is in progress. */
  outcome: Outcome.nullable(),
  validation_type: z.enum(["manual", "scheduled", "triggered"]),
  validated_at: Moment,
  validated_by: z.string(),
  error_message: z.string().nullable(),
  validation_details: z.object({
    /** Milliseconds. */
    response_time: z.number().int().nullable(),
    endpoint: z.string().nullable(),
    /** Whether the target was reached. */
    connection_test: z.boolean(),
    /** Whether the target accepted the secret. */
    credential_test: z.boolean(),
  }),
});
export type ValidationHistoryEntry = z.infer<typeof ValidationHistoryEntry>;

export const accountValidationHistory = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/validation-history",
  summary: "The validations of an account, newest first",
  params: byId,
  query: z.object(pageQuery(200, 50)),
  reply: z.object({ history: z.array(ValidationHistoryEntry), next_cursor: z.string().nullable() }),
  needs: "account.use",
  scope: "account.read",
  audit: "none",
});

export const acceptAccountHostKey = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/accept-host-key",
  summary: "Accept the changed host key that raised the alarm",
  params: byId,
  body: z.strictObject({ fingerprint: z.string().max(200) }),
  reply: Message,
  needs: "account.use",
  scope: "account.manage",
  audit: "account.host-key-accepted",
  gives: "secret",
  stepUp: true,
  givesByToken: "safe.share",
});
