// API tokens of users and of machine identities: scoped, expiring, shown once, revocable.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import {
  GroupId,
  Message,
  Moment,
  Network,
  Role,
  SafeId,
  TokenId,
  UserId,
  oneLine,
  optionalText,
  pageQuery,
} from "./fields.ts";
import { SCOPES_IN_SAFES, Scope, ScopeChoice, scopesIn } from "./token-scopes.ts";

export const USER_KINDS = ["person", "machine"] as const;
export const UserKind = z.enum(USER_KINDS);
export type UserKind = z.infer<typeof UserKind>;

/** The form of every token: a prefix recognised by secret scanners, 43 random characters, 6 of a checksum (CRC-32). */
export const TOKEN_PATTERN = /^srt_[0-9A-Za-z]{49}$/;

const TokenName = oneLine().min(1, "Give the token a name.").max(100);

/** A token in lists: never the token itself. */
export const ApiToken = z.object({
  id: TokenId,
  name: z.string(),
  /** The token's first characters, to identify a token that was found. */
  begins: z.string(),
  holder: z.object({ id: UserId, name: z.string(), kind: UserKind }),
  scopes: z.array(ScopeChoice),
  /** Null means everywhere that its owner has access. */
  safes: z.array(z.object({ id: SafeId, name: z.string() })).nullable(),
  /** Empty means from anywhere. */
  networks: z.array(z.string()),
  state: z.enum(["active", "expired", "revoked", "suspended"]),
  created_at: Moment,
  created_by: z.string(),
  expires_at: Moment,
  last_used_at: Moment.nullable(),
  last_used_from: z.string().nullable(),
});
export type ApiToken = z.infer<typeof ApiToken>;

export const NewToken = z
  .strictObject({
    name: TokenName,
    scopes: z.array(ScopeChoice).min(1, "Choose what the token can do.").max(100),
    /** Limited to objects in these safes; if omitted, everywhere that its owner has access. */
    safe_ids: z.array(SafeId).min(1, "Choose at least one safe.").max(100).optional(),
    networks: z.array(Network).max(50).default([]),
    expires_in_days: z.number().int().min(1).max(3650),
  })
  .refine(
    ({ scopes, safe_ids }) =>
      safe_ids === undefined || scopesIn(scopes).some((scope) => SCOPES_IN_SAFES.includes(scope)),
    { path: ["scopes"], message: "None of these scopes applies to a safe." },
  );
export type NewToken = z.infer<typeof NewToken>;

/** The only reply that ever contains the token. */
const MadeToken = z.object({ token: z.string(), details: ApiToken });

/** Tokens, and the scopes and safes that a new one of the same owner can have. */
const TokenList = z.object({
  data: z.array(ApiToken),
  choices: z.object({ scopes: z.array(Scope), most_days: z.number().int() }),
});
export type TokenList = z.infer<typeof TokenList>;

const tokensPath = "/api/v1/tokens";

export const listOwnTokens = endpoint({
  method: "GET",
  path: tokensPath,
  summary: "The caller's API tokens and those of machine identities that the caller is responsible for, newest first",
  reply: TokenList,
  needs: "token.use",
  audit: "none",
});

/** When called with a token: never more than that token's own permissions, and never for longer. */
export const createToken = endpoint({
  method: "POST",
  path: tokensPath,
  summary: "Create an API token that acts as the caller; it is shown only in this reply",
  body: NewToken,
  reply: MadeToken,
  status: 201,
  needs: "token.use",
  audit: "token.created",
  gives: "right",
  stepUp: true,
  givesByToken: "token.use",
  repliesSecret: true,
});

export const revokeToken = endpoint({
  method: "DELETE",
  path: `${tokensPath}/:id`,
  summary:
    "Revoke an API token: the caller's own, of a machine identity that the caller is responsible for, or, as an administrator, any",
  params: z.object({ id: TokenId }),
  reply: Message,
  needs: "token.use",
  audit: "token.revoked",
  gives: "nothing",
  thing: "token",
});

export const TokenPolicy = z.strictObject({
  /** The longest lifetime of a user's token. Tokens with a longer lifetime expire at this limit. */
  person_days: z.number().int().min(1).max(365),
  machine_days: z.number().int().min(1).max(3650),
});
export type TokenPolicy = z.infer<typeof TokenPolicy>;

