// Access control: who has which role and where, what each can do and through what, and what would change if.
import { z } from "zod";
import { AccountStatus, SystemType } from "./account-types.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, GroupId, Moment, PlatformId, Role, SafeId, SafeMemberId, UserId, pageQuery } from "./fields.ts";
import { GroupKind } from "./groups.ts";
import { SafePermission } from "./safe-permissions.ts";
import { AccessLevel, NewSafeMember, SafeMemberEdit, SafeStatus } from "./safes.ts";

/** Counted over the safes that the caller manages or audits; an administrator's are all. */
export const AccessPerson = z.object({
  user_id: UserId,
  name: z.string(),
  email: z.string(),
  role: Role,
  /** A machine identity acts by its tokens alone. */
  kind: z.enum(["person", "machine"]),
  /** Who is disabled can do nothing, so everything below is 0 for them. */
  status: z.enum(["active", "disabled"]),
  safes: z.number().int(),
  /** Without a further approval, now. */
  accounts_usable: z.number().int(),
  accounts_retrievable: z.number().int(),
  /** What is lent to them now. */
  grants: z.number().int(),
  groups: z.number().int(),
  may_break_glass: z.boolean(),
});
export type AccessPerson = z.infer<typeof AccessPerson>;

const search = z.string().trim().max(100).optional();

export const listAccessPeople = endpoint({
  method: "GET",
  path: "/api/v1/access-control/people",
  summary: "People with their role and how much they can do now, by name",
  query: z.object({ ...pageQuery(100, 25), search, role: Role.optional() }),
  reply: z.object({ people: z.array(AccessPerson), next_cursor: z.string().nullable() }),
  needs: "access.read",
  audit: "none",
});

const byPerson = z.object({ id: UserId });

export const AccessGroup = z.object({
  group_id: GroupId,
  name: z.string(),
  kind: GroupKind,
  may_break_glass: z.boolean(),
});

export const readAccessPerson = endpoint({
  method: "GET",
  path: "/api/v1/access-control/people/:id",
  summary: "One person, with the groups that they are in",
  params: byPerson,
  /** At most 100 groups. */
  reply: AccessPerson.extend({ in_groups: z.array(AccessGroup) }),
  needs: "access.read",
  audit: "none",
});

/** Through what somebody can do something in a safe. */
export const StandingPath = z.object({
  kind: z.enum(["member", "group", "access-level", "role"]),
  /** The role in the safe, the group's name, the safe's access level, or the person's role. */
  through: z.string(),
  permissions: z.array(SafePermission),
  expires_at: Moment.nullable(),
});
export type StandingPath = z.infer<typeof StandingPath>;

export const PersonSafe = z.object({
  safe_id: SafeId,
  name: z.string(),
  status: SafeStatus,
  access_level: AccessLevel,
  /** Empty where they only have what is lent to them. */
  permissions: z.array(SafePermission),
  paths: z.array(StandingPath),
  /** Accounts here that they see. */
  accounts: z.number().int(),
  accounts_usable: z.number().int(),
  accounts_retrievable: z.number().int(),
  grants: z.number().int(),
});
export type PersonSafe = z.infer<typeof PersonSafe>;

export const listPersonSafes = endpoint({
  method: "GET",
  path: "/api/v1/access-control/people/:id/safes",
  summary: "Every safe where a person can do something now, and through what, by name",
  params: byPerson,
  query: z.object({ ...pageQuery(100, 25), search }),
  reply: z.object({ safes: z.array(PersonSafe), next_cursor: z.string().nullable() }),
  needs: "access.read",
  audit: "none",
});

export const PersonAccount = z.object({
  account_id: AccountId,
  name: z.string(),
  hostname: z.string(),
  username: z.string(),
  system_type: SystemType,
  platform_name: z.string(),
  status: AccountStatus,
  /** What they can do with it now; `use` and `retrieve` without a further approval. */
  permissions: z.array(SafePermission),
  /** They could use or retrieve it after an approval. */
  needs_approval: z.boolean(),
  /** It is lent to them until then. */
  granted_until: Moment.nullable(),
});
export type PersonAccount = z.infer<typeof PersonAccount>;

