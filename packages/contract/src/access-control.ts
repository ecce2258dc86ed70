// Access control: each user's roles, effective permissions and their sources, and the effect of a change.
import { z } from "zod";
import { AccountStatus, SystemType } from "./account-types.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, GroupId, Moment, PlatformId, Role, SafeId, SafeMemberId, UserId, pageQuery } from "./fields.ts";
import { GroupKind } from "./groups.ts";
import { SafePermission } from "./safe-permissions.ts";
import { AccessLevel, NewSafeMember, SafeMemberEdit, SafeStatus } from "./safes.ts";

/** The counts cover the safes that the caller manages or audits; for an administrator, all safes. */
export const AccessPerson = z.object({
  user_id: UserId,
  name: z.string(),
  email: z.string(),
  role: Role,
  /** A machine identity uses only API tokens. */
  kind: z.enum(["person", "machine"]),
  /** A disabled user has no permissions: every count below is 0. */
  status: z.enum(["active", "disabled"]),
  safes: z.number().int(),
  /** Usable now, without another approval. */
  accounts_usable: z.number().int(),
  accounts_retrievable: z.number().int(),
  /** Active grants. */
  grants: z.number().int(),
  groups: z.number().int(),
  may_break_glass: z.boolean(),
});
export type AccessPerson = z.infer<typeof AccessPerson>;

const search = z.string().trim().max(100).optional();

export const listAccessPeople = endpoint({
  method: "GET",
  path: "/api/v1/access-control/people",
  summary: "People with their role and the number of objects they can use now, by name",
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
  summary: "One person, with the person's groups",
  params: byPerson,
  /** At most 100 groups. */
  reply: AccessPerson.extend({ in_groups: z.array(AccessGroup) }),
  needs: "access.read",
  audit: "none",
});

/** One source of a user's permissions in a safe. */
export const StandingPath = z.object({
  kind: z.enum(["member", "group", "access-level", "role"]),
  /** The role in the safe, the group's name, the safe's access level, or the user's role. */
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
  /** Empty if the user has only grants in the safe. */
  permissions: z.array(SafePermission),
  paths: z.array(StandingPath),
  /** Accounts in the safe that the user can see. */
  accounts: z.number().int(),
  accounts_usable: z.number().int(),
  accounts_retrievable: z.number().int(),
  grants: z.number().int(),
});
export type PersonSafe = z.infer<typeof PersonSafe>;

export const listPersonSafes = endpoint({
  method: "GET",
  path: "/api/v1/access-control/people/:id/safes",
  summary: "Every safe where a person has permissions now, and their source, by name",
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
  /** The user's permissions on the account now; `use` and `retrieve` without another approval. */
  permissions: z.array(SafePermission),
  /** The user could use or retrieve the account after approval. */
  needs_approval: z.boolean(),
  /** The end of the user's grant. */
  granted_until: Moment.nullable(),
});
export type PersonAccount = z.infer<typeof PersonAccount>;

export const listPersonAccounts = endpoint({
  method: "GET",
  path: "/api/v1/access-control/people/:id/accounts",
  summary: "A person's permissions on each account of a safe now, newest first",
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
  /** Users with a current membership, direct or through a group. */
  people: z.number().int(),
  accounts: z.number().int(),
  /** Active grants on the safe's accounts. */
  grants: z.number().int(),
  /** When a review that covered the safe was last closed. */
  reviewed_at: Moment.nullable(),
});
export type AccessSafe = z.infer<typeof AccessSafe>;

/**
 * `/safes/:id/access` lists the users who can use or retrieve something in the safe, `/accounts/:id/access` those of
 * one account.
 */
export const listAccessSafes = endpoint({
  method: "GET",
  path: "/api/v1/access-control/safes",
  summary: "The safes that the caller manages or audits, with the number of people who have access, by name",
  query: z.object({ ...pageQuery(100, 25), search }),
  reply: z.object({ safes: z.array(AccessSafe), next_cursor: z.string().nullable() }),
  needs: "access.read",
  audit: "none",
});

const approvals = z.int().min(0).max(10);

/** A hypothetical change. Each kind needs the permissions of the real change. */
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
  /** Omitted fields stay unchanged. */
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

/** The numbers of accounts and safes on which a user gains and loses one permission. */
export const PermissionChange = z.object({
  permission: SafePermission,
  accounts_gained: z.number().int(),
  accounts_lost: z.number().int(),
  /** The lost accounts that the user could still use after approval. */
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
  /** Active grants that would end. */
  grants_lost: z.number().int(),
});
export type PersonChange = z.infer<typeof PersonChange>;

export const AccessPreview = z.object({
  people_gaining: z.number().int(),
  people_losing: z.number().int(),
  /** Accounts on which users gain or lose a permission. */
  accounts: z.number().int(),
  /** At most 100, those with the most changes first. */
  people: z.array(PersonChange),
});
export type AccessPreview = z.infer<typeof AccessPreview>;

/** The call is audited; nothing is changed, not even for a moment. */
export const previewAccessChange = endpoint({
  method: "POST",
  path: "/api/v1/access-control/preview",
  summary: "Permissions that people would gain or lose, and on how many accounts, if a change were made",
  body: z.strictObject({ change: AccessChange }),
  reply: AccessPreview,
  needs: "access.preview",
  audit: "access-control.previewed",
  gives: "nothing",
});
