// Safes: containers of shared accounts, and the permissions of their members.
import { z } from "zod";
import { HistoryPage } from "./audit.ts";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import {
  AccountId,
  Confirmation,
  GroupId,
  Message,
  Moment,
  SafeId,
  SafeMemberId,
  UserId,
  pageQuery,
  oneLine,
  optionalLines,
  sortBy,
} from "./fields.ts";
import { Tag, Tags } from "./tags.ts";
import { SAFE_PERMISSIONS, SafePermission, SafeRole } from "./safe-permissions.ts";

export const SAFE_TYPES = ["standard", "shared", "department", "application"] as const;
export const SafeType = z.enum(SAFE_TYPES);
export type SafeType = z.infer<typeof SafeType>;

/** An inactive or archived safe keeps everything and gives no access. */
export const SAFE_STATUSES = ["active", "inactive", "archived"] as const;
export const SafeStatus = z.enum(SAFE_STATUSES);
export type SafeStatus = z.infer<typeof SafeStatus>;

/**
 * Which non-members see the safe and can request access: none, the owner's team, the owner's department, or everyone.
 * An access level never lets anyone use or retrieve a secret.
 */
export const ACCESS_LEVELS = ["private", "team", "department", "public"] as const;
export const AccessLevel = z.enum(ACCESS_LEVELS);
export type AccessLevel = z.infer<typeof AccessLevel>;

export const SafeMember = z.object({
  id: SafeMemberId,
  /** Exactly one of the two ids is set. */
  user_id: UserId.nullable(),
  group_id: GroupId.nullable(),
  name: z.string(),
  /** The user's email; null for a group. */
  email: z.string().nullable(),
  /** For a group: its number of people. */
  people: z.number().int().nullable(),
  role: SafeRole,
  permissions: z.array(SafePermission),
  expires_at: Moment.nullable(),
  is_expired: z.boolean(),
  added_at: Moment,
  added_by: z.string().nullable(),
});
export type SafeMember = z.infer<typeof SafeMember>;

export const Safe = z.object({
  id: SafeId,
  name: z.string(),
  description: z.string().nullable(),
  safe_type: SafeType,
  access_level: AccessLevel,
  status: SafeStatus,
  /** Only gateways of this zone open sessions on the accounts of the safe; null: every gateway that the platform allows. */
  session_zone: z.string().nullable(),
  tags: z.array(z.string()),
  owner_id: UserId,
  owner_name: z.string(),
  owner_email: z.string(),
  /** At most 100, for callers who can see them (members and administrators); all are at `/safes/:id/members`. */
  members: z.array(z.object({ user_id: UserId.nullable(), group_id: GroupId.nullable() })),
  account_count: z.number().int(),
  /** Current memberships. */
  permission_count: z.number().int(),
  /** The caller's current permissions in the safe. */
  my_permissions: z.array(SafePermission),
  created_at: Moment,
  updated_at: Moment,
});
export type Safe = z.infer<typeof Safe>;

const NAME_LENGTH = "Safe name must be 3 to 100 characters";
const SafeName = oneLine("Safe name is required")
  .min(1, "Safe name is required")
  .min(3, NAME_LENGTH)
  .max(100, NAME_LENGTH);
const SessionZone = oneLine().min(1).max(60).nullable();
const Description = optionalLines(500, "Description can have at most 500 characters");

export const NewSafe = z.strictObject({
  name: SafeName,
  description: Description,
  safe_type: SafeType.default("standard"),
  access_level: AccessLevel.default("private"),
  session_zone: SessionZone.default(null),
  tags: Tags.default([]),
});
export type NewSafe = z.infer<typeof NewSafe>;

/** Name and description as in SAFE-13; the other fields only to change them. */
export const SafeEdit = z.strictObject({
  name: SafeName,
  description: Description,
  safe_type: SafeType.optional(),
  access_level: AccessLevel.optional(),
  status: SafeStatus.optional(),
  session_zone: SessionZone.optional(),
  tags: Tags.optional(),
  /** Only by the owner or an administrator: this user becomes the owner, with an owner's membership. */
  owner_id: UserId.optional(),
});
export type SafeEdit = z.infer<typeof SafeEdit>;

const byId = z.object({ id: SafeId });
const byMember = z.object({ id: SafeId, member_id: SafeMemberId });

