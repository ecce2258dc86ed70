// What would change if a sign-in policy were saved: who would need a second factor, be outside, or be signed out.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Role, UserId } from "./fields.ts";
import { SignInPolicy } from "./users.ts";

/** How many people each list names at the most; the counts are of all. */
export const MOST_POLICY_PEOPLE = 50;

const person = { user_id: UserId, name: z.string(), email: z.string(), role: Role };

/** Somebody without a second factor here whose role has to have one from then on. */
export const PersonWithoutFactor = z.object({
  ...person,
  /** Their provider says that they have one: they only sign in once more. */
  has_provider_factor: z.boolean(),
  /** Open sessions of theirs, which end. */
  sessions: z.number().int(),
  /** API tokens of theirs, which rest until they have one. */
  tokens: z.number().int(),
});
export type PersonWithoutFactor = z.infer<typeof PersonWithoutFactor>;

/** Somebody who was last seen where nobody may come from any more. */
export const PersonOutside = z.object({
  ...person,
  /** From where: three at the most. Of an IPv6 address that is not signed in now, the network. */
  addresses: z.array(z.string()),
  /** Open sessions that were begun there. */
  sessions: z.number().int(),
  /** API tokens that were last used there. */
  tokens: z.number().int(),
});
export type PersonOutside = z.infer<typeof PersonOutside>;

/** Somebody whose sessions are older, or have been idle for longer, than they may then. */
export const PersonEnding = z.object({ ...person, idle: z.number().int(), expired: z.number().int() });
export type PersonEnding = z.infer<typeof PersonEnding>;

/** Each against the policy in force: who is outside already is not told of. Those for whom most changes come first. */
export const PolicyPreview = z.object({
  /** Whoever asks. */
  you: z.object({
    address: z.string(),
    /** Their address would be in none of the networks: saving is refused. */
    is_outside: z.boolean(),
    /** Their role would need a second factor, and they have none. */
    lacks_factor: z.boolean(),
    /** The session that asks would end. */
    is_signed_out: z.boolean(),
  }),
  without_factor: z.object({
    /** Those whose provider says that they have one are not among them. */
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
  /** By the limits on inactivity and on the life of sessions. */
  ending: z.object({
    people: z.number().int(),
    idle: z.number().int(),
    expired: z.number().int(),
    shown: z.array(PersonEnding).max(MOST_POLICY_PEOPLE),
  }),
  /** Open sessions whose proof of who it is would be too old for what asks for a fresh one. */
  proofs_over: z.number().int(),
});
export type PolicyPreview = z.infer<typeof PolicyPreview>;

/** Nothing is changed by it; who asks for what is on record. */
export const previewSignInPolicy = endpoint({
  method: "POST",
  path: "/api/v1/admin/sign-in-policy/preview",
  summary: "Who would need a second factor, be outside, or be signed out, if a sign-in policy were saved",
  body: SignInPolicy,
  reply: PolicyPreview,
  needs: "policy.manage",
  audit: "policy.previewed",
  gives: "nothing",
});
