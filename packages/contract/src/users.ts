// Users in the Admin Console: accounts, role requests, pending resets, the sign-in policy.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import {
  Domain,
  Email,
  Message,
  Moment,
  Network,
  PersonName,
  ROLES,
  Role,
  UserId,
  pageQuery,
  sortBy,
} from "./fields.ts";

/** `pending`: signed up, and is waiting for an administrator to activate the account. */
export const USER_STATUSES = ["pending", "active", "disabled"] as const;
export const User = z.object({
  id: UserId,
  email: z.string(),
  name: z.string(),
  role: Role,
  /** Requested at sign-up and not decided yet. */
  requested_role: Role.nullable(),
  status: z.enum(USER_STATUSES),
  created_at: Moment,
  last_signed_in_at: Moment.nullable(),
  /** True while an invitation is open: the user has not chosen a password yet. */
  invited_at: Moment.nullable(),
  /** Until when wrong passwords delay the user's sign-in; null without a delay. */
  slowed_down_until: Moment.nullable(),
  open_sessions: z.number().int(),
  /** The identity provider through which the user signs in; null when the user signs in with a Strongroom password. */
  signs_in_through: z.string().nullable(),
});
export type User = z.infer<typeof User>;

const byId = z.object({ id: UserId });

/** The fields of a user by which the list can be sorted. */
export const USER_SORT_FIELDS = ["name", "email", "role", "last_signed_in_at", "created_at"] as const;
export type UserSortField = (typeof USER_SORT_FIELDS)[number];

export const UserSort = sortBy(USER_SORT_FIELDS);
export type UserSort = z.infer<typeof UserSort>;

export const listUsers = endpoint({
  method: "GET",
  path: "/api/v1/users",
  summary: "Users, newest first unless sorted otherwise",
  query: z.object({
    ...pageQuery(200, 50),
    search: z.string().max(100).optional(),
    role: z.enum(ROLES).optional(),
    /** `invited`: those whose invitation is open. */
    status: z.enum([...USER_STATUSES, "invited"]).optional(),
    /** Only users whose requested role is waiting for a decision. */
    has_role_request: z.stringbool().optional(),
    sort: UserSort.optional(),
  }),
  reply: z.object({ data: z.array(User), next_cursor: z.string().nullable() }),
  needs: "user.list",
  audit: "none",
});

/** How an invitation is delivered: by the mail server, or handed over by the inviting administrator. */
export const INVITATION_WAYS = ["mail", "link"] as const;

export const Invitation = z.object({
  user: User,
  /** The single-use link to hand over; null when it is sent by email. */
  link: z.string().nullable(),
  expires_at: Moment,
});
export type Invitation = z.infer<typeof Invitation>;

export const inviteUser = endpoint({
  method: "POST",
  path: "/api/v1/users",
  summary: "Invite a person: a single-use link (7 days), mailed or handed over, sets their password",
  body: z.strictObject({
    email: Email,
    name: PersonName.optional(),
    role: z.enum(ROLES).default("user"),
    by: z.enum(INVITATION_WAYS).default("link"),
  }),
  reply: Invitation,
  status: 201,
  needs: "user.manage",
  audit: "user.invited",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
  repliesSecret: true,
});

export const inviteAgain = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/invitation",
  summary: "Replace an open invitation with a new one; the previous link stops working",
  params: byId,
  body: z.strictObject({ by: z.enum(INVITATION_WAYS).default("link") }),
  reply: Invitation,
  needs: "user.manage",
  audit: "user.invited",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
  thing: "user",
  repliesSecret: true,
});

export const unlockUser = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/unlock",
  summary: "Clear a user's sign-in delay after wrong passwords; delays of a whole network stay",
  params: byId,
  reply: User,
  needs: "user.manage",
  audit: "user.unlocked",
  gives: "nothing",
  thing: "user",
});

export const changeUserRole = endpoint({
  method: "PUT",
  path: "/api/v1/users/:id/role",
  summary: "Give a user another role; their sessions end, because tokens contain the role",
  params: byId,
  body: completeBody(z.strictObject({ role: Role })),
  reply: User,
  needs: "user.manage",
  audit: "user.role-changed",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
  thing: "user",
});

export const setUserStatus = endpoint({
  method: "PUT",
  path: "/api/v1/users/:id/status",
  summary: "Disable or enable a user; disabling ends their sessions immediately",
  params: byId,
  body: completeBody(z.strictObject({ status: z.enum(["active", "disabled"]) })),
  reply: User,
  needs: "user.manage",
  audit: "user.status-changed",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
  thing: "user",
});

/** A role request that the body does not mention stays open. */
export const activateUser = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/activate",
  summary: "Activate an account that signed up, and decide its role request",
  params: byId,
  body: z.strictObject({ role_request: z.enum(["approve", "deny"]).optional() }).default({}),
  reply: User,
  needs: "user.manage",
  audit: "user.activated",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
  thing: "user",
});