/** `owner` is the owner's name, `updated` the time of the last change. */
export const SAFE_SORT_FIELDS = ["name", "owner", "updated"] as const;
export type SafeSortField = (typeof SAFE_SORT_FIELDS)[number];

export const SafeSort = sortBy(SAFE_SORT_FIELDS);
export type SafeSort = z.infer<typeof SafeSort>;

export const listSafes = endpoint({
  method: "GET",
  path: "/api/v1/safes",
  summary: "Safes that the caller can see, by name unless sorted otherwise",
  query: z.object({
    sort: SafeSort.optional(),
    ...pageQuery(500, 100),
    /** Matches name, description, owner or tags. */
    search: z.string().trim().max(100).optional(),
    status: SafeStatus.optional(),
    tag: Tag.optional(),
    /** Only safes in which the caller has this permission, such as `add` for the choice in the account form. */
    permission: SafePermission.optional(),
  }),
  reply: z.object({ safes: z.array(Safe), next_cursor: z.string().nullable() }),
  needs: "safe.list",
  audit: "none",
});

/** `shared`: more than one user is a member. */
export const safeStatistics = endpoint({
  method: "GET",
  path: "/api/v1/safes/statistics",
  summary: "The number of safes that the caller can see",
  reply: z.object({ total: z.number().int(), active: z.number().int(), shared: z.number().int() }),
  needs: "safe.list",
  audit: "none",
});

export const createSafe = endpoint({
  method: "POST",
  path: "/api/v1/safes",
  summary: "Create a safe; the caller becomes its owner",
  body: NewSafe,
  reply: Safe,
  status: 201,
  needs: "safe.create",
  audit: "safe.created",
  gives: "nothing",
});

export const readSafe = endpoint({
  method: "GET",
  path: "/api/v1/safes/:id",
  summary: "One safe",
  params: byId,
  reply: Safe,
  needs: "safe.use",
  scope: "safe.read",
  audit: "none",
});

export const updateSafe = endpoint({
  method: "PUT",
  path: "/api/v1/safes/:id",
  summary: "Change a safe's properties",
  params: byId,
  body: completeBody(SafeEdit, { entity: Safe, fixed: ["id", "created_at"] }),
  reply: Safe,
  needs: "safe.use",
  scope: "safe.manage",
  audit: "safe.updated",
  gives: "right",
  stepUp: "when-giving",
  givesByToken: "safe.share",
});

export const deleteSafe = endpoint({
  method: "DELETE",
  path: "/api/v1/safes/:id",
  summary: "Delete an empty safe and destroy its key; refused if it contains accounts, unless they are moved",
  params: byId,
  query: z.object({ move_accounts_to: SafeId.optional(), confirmation: Confirmation }),
  reply: Message,
  needs: "safe.use",
  scope: "safe.manage",
  audit: "safe.deleted",
  gives: "secret",
  stepUp: "when-giving",
  givesByToken: "safe.share",
});

export const listSafeMembers = endpoint({
  method: "GET",
  path: "/api/v1/safes/:id/members",
  summary: "The members of a safe, by name",
  params: byId,
  query: z.object(pageQuery(500, 100)),
  reply: z.object({ members: z.array(SafeMember), next_cursor: z.string().nullable() }),
  needs: "safe.use",
  scope: "safe.read",
  audit: "none",
});

/** A predefined role fills in the permissions; `custom` names them. An expiry must be in the future. */
const standing = {
  role: SafeRole,
  permissions: z.array(SafePermission).max(SAFE_PERMISSIONS.length).optional(),
  expires_at: Moment.nullish().transform((at) => at ?? null),
};
const customNamesPermissions = (member: { role: SafeRole; permissions?: SafePermission[] | undefined }): boolean =>
  member.role !== "custom" || (member.permissions?.length ?? 0) > 0;
const NAMES_PERMISSIONS = { path: ["permissions"], message: "Choose at least one permission" };

export const NewSafeMember = z
  .strictObject({ user_id: UserId.optional(), group_id: GroupId.optional(), ...standing })
  .refine(({ user_id, group_id }) => (user_id === undefined) !== (group_id === undefined), {
    path: ["user_id"],
    message: "Choose a user or a group",
  })
  .refine(customNamesPermissions, NAMES_PERMISSIONS);
export const SafeMemberEdit = z.strictObject(standing).refine(customNamesPermissions, NAMES_PERMISSIONS);

