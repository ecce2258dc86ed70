// The credential manager's own state: how many secrets are known to work, and which need a person.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";
import { RunId } from "./verification.ts";

export const CpmStatus = z.object({
  status: z.enum(["healthy", "warning", "failed"]),
  verifiedCredentials: z.number().int(),
  totalCredentials: z.number().int(),
  failedCredentials: z.number().int(),
  pendingCredentials: z.number().int(),
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
  summary: "The state of verification over what the caller may see",
  reply: CpmStatus,
  needs: "cpm.read",
  audit: "none",
});

export const AttentionItem = z.object({
  id: z.uuid(),
  /** True: `/accounts/:id`; false: `/vault/:id`. */
  is_account: z.boolean(),
  name: z.string(),
  severity: z.enum(["high", "medium", "low"]),
  reason: z.string(),
  lastAttempt: Moment.nullable(),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

export const listAttention = endpoint({
  method: "GET",
  path: "/api/v1/cpm/credentials/attention",
  summary: "Secrets whose last verification failed or whose rotation waits for a person, worst first",
  /** CPM-07: `total` counts all, of which the worst thousand come. */
  reply: z.object({ credentials: z.array(AttentionItem), total: z.number().int() }),
  needs: "cpm.read",
  audit: "none",
});

export const runCpmVerification = endpoint({
  method: "POST",
  path: "/api/v1/cpm/verify",
  summary: "Verify everything that the caller may use (the same as verify-all)",
  reply: z.object({ run_id: RunId, queued: z.number().int(), message: z.string() }),
  status: 202,
  needs: "credential.verify",
  audit: "verification.run-started",
  gives: "nothing",
});
