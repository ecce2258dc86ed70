// Sign-in and sign-up, sessions, and the reset of a forgotten password.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import { Email, Message, Moment, Password, Role, SessionId, TokenId, UserId, PersonName } from "./fields.ts";
import { SignedIn } from "./second-step.ts";
import { SignUpRule } from "./users.ts";

/** The content of the sign-in token (AUTH-23). `exp` and `iat` are seconds since 1970. */
export const TokenPayload = z.object({
  id: UserId,
  email: z.string(),
  role: Role,
  name: z.string().optional(),
  exp: z.number(),
  iat: z.number(),
  /** The server-side session of the token. */
  sid: SessionId,
});
export type TokenPayload = z.infer<typeof TokenPayload>;

export const login = endpoint({
  method: "POST",
  path: "/api/v1/auth/login",
  summary: "Sign in with email and password",
  body: z.strictObject({
    email: z.string().trim().toLowerCase().min(1).max(254),
    password: z.string().min(1).max(256),
    /** "Keep me signed in": a longer session. */
    remember_me: z.boolean().default(false),
  }),
  reply: SignedIn,
  needs: "public",
  audit: "session.started",
  gives: "nothing",
});

export const RegistrationCode = z.enum([
  "account.created",
  "account.created-role-requested",
  "account.created-as-admin",
]);

export const register = endpoint({
  method: "POST",
  path: "/api/v1/auth/register",
  summary: "Create a user account",
  body: z.strictObject({
    email: Email,
    password: Password,
    role: z.string().trim().toLowerCase().pipe(Role).default("user"),
    name: PersonName.optional(),
    /** Required for the very first account, which becomes the administrator. */
    setup_token: z.string().max(200).optional(),
    /** The sign-up rule for other users: only together with `setup_token`, from the first administrator. */
    sign_up: SignUpRule.optional(),
  }),
  reply: z.object({ message: z.string(), code: RegistrationCode }),
  status: 201,
  needs: "public",
  audit: "user.registered",
  gives: "nothing",
});

export const logout = endpoint({
  method: "POST",
  path: "/api/v1/auth/logout",
  summary: "End this session",
  reply: Message.extend({
    /** The OpenID Connect provider that may still know the person in this browser; see `signOutOfProvider`. */
    provider: z.object({ id: z.string(), name: z.string() }).nullable(),
  }),
  needs: "signed-in",
  audit: "session.ended",
  gives: "nothing",
  whilePending: true,
});

export const requestPasswordReset = endpoint({
  method: "POST",
  path: "/api/v1/auth/reset-password",
  summary: "Request a password reset link; the answer is the same for known and unknown addresses",
  body: z.strictObject({ email: z.string().trim().toLowerCase().min(1).max(254) }),
  reply: Message,
  needs: "public",
  audit: "password-reset.requested",
  gives: "nothing",
});

export const completePasswordReset = endpoint({
  method: "POST",
  path: "/api/v1/auth/reset-password/complete",
  summary: "Set a new password with the single-use token of a reset link",
  body: z.strictObject({ token: z.string().min(20).max(200), password: Password }),
  reply: Message,
  needs: "public",
  audit: "password-reset.completed",
  gives: "nothing",
});

export const changePassword = endpoint({
  method: "POST",
  path: "/api/v1/auth/change-password",
  summary:
    "Change the caller's password; all other sessions and the SSH keys end, and all API tokens except the listed ones",
  body: z.strictObject({
    current_password: z.string().min(1).max(256),
    new_password: Password,
    /** The API tokens that keep working. */
    keep_tokens: z.array(TokenId).max(50).default([]),
    /** Whether the SSH keys keep working. */
    keep_ssh_keys: z.boolean().default(false),
  }),
  reply: Message,
  needs: "signed-in",
  audit: "user.password-changed",
  gives: "nothing",
  whilePending: true,
});

