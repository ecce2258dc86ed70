// The people who sign in, as an administrator sees them: users, role requests, pending resets, the sign-in policy.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, ROLES, Role, UserId, pageQuery } from "./fields.ts";

export const USER_STATUSES = ["active", "disabled"] as const;
export const User = z.object({
  id: UserId,
  email: z.string(),
  name: z.string(),
  role: Role,
  /** Asked for at sign-up and not decided yet. */
  requested_role: Role.nullable(),
  status: z.enum(USER_STATUSES),
  created_at: Moment,
  last_signed_in_at: Moment.nullable(),
  open_sessions: z.number().int(),
});
export type User = z.infer<typeof User>;

const byId = z.object({ id: UserId });

export const listUsers = endpoint({
  method: "GET",
  path: "/api/v1/users",
  summary: "Users, newest first",
  query: z.object({
    ...pageQuery(200, 50),
    search: z.string().max(100).optional(),
    /** Only those who wait for a decision on the role that they asked for. */
    has_role_request: z.stringbool().optional(),
  }),
  reply: z.object({ data: z.array(User), next_cursor: z.string().nullable() }),
  needs: "user.list",
  audit: "none",
});

export const changeUserRole = endpoint({
  method: "PUT",
  path: "/api/v1/users/:id/role",
  summary: "Give a user another role; their sessions end, because tokens carry the role",
  params: byId,
  body: z.strictObject({ role: Role }),
  reply: User,
  needs: "user.manage",
  audit: "user.role-changed",
  thing: "user",
});

export const setUserStatus = endpoint({
  method: "PUT",
  path: "/api/v1/users/:id/status",
  summary: "Disable or enable a user; disabling ends their sessions at once",
  params: byId,
  body: z.strictObject({ status: z.enum(USER_STATUSES) }),
  reply: User,
  needs: "user.manage",
  audit: "user.status-changed",
  thing: "user",
});

/** Refused while they own safes: those are given to somebody else first. */
export const deleteUser = endpoint({
  method: "DELETE",
  path: "/api/v1/users/:id",
  summary: "Delete a user: their vault is destroyed, what was lent to them ends, the audit trail stays",
  params: byId,
  reply: Message,
  needs: "user.manage",
  audit: "user.deleted",
  thing: "user",
});

export const endUserSessions = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/end-sessions",
  summary: "End every session of a user",
  params: byId,
  reply: Message,
  needs: "user.manage",
  audit: "user.sessions-ended",
  thing: "user",
});

export const decideRoleRequest = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/role-request",
  summary: "Approve or deny the role that a user asked for at sign-up",
  params: byId,
  body: z.strictObject({ decision: z.enum(["approve", "deny"]) }),
  reply: User,
  needs: "user.manage",
  audit: "user.role-request-decided",
  thing: "user",
});

export const PendingReset = z.object({
  user_id: UserId,
  email: z.string(),
  name: z.string(),
  requested_at: Moment,
  expires_at: Moment,
});
export type PendingReset = z.infer<typeof PendingReset>;

export const listPendingResets = endpoint({
  method: "GET",
  path: "/api/v1/users/pending-resets",
  summary: "Password resets that wait for an administrator, because no mail server is configured",
  reply: z.object({ data: z.array(PendingReset) }),
  needs: "user.manage",
  audit: "none",
});

export const issueResetLink = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/reset-link",
  summary: "Make the single-use reset link (30 minutes) that the administrator hands over",
  params: byId,
  reply: z.object({ link: z.string(), expires_at: Moment }),
  needs: "user.manage",
  audit: "password-reset.link-issued",
  thing: "user",
  repliesSecret: true,
});

/** CIDR notation: `10.0.0.0/8`, `2001:db8::/32`. */
const Network = z.union([z.cidrv4(), z.cidrv6()], "Write a network as 10.0.0.0/8 or 2001:db8::/32.");

export const SignInPolicy = z
  .strictObject({
    timeout_minutes: z.number().int().min(5).max(1440),
    warning_minutes: z.number().int().min(1).max(60),
    privileged_timeout_minutes: z.number().int().min(5).max(1440),
    /** The longest session without "Keep me signed in". */
    session_hours: z.number().int().min(1).max(12),
    /** The longest session with it. */
    remembered_days: z.number().int().min(1).max(30),
    sign_up_open: z.boolean(),
    /** Of passwords that are chosen from now on; never below `Password`. */
    password_min_length: z.number().int().min(8).max(128),
    /** Roles that sign in with a second factor only. */
    mfa_required_roles: z.array(z.enum(ROLES)).max(ROLES.length),
    /** How long a proof of who one is opens what asks for a fresh one. */
    step_up_minutes: z.number().int().min(5).max(480),
    /** From where people may sign in and call; empty: from anywhere. */
    allowed_networks: z.array(Network).max(100),
  })
  .refine((policy) => policy.warning_minutes < policy.timeout_minutes, {
    path: ["warning_minutes"],
    message: "The warning must come before the timeout.",
  });
export type SignInPolicy = z.infer<typeof SignInPolicy>;

export const readSignInPolicy = endpoint({
  method: "GET",
  path: "/api/v1/admin/sign-in-policy",
  summary: "The sign-in policy",
  reply: SignInPolicy,
  needs: "policy.read",
  audit: "none",
});

/** Refused when the caller's own address would be outside of `allowed_networks`. */
export const updateSignInPolicy = endpoint({
  method: "PUT",
  path: "/api/v1/admin/sign-in-policy",
  summary: "Change the sign-in policy",
  body: SignInPolicy,
  reply: SignInPolicy,
  needs: "policy.manage",
  audit: "policy.changed",
});
