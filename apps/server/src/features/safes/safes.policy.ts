// Decides what a user may do in a safe: one rule, as a pure function of known facts and in SQL for lists.
import { PERMISSIONS_OF_ROLE, ROLES, SAFE_PERMISSIONS } from "@strongroom/contract";
import type { AccessLevel, Role, SafePermission, SafeRole, SafeStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor, Asker } from "#kernel/authz/actor.ts";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = { "safe.list": ROLES, "safe.create": ROLES, "safe.use": ROLES };

/** Permissions as they are stored: bit n is the n-th of SAFE_PERMISSIONS. */
export type Permissions = number;

export const bitOf = (permission: SafePermission): Permissions => 1 << SAFE_PERMISSIONS.indexOf(permission);

/** Adds `list` to the others: every permission requires seeing the safe. */
export const bitsOf = (permissions: readonly SafePermission[]): Permissions =>
  permissions.reduce((bits, permission) => bits | bitOf(permission), bitOf("list"));

export const namesOf = (bits: Permissions): SafePermission[] => SAFE_PERMISSIONS.filter((name) => allows(bits, name));

export const allows = (bits: Permissions, permission: SafePermission): boolean => (bits & bitOf(permission)) !== 0;

/** The permissions of a membership: those of its role, or the chosen ones for a custom role. */
export const permissionsOfRole = (role: SafeRole, chosen: readonly SafePermission[] = []): Permissions =>
  bitsOf(role === "custom" ? chosen : PERMISSIONS_OF_ROLE[role]);

/**
 * Administrators manage every safe, decide on requests (OPEN-21) and can add members. These permissions do not let them
 * use or retrieve anything; if they add themselves as a member for that, the audit trail records it.
 */
const ADMINISTRATORS: Permissions = bitsOf([
  "manage_safe",
  "manage_members",
  "view_audit",
  "approve_level_1",
  "approve_level_2",
]);

/** The safes that the caller's API token is limited to; null without a limit. */
export const limitOf = ({ token }: Partial<Pick<Actor, "token">>): readonly string[] | null => token?.safes ?? null;

/** Whether the caller has permissions in every safe, so that a list need not check each one. */
export const seesEverySafe = (who: Pick<Asker, "role" | "token">): boolean =>
  who.role === "admin" && limitOf(who) === null;

/** A distinct name for each shape that a prepared statement about the caller's permissions can have. */
export const nameFor = (who: Asker, name: string): string =>
  [name, ...(who.role === "admin" ? ["of-administrator"] : []), ...(limitOf(who) === null ? [] : ["limited"])].join(
    ".",
  );

/** A safe that is not active allows neither access to its accounts nor new ones. */
const WHILE: Record<SafeStatus, Permissions> = {
  active: bitsOf(SAFE_PERMISSIONS),
  inactive: bitsOf(["delete", "manage_safe", "manage_members", "view_audit"]),
  archived: bitsOf(["delete", "manage_safe", "manage_members", "view_audit"]),
};

/** The facts about a user and a safe that determine the user's permissions there. */
export interface SafeContext {
  role: Role;
  /** Direct memberships and those of the user's groups. */
  memberships: readonly { permissions: Permissions; expiresAt: Date | null }[];
  safe: { status: SafeStatus; accessLevel: AccessLevel };
  /** Whether the user shares a group of this kind with the safe's owner. */
  sharesWithOwner: { team: boolean; department: boolean };
}

/**
 * INVARIANT: this is the only rule for what a user may do in a safe now. If it returns zero, the safe does not exist
 * for them.
 */
export function permissionsIn({ role, memberships, safe, sharesWithOwner }: SafeContext, now: Date): Permissions {
  const inForce = memberships.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const given = inForce.reduce((bits, membership) => bits | membership.permissions, 0);
  const asAdministrator = role === "admin" ? ADMINISTRATORS : 0;
  const reach = isWithinReach(safe.accessLevel, sharesWithOwner) ? bitOf("list") : 0;
  return (given | asAdministrator | reach) & WHILE[safe.status];
}

function isWithinReach(level: AccessLevel, shares: SafeContext["sharesWithOwner"]): boolean {
  if (level === "private") return false;
  return level === "public" || shares[level];
}

export interface SafePermissions {
  safe_id: string;
  permissions: Permissions;
  /**
   * True for members and administrators, because they see the other members; false for users who can only see the safe.
   */
  sees_members: boolean;
}

/** The user a query is about: given by values, or by the columns of an enclosing query (`lateral`). */
export interface PrincipalRef {
  id: string | RawBuilder<unknown>;
  role: Role | RawBuilder<unknown>;
  /** For the caller: a token limited to some safes has no permissions in the others. */
  token?: Actor["token"];
}

/**
 * The rule of `permissionsIn` in SQL: a query for the user's permissions in every safe they can see now. Joined with a
 * condition on one safe, it reads only that safe.
 */