export const listPersonAccounts = endpoint({
  method: "GET",
  path: "/api/v1/access-control/people/:id/accounts",
  summary: "What a person can do with each account of a safe now, newest first",
  params: byPerson,
  query: z.object({ ...pageQuery(100, 25), safe_id: SafeId, search }),
  reply: z.object({ accounts: z.array(PersonAccount), next_cursor: z.string().nullable() }),
  needs: "access.read",
  audit: "none",
});

export const AccessSafe = z.object({
  safe_id: SafeId,
  name: z.string(),
  status: SafeStatus,
  access_level: AccessLevel,
  owner_name: z.string(),
  /** People with a membership in force, their own or a group's. */
  people: z.number().int(),
  accounts: z.number().int(),
  /** Accounts of it that are lent to somebody now. */
  grants: z.number().int(),
  /** When a review that covered it was closed last. */
  reviewed_at: Moment.nullable(),
});
export type AccessSafe = z.infer<typeof AccessSafe>;

/** Who can use or retrieve something there is at `/safes/:id/access`, and for one account at `/accounts/:id/access`. */
export const listAccessSafes = endpoint({
  method: "GET",
  path: "/api/v1/access-control/safes",
  summary: "The safes that the caller manages or audits, with how many have access, by name",
  query: z.object({ ...pageQuery(100, 25), search }),
  reply: z.object({ safes: z.array(AccessSafe), next_cursor: z.string().nullable() }),
  needs: "access.read",
  audit: "none",
});

const approvals = z.int().min(0).max(10);

/** A change that is not made. What each needs is what the change itself needs. */
export const AccessChange = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("member-added"), safe_id: SafeId, member: NewSafeMember }),
  z.strictObject({
    kind: z.literal("member-updated"),
    safe_id: SafeId,
    member_id: SafeMemberId,
    member: SafeMemberEdit,
  }),
  z.strictObject({ kind: z.literal("member-removed"), safe_id: SafeId, member_id: SafeMemberId }),
  z.strictObject({ kind: z.literal("group-member-added"), group_id: GroupId, user_id: UserId }),
  z.strictObject({ kind: z.literal("group-member-removed"), group_id: GroupId, user_id: UserId }),
  z.strictObject({ kind: z.literal("group-deleted"), group_id: GroupId }),
  z.strictObject({ kind: z.literal("group-kind-changed"), group_id: GroupId, group_kind: GroupKind }),
  /** What is left out stays as it is. */
  z.strictObject({
    kind: z.literal("safe-changed"),
    safe_id: SafeId,
    access_level: AccessLevel.optional(),
    status: SafeStatus.optional(),
  }),
  z.strictObject({ kind: z.literal("role-changed"), user_id: UserId, role: Role }),
  z.strictObject({ kind: z.literal("person-disabled"), user_id: UserId }),
  z.strictObject({
    kind: z.literal("platform-approvals"),
    platform_id: PlatformId,
    approvals_level_1: approvals,
    approvals_level_2: approvals,
  }),
]);
export type AccessChange = z.infer<typeof AccessChange>;

/** On how many accounts, and in how many safes, somebody gains and loses one permission. */
export const PermissionChange = z.object({
  permission: SafePermission,
  accounts_gained: z.number().int(),
  accounts_lost: z.number().int(),
  /** Of those that are lost: how many they could still have after an approval. */
  accounts_askable: z.number().int(),
  safes_gained: z.number().int(),
  safes_lost: z.number().int(),
});
export type PermissionChange = z.infer<typeof PermissionChange>;

export const PersonChange = z.object({
  user_id: UserId,
  name: z.string(),
  email: z.string(),
  changes: z.array(PermissionChange),
  /** What is lent to them now and would end. */
  grants_lost: z.number().int(),
});
export type PersonChange = z.infer<typeof PersonChange>;

export const AccessPreview = z.object({
  people_gaining: z.number().int(),
  people_losing: z.number().int(),
  /** Accounts on which somebody gains or loses something. */
  accounts: z.number().int(),
  /** At most 100, those first for whom most changes. */
  people: z.array(PersonChange),
});
export type AccessPreview = z.infer<typeof AccessPreview>;

/** Who asks is on record; nothing is changed, not even for a moment that others could see. */
export const previewAccessChange = endpoint({
  method: "POST",
  path: "/api/v1/access-control/preview",
  summary: "Who would gain or lose what, and on how many accounts, if a change were made",
  body: z.strictObject({ change: AccessChange }),
  reply: AccessPreview,
  needs: "access.preview",
  audit: "access-control.previewed",
  gives: "nothing",
});