/** The facts that the sign-in page needs before a sign-in. */
export const entrance = endpoint({
  method: "GET",
  path: "/api/v1/auth/entrance",
  summary: "Whether the first administrator has to be created, and whether sign-up is open",
  reply: z.object({ needs_setup: z.boolean(), sign_up_open: z.boolean(), mail_configured: z.boolean() }),
  needs: "public",
  audit: "none",
});

export const SessionLimits = z.object({
  /** Minutes without activity until the server ends a session. */
  timeout_minutes: z.number().int(),
  /** Minutes before that at which the dialog appears. */
  warning_minutes: z.number().int(),
  /** A stricter limit for admins and managers, in minutes; the tighter one applies. */
  privileged_timeout_minutes: z.number().int(),
});
export type SessionLimits = z.infer<typeof SessionLimits>;

export const currentSession = endpoint({
  method: "GET",
  path: "/api/v1/auth/session",
  summary: "The signed-in user, and the inactivity limits that apply",
  reply: z.object({
    user: z.object({ id: UserId, email: z.string(), name: z.string(), role: Role }),
    /** The account is waiting for activation: only calls that are open to pending users work. */
    is_pending: z.boolean(),
    session_id: SessionId,
    expires_at: Moment,
    limits: SessionLimits,
  }),
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

/** The browser reports the user's activity; background calls do not count. */
export const reportActivity = endpoint({
  method: "POST",
  path: "/api/v1/auth/activity",
  summary: "Report activity of the signed-in user",
  reply: z.object({ idle_until: Moment }),
  needs: "signed-in",
  audit: "none",
  gives: "nothing",
  whilePending: true,
});

export const UserSession = z.object({
  id: SessionId,
  created_at: Moment,
  last_active_at: Moment,
  expires_at: Moment,
  ip: z.string().nullable(),
  agent: z.string().nullable(),
  is_current: z.boolean(),
});
export type UserSession = z.infer<typeof UserSession>;

export const listOwnSessions = endpoint({
  method: "GET",
  path: "/api/v1/auth/sessions",
  summary: "The caller's open sessions",
  reply: z.object({ data: z.array(UserSession) }),
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

export const endOwnSession = endpoint({
  method: "DELETE",
  path: "/api/v1/auth/sessions/:id",
  summary: "End one of the caller's sessions",
  params: z.object({ id: SessionId }),
  reply: Message,
  needs: "signed-in",
  audit: "session.ended",
  gives: "nothing",
  whilePending: true,
});

export const endOtherSessions = endpoint({
  method: "DELETE",
  path: "/api/v1/auth/sessions",
  summary: "End all of the caller's other sessions, and all API tokens",
  reply: Message,
  needs: "signed-in",
  audit: "session.others-ended",
  gives: "nothing",
  whilePending: true,
});

export const SIGN_IN_METHODS = ["password", "passkey", "oidc", "ldap", "ssh-key"] as const;

export const OwnProfile = z.object({
  id: UserId,
  email: z.string(),
  name: z.string(),
  role: Role,
  created_at: Moment,
  /** How this session started. */
  signed_in_by: z.enum(SIGN_IN_METHODS),
  /** False when an identity provider has the password, or a passkey replaces it. */
  has_password: z.boolean(),
});
export type OwnProfile = z.infer<typeof OwnProfile>;

export const readOwnProfile = endpoint({
  method: "GET",
  path: "/api/v1/auth/profile",
  summary: "The caller's profile, and how the caller signed in",
  reply: OwnProfile,
  needs: "signed-in",
  audit: "none",
  whilePending: true,
});

/** The sign-in token contains the name (AUTH-23), so the session gets a new token, which expires with the old one. */
export const renameOneself = endpoint({
  method: "PUT",
  path: "/api/v1/auth/profile",
  summary: "Change the caller's name",
  body: completeBody(z.strictObject({ name: PersonName })),
  reply: z.object({ token: z.string() }),
  needs: "signed-in",
  audit: "user.renamed",
  gives: "nothing",
  whilePending: true,
});