export function effectivePermissionsOf(who: PrincipalRef): RawBuilder<SafePermissions> {
  return sql`(
    select safes.id as safe_id, bit_or(given.permissions) & ${whileStatus} as permissions,
           bool_or(given.sees_members) as sees_members
    from ${permissionGrantsFor(who)}
    join safes on safes.id = given.safe_id and safes.deleted_at is null ${limitToTokenSafes(sql`safes.id`, who)}
    group by safes.id
  )`;
}

/**
 * Returns a condition to append to a query. It limits the query to the safes of the caller's token, if the token has a
 * limit.
 */
export function limitToTokenSafes(
  safeId: RawBuilder<unknown>,
  who: Partial<Pick<Actor, "token">>,
): RawBuilder<unknown> {
  const limit = limitOf(who);
  return limit === null ? sql`` : sql`and ${safeId} = any(${[...limit]}::uuid[])`;
}

const inForce = sql`(member.expires_at is null or member.expires_at > access_time())`;

/**
 * All users' unexpired memberships, direct and through groups, as a table: `user_id`, `safe_id`, `permissions`. Every
 * permission beyond listing and managing a safe comes from these.
 */
export const memberships: RawBuilder<unknown> = sql`(
  select member.user_id, member.safe_id, member.permissions from safe_members member
  where member.user_id is not null and ${inForce}
  union all
  select mine.user_id, member.safe_id, member.permissions
  from safe_members member join group_members mine on mine.group_id = member.group_id where ${inForce}
)`;

/**
 * The table `given`: everything that gives this user permissions in a safe now, before the safe's status limits them,
 * with its source (`kind`), the group and membership, and the expiry.
 */
export function permissionGrantsFor({ id, role }: PrincipalRef): RawBuilder<unknown> {
  const none = sql`null::uuid`;
  const always = sql`null::timestamptz`;
  const isAdministrator = typeof role === "string" ? sql`true` : sql`${role} = 'admin'`;
  const asAdministrator =
    typeof role === "string" && role !== "admin"
      ? sql``
      : sql`union all select id, ${sql.lit(ADMINISTRATORS)}, true, 'role', ${none}, ${none}, ${always}
        from safes where ${isAdministrator}`;
  return sql`(
      select member.safe_id, member.permissions, true, 'member', ${none}, member.id, member.expires_at
      from safe_members member
      where member.user_id = ${id} and ${inForce}
      union all
      select member.safe_id, member.permissions, true, 'group', member.group_id, member.id, member.expires_at
      from group_members mine join safe_members member on member.group_id = mine.group_id
      where mine.user_id = ${id} and ${inForce}
      union all
      select id, ${LIST}, false, 'access-level', ${none}, ${none}, ${always}
      from safes where access_level = 'public' and deleted_at is null
      union all
      select owned.id, ${LIST}, false, 'access-level', groups.id, ${none}, ${always}
      from group_members mine
      join groups on groups.id = mine.group_id and groups.kind in ('team', 'department')
      join group_members theirs on theirs.group_id = mine.group_id
      join safes owned on owned.owner_id = theirs.user_id and owned.access_level = groups.kind
        and owned.access_level <> 'private' and owned.deleted_at is null
      where mine.user_id = ${id}
      ${asAdministrator}
    ) given (safe_id, permissions, sees_members, kind, group_id, member_id, expires_at)`;
}

const LIST = sql.lit(bitOf("list"));
/** The permissions that the status of `safes` allows, in SQL. */
export const whileStatus = sql`case safes.status when 'active' then ${sql.lit(WHILE.active)}
  when 'inactive' then ${sql.lit(WHILE.inactive)} else ${sql.lit(WHILE.archived)} end`;

/** Whether the safe's status denies this permission to everyone. */
export const isHeldBack = (status: SafeStatus, permission: SafePermission): boolean =>
  !allows(WHILE[status], permission);

/** The permissions of a membership and their expiry; null means no expiry. */
export interface PermissionGrant {
  permissions: Permissions;
  expiresAt: Date | null;
}

const lastsAtLeast = (one: Date | null, other: Date | null): boolean =>
  one === null || (other !== null && one >= other);

/**
 * Returns the permissions that the giver cannot give, because they do not have them for as long. When a membership is
 * changed, permissions it already had for as long do not count. Zero means that all of them can be given.
 */
export function permissionsBeyond(
  given: PermissionGrant,
  before: PermissionGrant | null,
  own: readonly PermissionGrant[],
): Permissions {
  const known = before !== null && lastsAtLeast(before.expiresAt, given.expiresAt) ? before.permissions : 0;
  const mine = own
    .filter(({ expiresAt }) => lastsAtLeast(expiresAt, given.expiresAt))
    .reduce((bits, each) => bits | each.permissions, 0);
  return given.permissions & ~known & ~mine;
}

/** Whether this is the membership of the safe's owner, which cannot be reduced while they own the safe. */
export const isOwners = (safe: { owner_id: string }, member: { user_id: string | null }): boolean =>
  member.user_id === safe.owner_id;
