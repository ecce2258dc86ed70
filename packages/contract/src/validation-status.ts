// Whether validation is at work now.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";

/** API-95: whether anything is being tried now, of what the caller may see. */
export const validationStatus = endpoint({
  method: "GET",
  path: "/api/v1/validation/status",
  summary: "Whether stored secrets are being tried now, when one was tried last, and when the next one is due",
  reply: z.object({
    status: z.enum(["idle", "running"]),
    /** Tried at this moment. */
    under_way: z.number().int(),
    last_attempt_at: Moment.nullable(),
    /** In the past: it is about to begin. Null: nothing is tried by itself. */
    next_attempt_at: Moment.nullable(),
  }),
  needs: "verification.read",
  audit: "none",
});