export const readTokenPolicy = endpoint({
  method: "GET",
  path: "/api/v1/tokens/policy",
  summary: "The maximum lifetimes of API tokens",
  reply: TokenPolicy,
  needs: "token.use",
  audit: "none",
});

export const updateTokenPolicy = endpoint({
  method: "PUT",
  path: "/api/v1/tokens/policy",
  summary: "Change the maximum lifetimes of API tokens; longer ones are shortened",
  body: completeBody(TokenPolicy),
  reply: TokenPolicy,
  needs: "policy.manage",
  sessionOnly: true,
  audit: "token.policy-changed",
  gives: "right",
  stepUp: true,
});

/**
 * A user that acts only by tokens: it has a role, can be a member of safes, and a person or group is responsible for
 * it.
 */
export const MachineIdentity = z.object({
  id: UserId,
  name: z.string(),
  /** A placeholder for a user's address, which never receives email. */
  email: z.string(),
  description: z.string().nullable(),
  role: Role,
  status: z.enum(["active", "disabled"]),
  /** Null when the responsible group was deleted. */
  responsible: z.object({ user_id: UserId.nullable(), group_id: GroupId.nullable(), name: z.string() }).nullable(),
  created_at: Moment,
  active_tokens: z.number().int(),
  last_used_at: Moment.nullable(),
});
export type MachineIdentity = z.infer<typeof MachineIdentity>;

const ANSWERS = "Choose one responsible person or group.";
const machineFields = {
  name: oneLine().min(1, "Give it a name.").max(60),
  description: optionalText(500),
  responsible_user_id: UserId.optional(),
  responsible_group_id: GroupId.optional(),
};
const hasOneResponsible = (given: { responsible_user_id?: unknown; responsible_group_id?: unknown }) =>
  (given.responsible_user_id === undefined) !== (given.responsible_group_id === undefined);
const oneResponsible = { path: ["responsible_user_id"], message: ANSWERS };

const machines = "/api/v1/machine-identities";
const byId = z.object({ id: UserId });

export const listMachines = endpoint({
  method: "GET",
  path: machines,
  summary: "Machine identities, by name",
  query: z.object({ ...pageQuery(200, 50), search: z.string().max(100).optional() }),
  reply: z.object({ data: z.array(MachineIdentity), next_cursor: z.string().nullable() }),
  needs: "user.manage",
  audit: "none",
});

export const createMachine = endpoint({
  method: "POST",
  path: machines,
  summary: "Create a machine identity",
  body: z.strictObject({ ...machineFields, role: Role.default("user") }).refine(hasOneResponsible, oneResponsible),
  reply: MachineIdentity,
  status: 201,
  needs: "user.manage",
  audit: "machine-identity.created",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
});

/** Role, status and deletion are those of any user: see `users`. */
export const updateMachine = endpoint({
  method: "PUT",
  path: `${machines}/:id`,
  summary: "Rename or describe a machine identity, or change who is responsible for it",
  params: byId,
  body: completeBody(z.strictObject(machineFields).refine(hasOneResponsible, oneResponsible), {
    entity: MachineIdentity,
    fixed: ["id", "email", "role", "status", "created_at"],
    derive: ({ responsible }) => {
      const { user_id, group_id } = { ...(responsible as Partial<MachineIdentity["responsible"]>) };
      return { responsible_user_id: user_id ?? undefined, responsible_group_id: group_id ?? undefined };
    },
  }),
  reply: MachineIdentity,
  needs: "user.manage",
  audit: "machine-identity.updated",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
  thing: "user",
});

export const createMachineToken = endpoint({
  method: "POST",
  path: `${machines}/:id/tokens`,
  summary: "Create an API token for a machine identity; it is shown only in this reply",
  params: byId,
  body: NewToken,
  reply: MadeToken,
  status: 201,
  needs: "user.manage",
  audit: "token.created",
  gives: "right",
  stepUp: true,
  givesByToken: "user.manage",
  thing: "user",
  repliesSecret: true,
});

export const listTokensOf = endpoint({
  method: "GET",
  path: "/api/v1/users/:id/tokens",
  summary: "The API tokens of a person or a machine identity, newest first",
  params: byId,
  reply: TokenList,
  needs: "user.manage",
  audit: "none",
});
