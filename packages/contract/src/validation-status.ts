// Whether validation is running now.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";

/** API-95: whether any validation is running now, among the secrets that the caller can see. */
export const validationStatus = endpoint({
  method: "GET",
  path: "/api/v1/validation/status",
  summary: "Whether validations are running now, when the last one ran, and when the next one is due",
  reply: z.object({
    status: z.enum(["idle", "running"]),
    /** Running at this moment. */
    under_way: z.number().int(),
    last_attempt_at: Moment.nullable(),
    /** A time in the past means that it is about to start. Null when none is scheduled. */
    next_attempt_at: Moment.nullable(),
  }),
  needs: "verification.read",
  audit: "none",
});
