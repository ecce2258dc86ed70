// Resetting the sign-in of an administrator: one administrator requests it, another one confirms.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, UserId, manyLines } from "./fields.ts";

export const AdminResetId = z.uuid().brand<"AdminResetId">();
export type AdminResetId = z.infer<typeof AdminResetId>;

/** `password`: a link that sets a new one. `factors`: all second factors are removed. */
export const ADMIN_RESET_KINDS = ["password", "factors"] as const;

const Party = z.object({ id: UserId, name: z.string() });

export const AdminReset = z.object({
  id: AdminResetId,
  kind: z.enum(ADMIN_RESET_KINDS),
  person: Party.extend({ email: z.string() }),
  reason: z.string(),
  requested_by: Party,
  requested_at: Moment,
  expires_at: Moment,
  /** Whether the caller can confirm the reset. */
  can_confirm: z.boolean(),
});
export type AdminReset = z.infer<typeof AdminReset>;

const path = "/api/v1/admin-resets";
const byId = z.object({ id: AdminResetId });

export const listAdminResets = endpoint({
  method: "GET",
  path,
  summary: "Open requests to reset an administrator's sign-in, and how many administrators there are",
  reply: z.object({ data: z.array(AdminReset), administrators: z.number().int() }),
  needs: "user.manage",
  sessionOnly: true,
  audit: "none",
});

export const requestAdminReset = endpoint({
  method: "POST",
  path,
  summary:
    "Request to reset an administrator's password or second factors; another administrator confirms within 24 hours",
  body: z.strictObject({
    user_id: UserId,
    kind: z.enum(ADMIN_RESET_KINDS),
    reason: manyLines().trim().min(1, "Please enter a reason.").max(500),
  }),
  reply: AdminReset,
  status: 201,
  needs: "user.manage",
  sessionOnly: true,
  stepUp: true,
  gives: "nothing",
  audit: "admin-reset.requested",
});

export const confirmAdminReset = endpoint({
  method: "POST",
  path: `${path}/:id/confirm`,
  summary: "Confirm another administrator's request; a password reset returns the single-use link (30 minutes)",
  params: byId,
  /** The link is null if second factors were removed. */
  reply: z.object({ link: z.string().nullable(), expires_at: Moment.nullable() }),
  needs: "user.manage",
  sessionOnly: true,
  stepUp: true,
  gives: "nothing",
  audit: "admin-reset.confirmed",
  thing: "admin-reset",
  repliesSecret: true,
});

/** Any administrator or the user being reset can call this: it only removes access. */
export const cancelAdminReset = endpoint({
  method: "DELETE",
  path: `${path}/:id`,
  summary: "Cancel an open request to reset an administrator's sign-in",
  params: byId,
  reply: Message,
  needs: "user.manage",
  sessionOnly: true,
  gives: "nothing",
  audit: "admin-reset.cancelled",
  thing: "admin-reset",
});
