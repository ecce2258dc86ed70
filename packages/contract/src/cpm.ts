// The credential manager's status: how many secrets are known to work, and which need attention.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";
import { FAILING_STATUSES } from "./verification-status.ts";
import { RunId } from "./verification.ts";

export const CpmStatus = z.object({
  status: z.enum(["healthy", "warning", "failed"]),
  verifiedCredentials: z.number().int(),
  totalCredentials: z.number().int(),
  /** Rejected, unreachable and misconfigured together. */
  failedCredentials: z.number().int(),
  rejectedCredentials: z.number().int(),
  unreachableCredentials: z.number().int(),
  misconfiguredCredentials: z.number().int(),
  pendingCredentials: z.number().int(),
  untestedCredentials: z.number().int(),
  activeJobs: z.number().int(),
  /** Seconds since this server process started. */
  systemUptime: z.number().int(),
  lastVerificationRun: Moment.nullable(),
  nextScheduledRun: Moment.nullable(),
});
export type CpmStatus = z.infer<typeof CpmStatus>;

export const readCpmStatus = endpoint({
  method: "GET",
  path: "/api/v1/cpm/status",
  summary: "The verification status of the secrets that the caller can see",
  reply: CpmStatus,
  needs: "cpm.read",
  audit: "none",
});

export const AttentionItem = z.object({
  id: z.uuid(),
  /** True for `/accounts/:id`, false for `/vault/:id`. */
  is_account: z.boolean(),
  name: z.string(),
  severity: z.enum(["high", "medium", "low"]),
  /** Null when a rotation is waiting for a decision. */
  status: z.enum(FAILING_STATUSES).nullable(),
  reason: z.string(),
  lastAttempt: Moment.nullable(),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

export const listAttention = endpoint({
  method: "GET",
  path: "/api/v1/cpm/credentials/attention",
  summary: "Secrets whose last verification failed or whose rotation needs attention, most severe first",
  /** CPM-07: `total` counts all; the 1,000 most severe are returned. */
  reply: z.object({ credentials: z.array(AttentionItem), total: z.number().int() }),
  needs: "cpm.read",
  audit: "none",
});

export const runCpmVerification = endpoint({
  method: "POST",
  path: "/api/v1/cpm/verify",
  summary: "Verify everything that the caller can use (the same as verify-all)",
  reply: z.object({ run_id: RunId, queued: z.number().int(), message: z.string() }),
  status: 202,
  needs: "credential.verify",
  audit: "verification.run-started",
  gives: "nothing",
});
