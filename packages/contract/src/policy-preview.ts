// The effect of saving a sign-in policy: users who would need a second factor, be outside the networks, or be signed
// out.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Role, UserId } from "./fields.ts";
import { SignInPolicy } from "./users.ts";

/** The maximum number of users in each list; the counts cover everyone. */
export const MOST_POLICY_PEOPLE = 50;

const person = { user_id: UserId, name: z.string(), email: z.string(), role: Role };

/** A user without a second factor whose role would require one. */
export const PersonWithoutFactor = z.object({
  ...person,
  /** The user's provider reports a second factor: the user only has to sign in again. */
  has_provider_factor: z.boolean(),
  /** The user's open sessions, which will end. */
  sessions: z.number().int(),
  /** The user's API tokens, which will be suspended until the user has a second factor. */
  tokens: z.number().int(),
});
export type PersonWithoutFactor = z.infer<typeof PersonWithoutFactor>;

/** A user last seen outside the networks that would be allowed. */
export const PersonOutside = z.object({
  ...person,
  /** The user's addresses, three at most. For an IPv6 address that is not signed in now, the network. */
  addresses: z.array(z.string()),
  /** Open sessions that started at these addresses. */
  sessions: z.number().int(),
  /** API tokens that were last used at these addresses. */
  tokens: z.number().int(),
});
export type PersonOutside = z.infer<typeof PersonOutside>;

/** A user with sessions that are older, or have been idle longer, than the policy would allow. */
export const PersonEnding = z.object({ ...person, idle: z.number().int(), expired: z.number().int() });
export type PersonEnding = z.infer<typeof PersonEnding>;

/** Compared with the current policy: users already outside are not listed. Those with the most changes come first. */
export const PolicyPreview = z.object({
  /** The caller. */
  you: z.object({
    address: z.string(),
    /** The caller's address would be outside every network: saving is refused. */
    is_outside: z.boolean(),
    /** The caller's role would require a second factor, and the caller has none. */
    lacks_factor: z.boolean(),
    /** The caller's session would end. */
    is_signed_out: z.boolean(),
  }),
  without_factor: z.object({
    /** Excludes users whose provider reports a second factor. */
    people: z.number().int(),
    sessions: z.number().int(),
    tokens: z.number().int(),
    shown: z.array(PersonWithoutFactor).max(MOST_POLICY_PEOPLE),
  }),
  outside: z.object({
    people: z.number().int(),
    sessions: z.number().int(),
    tokens: z.number().int(),
    shown: z.array(PersonOutside).max(MOST_POLICY_PEOPLE),
  }),
  /** Sessions that would end because of the limits on inactivity and on the lifetime of sessions. */
  ending: z.object({
    people: z.number().int(),
    idle: z.number().int(),
    expired: z.number().int(),
    shown: z.array(PersonEnding).max(MOST_POLICY_PEOPLE),
  }),
  /** Open sessions whose authentication would be too old for calls that require re-authentication. */
  proofs_over: z.number().int(),
});
export type PolicyPreview = z.infer<typeof PolicyPreview>;

/** Changes nothing; the call is audited. */
export const previewSignInPolicy = endpoint({
  method: "POST",
  path: "/api/v1/admin/sign-in-policy/preview",
  summary:
    "People who would need a second factor, be outside the networks, or be signed out, if a sign-in policy were saved",
  body: SignInPolicy,
  reply: PolicyPreview,
  needs: "policy.manage",
  audit: "policy.previewed",
  gives: "nothing",
});
