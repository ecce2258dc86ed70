// Verification: whether a stored secret still works on its target. One credential, several, or all that the caller can
// use.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { CredentialId, Moment } from "./fields.ts";
import { VerificationStatus } from "./verification-status.ts";

/**
 * The outcome of an attempt. Only `rejected` means that the secret is wrong; the others say why that is unknown.
 * `aborted`: Strongroom did not finish the attempt (an internal error, a restart, a sealed vault), which says nothing
 * about the target.
 */
export const OUTCOMES = ["verified", "rejected", "unreachable", "misconfigured", "unsupported", "aborted"] as const;
export const Outcome = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof Outcome>;

/** The values that the vault's screens read (API-13), derived from the outcome. */
export const VerifyReply = z.object({
  success: z.boolean(),
  message: z.string(),
  error: z.string().nullable(),
  data: z.object({
    success: z.boolean(),
    outcome: Outcome,
    /**
     * More specific than the outcome, such as `wrong-password`, `account-locked`, `host-key-changed`, `tls-failure`.
     */
    code: z.string().nullable(),
    message: z.string(),
    error: z.string().nullable(),
    verification_status: VerificationStatus,
    verified_at: Moment.nullable(),
    attempted_at: Moment,
    duration_ms: z.number().int(),
  }),
});
export type VerifyReply = z.infer<typeof VerifyReply>;

const byId = z.object({ id: CredentialId });

export const verifyCredential = endpoint({
  method: "POST",
  path: "/api/v1/credentials/:id/verify",
  summary: "Log in to the target with the stored secret and record the result",
  params: byId,
  reply: VerifyReply,
  needs: "credential.verify",
  audit: "credential.verified",
  gives: "nothing",
});

/** The pinned host key is deleted, so that the next verification trusts and pins the key that it meets. */
export const acceptHostKey = endpoint({
  method: "POST",
  path: "/api/v1/credentials/:id/accept-host-key",
  summary: "Accept the changed host key that raised the alarm",
  params: byId,
  /** The exact key of the alarm: a different key that the target has presented since is not accepted. */
  body: z.strictObject({ fingerprint: z.string().max(200) }),
  reply: z.object({ message: z.string() }),
  needs: "credential.update",
  audit: "credential.host-key-accepted",
  gives: "secret",
  stepUp: true,
  givesByToken: "credential.reveal",
});

export const RunId = z.uuid().brand<"RunId">();
export type RunId = z.infer<typeof RunId>;

const Started = z.object({ run_id: RunId, queued: z.number().int(), message: z.string() });

export const verifyMultiple = endpoint({
  method: "POST",
  path: "/api/v1/credentials/verify-multiple",
  summary: "Verify several credentials in the background",
  body: z.strictObject({ credential_ids: z.array(CredentialId).min(1).max(1000) }),
  reply: Started,
  status: 202,
  needs: "credential.verify",
  audit: "verification.run-started",
  gives: "nothing",
});

export const verifyAll = endpoint({
  method: "POST",
  path: "/api/v1/credentials/verify-all",
  summary: "Verify every credential that the caller can use, in the background",
  reply: Started,
  status: 202,
  needs: "credential.verify",
  audit: "verification.run-started",
  gives: "nothing",
});

export const VerificationRun = z.object({
  id: RunId,
  status: z.enum(["running", "completed", "cancelled"]),
  total: z.number().int(),
  done: z.number().int(),
  verified: z.number().int(),
  failed: z.number().int(),
  started_at: Moment,
  completed_at: Moment.nullable(),
});
export type VerificationRun = z.infer<typeof VerificationRun>;

export const readVerificationRun = endpoint({
  method: "GET",
  path: "/api/v1/verification/runs/:id",
  summary: "The progress of one of the caller's verification runs",
  params: z.object({ id: RunId }),
  reply: VerificationRun,
  needs: "verification.read",
  audit: "none",
});

export const cancelVerificationRun = endpoint({
  method: "POST",
  path: "/api/v1/verification/runs/:id/cancel",
  summary: "Stop one of the caller's verification runs: verifications in progress finish, the rest do not start",
  params: z.object({ id: RunId }),
  reply: VerificationRun,
  needs: "credential.verify",
  audit: "verification.run-cancelled",
  gives: "nothing",
});
