// What a failed call answers: RFC 9457 problem details, with the `message` and `errors` that the requirements name.
import { z } from "zod";
import { SafePermission } from "./safe-permissions.ts";

/**
 * For `safe.people-gain-access`: the people in a safe who would gain access to what is moved there. The call is sent again with
 * `confirmation` once a person has agreed; it is good for exactly these people.
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
  /** `about:blank`: the status says the kind, `code` says which. */
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  /** Stable and machine-readable, such as `credential.not-found`. */
  code: z.string(),
  detail: z.string(),
  /** The same text as `detail`. */
  message: z.string(),
  request_id: z.string(),
  /** For validation: where in the request, and what is wrong there. */
  errors: z.array(z.object({ path: z.string(), msg: z.string() })).optional(),
  /** For 429: seconds until another try makes sense. */
  retry_after: z.number().int().optional(),
  people_gaining_access: PeopleGainingAccess.optional(),
});
export type Problem = z.infer<typeof Problem>;