export const addSafeMember = endpoint({
  method: "POST",
  path: "/api/v1/safes/:id/members",
  summary: "Make a user or a group a member; callers can give only permissions that they have",
  params: byId,
  body: NewSafeMember,
  reply: SafeMember,
  status: 201,
  needs: "safe.use",
  scope: "safe.share",
  audit: "safe.member-added",
  gives: "right",
  stepUp: true,
  givesByToken: "safe.share",
});

export const updateSafeMember = endpoint({
  method: "PUT",
  path: "/api/v1/safes/:id/members/:member_id",
  summary: "Change a member's permissions and expiry",
  params: byMember,
  body: completeBody(SafeMemberEdit, { entity: SafeMember, fixed: ["id", "user_id", "group_id", "added_at"] }),
  reply: SafeMember,
  needs: "safe.use",
  scope: "safe.share",
  audit: "safe.member-updated",
  gives: "right",
  stepUp: true,
  givesByToken: "safe.share",
});

export const removeSafeMember = endpoint({
  method: "DELETE",
  path: "/api/v1/safes/:id/members/:member_id",
  summary: "Remove a member and end their grants in this safe immediately",
  params: byMember,
  reply: Message,
  needs: "safe.use",
  scope: "safe.manage",
  audit: "safe.member-removed",
  gives: "nothing",
});

/** Why a user has access: a direct membership, one through a group, or a grant for a limited time. */
export const AccessPath = z.object({
  kind: z.enum(["member", "group", "grant", "break-glass"]),
  /** The role in the safe, the group's name, or the request's reason. */
  through: z.string(),
  can: z.array(z.enum(["use", "retrieve"])),
  /** The user has the permission, but the platform requires approval first. */
  needs_approval: z.boolean(),
  expires_at: Moment.nullable(),
});
export type AccessPath = z.infer<typeof AccessPath>;

export const EffectiveAccess = z.object({
  user_id: UserId,
  name: z.string(),
  email: z.string(),
  can_use: z.boolean(),
  can_retrieve: z.boolean(),
  paths: z.array(AccessPath),
  /** The account of a grant, in a list for a whole safe; otherwise null. */
  account_id: AccountId.nullable(),
});
export type EffectiveAccess = z.infer<typeof EffectiveAccess>;

/** For members who can manage members or view the audit, and administrators. */
export const explainSafeAccess = endpoint({
  method: "GET",
  path: "/api/v1/safes/:id/access",
  summary: "Everyone who can use or retrieve an account in this safe now, and the source of their access",
  params: byId,
  query: z.object(pageQuery(500, 100)),
  reply: z.object({ access: z.array(EffectiveAccess), next_cursor: z.string().nullable() }),
  needs: "safe.use",
  scope: "safe.read",
  audit: "none",
});

/** For callers who can view the safe's audit. Actions on its accounts are in the accounts' histories. */
export const readSafeHistory = endpoint({
  method: "GET",
  path: "/api/v1/safes/:id/history",
  summary: "The audit history of a safe and its members, newest first",
  params: byId,
  query: z.object(pageQuery(200, 50)),
  reply: HistoryPage,
  needs: "safe.use",
  scope: "safe.read",
  audit: "none",
});

export const Principal = z.object({
  user_id: UserId.nullable(),
  group_id: GroupId.nullable(),
  name: z.string(),
  /** The address, for callers who can list users; for others masked, and only if names repeat. */
  hint: z.string().nullable(),
  is_machine: z.boolean(),
});
export type Principal = z.infer<typeof Principal>;

const found = z.object({ principals: z.array(Principal) });

/** Only callers who can list users can search by parts of addresses. */
export const findPrincipals = endpoint({
  method: "GET",
  path: "/api/v1/safes/principals",
  summary: "Search the directory for users and groups by name, up to 20",
  query: z.object({ search: z.string().trim().min(2, "Type at least 2 letters").max(100) }),
  reply: found,
  needs: "directory.search",
  audit: "none",
  perMinute: 30,
});

/** For users who manage members of a safe without permission to search the directory: they need the exact address. */
export const findKnownPrincipals = endpoint({
  method: "GET",
  path: "/api/v1/safes/principals/known",
  summary: "A user by their full email address, and the caller's own groups by name",
  query: z.object({ search: z.string().trim().min(2, "Type at least 2 letters").max(254) }),
  reply: found,
  needs: "safe.use",
  scope: "safe.share",
  audit: "none",
  perMinute: 20,
});
