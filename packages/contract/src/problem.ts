// The reply of a failed call: RFC 9457 problem details, with the `message` and `errors` that the requirements name.
import { z } from "zod";
import { SafePermission } from "./safe-permissions.ts";

/**
 * For `safe.people-gain-access`: the people in a safe who would gain access to what is moved there. The call is
 * repeated with `confirmation` once a person has agreed; the confirmation is valid for exactly these people.
 */
export const PeopleGainingAccess = z.object({
  safe_name: z.string(),
  total: z.number().int(),
  /** The first 100, by name. */
  people: z.array(z.object({ name: z.string(), hint: z.string().nullable(), can: z.array(SafePermission) })),
  confirmation: z.string(),
});
export type PeopleGainingAccess = z.infer<typeof PeopleGainingAccess>;

export const Problem = z.object({
  /** `about:blank`: the status gives the kind, `code` the exact problem. */
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  /** Stable and machine-readable, such as `credential.not-found`. */
  code: z.string(),
  detail: z.string(),
  /** The same text as `detail`. */
  message: z.string(),
  request_id: z.string(),
  /** For validation: the path in the request, and the error there. */
  errors: z.array(z.object({ path: z.string(), msg: z.string() })).optional(),
  /** For 429: seconds to wait before the next attempt. */
  retry_after: z.number().int().optional(),
  people_gaining_access: PeopleGainingAccess.optional(),
});
export type Problem = z.infer<typeof Problem>;