/** Accounts that are no longer pending are skipped. Role requests stay open. */
export const activateUsers = endpoint({
  method: "POST",
  path: "/api/v1/users/activate",
  summary: "Activate several accounts that signed up",
  body: z.strictObject({ user_ids: z.array(UserId).min(1).max(200) }),
  reply: z.object({ activated: z.array(UserId) }),
  needs: "user.manage",
  audit: "user.several-activated",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
});

/** Refused while they own safes: transfer those first. */
export const deleteUser = endpoint({
  method: "DELETE",
  path: "/api/v1/users/:id",
  summary: "Delete a user: their vault is destroyed, their grants end, the audit trail is kept",
  params: byId,
  reply: Message,
  needs: "user.manage",
  audit: "user.deleted",
  gives: "nothing",
  stepUp: true,
  thing: "user",
});

export const endUserSessions = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/end-sessions",
  summary: "End all sessions and revoke all API tokens of a user",
  params: byId,
  reply: Message,
  needs: "user.manage",
  audit: "user.sessions-ended",
  gives: "nothing",
  stepUp: true,
  thing: "user",
});

export const decideRoleRequest = endpoint({
  method: "POST",
  path: "/api/v1/users/:id/role-request",
  summary: "Approve or deny the role that a user requested at sign-up",
  params: byId,
  body: z.strictObject({ decision: z.enum(["approve", "deny"]) }),
  reply: User,
  needs: "user.manage",
  audit: "user.role-request-decided",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
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
  summary: "Create the single-use reset link (30 minutes) for the administrator to hand over",
  params: byId,
  reply: z.object({ link: z.string(), expires_at: Moment }),
  needs: "user.manage",
  audit: "password-reset.link-issued",
  gives: "right",
  stepUp: true,
  thing: "user",
  repliesSecret: true,
  sessionOnly: true,
});

/**
 * The rule for signing up. `closed`: only invited people. `domains`: addresses of `sign_up_domains`, after
 * activation. `activation`: everyone, after activation. `open`: everyone, immediately.
 */
export const SIGN_UP_RULES = ["closed", "domains", "activation", "open"] as const;
const signUp = {
  sign_up: z.enum(SIGN_UP_RULES),
  sign_up_domains: z.array(Domain).max(50),
};
const hasDomains = (rule: { sign_up: (typeof SIGN_UP_RULES)[number]; sign_up_domains: readonly string[] }) =>
  rule.sign_up !== "domains" || rule.sign_up_domains.length > 0;
const DOMAINS_MISSING = { path: ["sign_up_domains"], message: "Please enter at least one domain." };

/** The choice of the first administrator on the setup page. */
export const SignUpRule = z.strictObject(signUp).refine(hasDomains, DOMAINS_MISSING);
export type SignUpRule = z.infer<typeof SignUpRule>;

export const SignInPolicy = z
  .strictObject({
    timeout_minutes: z.number().int().min(5).max(1440),
    warning_minutes: z.number().int().min(1).max(60),
    privileged_timeout_minutes: z.number().int().min(5).max(1440),
    /** The longest session without "Keep me signed in". */
    session_hours: z.number().int().min(1).max(12),
    /** The longest session with "Keep me signed in". */
    remembered_days: z.number().int().min(1).max(30),
    ...signUp,
    /** The rule for new passwords. Never less strict than `Password`. */
    password_min_length: z.number().int().min(8).max(128),
    /** The same rule for managers and administrators; the stricter of the two applies to them. */
    privileged_password_min_length: z.number().int().min(8).max(128),
    /** Roles that must sign in with a second factor. */
    mfa_required_roles: z.array(z.enum(ROLES)).max(ROLES.length),
    /** The re-authentication interval: how long an authentication allows sensitive calls. */
    step_up_minutes: z.number().int().min(5).max(480),
    /** Networks from which users may sign in and call; empty allows any. */
    allowed_networks: z.array(Network).max(100),
    /** How long a vault stays closed after another person reset its owner's sign-in. */
    vault_wait_hours: z.number().int().min(24).max(720),
  })
  .refine((policy) => policy.warning_minutes < policy.timeout_minutes, {
    path: ["warning_minutes"],
    message: "The warning must come before the timeout.",
  })
  .refine(hasDomains, DOMAINS_MISSING);
export type SignInPolicy = z.infer<typeof SignInPolicy>;

export const readSignInPolicy = endpoint({
  method: "GET",
  path: "/api/v1/admin/sign-in-policy",
  summary: "The sign-in policy",
  reply: SignInPolicy,
  needs: "policy.read",
  audit: "none",
});

/** Refused when the caller's own address would be outside `allowed_networks`. */
export const updateSignInPolicy = endpoint({
  method: "PUT",
  path: "/api/v1/admin/sign-in-policy",
  summary: "Change the sign-in policy",
  body: completeBody(SignInPolicy),
  reply: SignInPolicy,
  needs: "policy.manage",
  audit: "policy.changed",
  gives: "right",
  stepUp: true,
  sessionOnly: true,
});
