// Who may do what in a safe: one rule, as a pure function of what is known of a person, and in SQL for lists.
import { PERMISSIONS_OF_ROLE, ROLES, SAFE_PERMISSIONS } from "@strongroom/contract";
import type { AccessLevel, Role, SafePermission, SafeRole, SafeStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor, Asker } from "#kernel/authz/actor.ts";
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants: Grants = { "safe.list": ROLES, "safe.create": ROLES, "safe.use": ROLES };

/** Permissions as they are stored: bit n is the n-th of SAFE_PERMISSIONS. */
export type Permissions = number;

export const bitOf = (permission: SafePermission): Permissions => 1 << SAFE_PERMISSIONS.indexOf(permission);

/** `list` comes with each of the others: nobody does something with what they cannot see. */
export const bitsOf = (permissions: readonly SafePermission[]): Permissions =>
  permissions.reduce((bits, permission) => bits | bitOf(permission), bitOf("list"));

export const namesOf = (bits: Permissions): SafePermission[] => SAFE_PERMISSIONS.filter((name) => allows(bits, name));

export const allows = (bits: Permissions, permission: SafePermission): boolean => (bits & bitOf(permission)) !== 0;

/** What a membership gives: its role's permissions, or those chosen one by one. */
export const permissionsOfRole = (role: SafeRole, chosen: readonly SafePermission[] = []): Permissions =>
  bitsOf(role === "custom" ? chosen : PERMISSIONS_OF_ROLE[role]);

/**
 * An administrator keeps every safe in order and decides on requests (OPEN-21), and can make somebody a member. None of it
 * lets them use or retrieve anything: who makes themselves a member for that is on record.
 */
const ADMINISTRATORS: Permissions = bitsOf([
  "manage_safe",
  "manage_members",
  "view_audit",
  "approve_level_1",
  "approve_level_2",
]);

/** The safes to which whoever asks is limited, because an API token is; null: none is left out. */
export const limitOf = ({ token }: Partial<Pick<Actor, "token">>): readonly string[] | null => token?.safes ?? null;

/** Whether they have a standing in every safe, so that a list need not ask for each. */
export const seesEverySafe = (who: Pick<Asker, "role" | "token">): boolean =>
  who.role === "admin" && limitOf(who) === null;

/** A name for a statement about what somebody may do: for each of its shapes one. */
export const nameFor = (who: Asker, name: string): string =>
  [name, ...(who.role === "admin" ? ["of-administrator"] : []), ...(limitOf(who) === null ? [] : ["limited"])].join(
    ".",
  );

/** A safe that is not active lends nothing and takes nothing in. */
const WHILE: Record<SafeStatus, Permissions> = {
  active: bitsOf(SAFE_PERMISSIONS),
  inactive: bitsOf(["delete", "manage_safe", "manage_members", "view_audit"]),
  archived: bitsOf(["delete", "manage_safe", "manage_members", "view_audit"]),
};

/** What is known of a person and a safe. */
export interface Standing {
  role: Role;
  /** Their own memberships and those of their groups. */
  memberships: readonly { permissions: Permissions; expiresAt: Date | null }[];
  safe: { status: SafeStatus; accessLevel: AccessLevel };
  /** They share a group of this kind with the safe's owner. */
  sharesWithOwner: { team: boolean; department: boolean };
}

/** INVARIANT: what a person may do in a safe now. Zero: for them it does not exist. */
export function permissionsIn({ role, memberships, safe, sharesWithOwner }: Standing, now: Date): Permissions {
  const inForce = memberships.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const given = inForce.reduce((bits, membership) => bits | membership.permissions, 0);
  const asAdministrator = role === "admin" ? ADMINISTRATORS : 0;
  const reach = isWithinReach(safe.accessLevel, sharesWithOwner) ? bitOf("list") : 0;
  return (given | asAdministrator | reach) & WHILE[safe.status];
}

function isWithinReach(level: AccessLevel, shares: Standing["sharesWithOwner"]): boolean {
  if (level === "private") return false;
  return level === "public" || shares[level];
}

export interface SafeStanding {
  safe_id: string;
  permissions: Permissions;
  /** Members and administrators see who else is a member; who only sees the safe does not. */
  sees_members: boolean;
}

/** Whom a query asks about: a person, or each row of a query that this one stands in (`lateral`), by its columns. */
export interface Someone {
  id: string | RawBuilder<unknown>;
  role: Role | RawBuilder<unknown>;
  /** Of who asks for themselves: with a token that is limited to some safes, nothing is given in the others. */
  token?: Actor["token"];
}

/**
 * The same rule in SQL: a query for the standing in every safe in which this person may do anything now. Joined with a
 * condition on one safe, it reads that safe alone.
 */
export function standingsOf(who: Someone): RawBuilder<SafeStanding> {
  return sql`(
    select safes.id as safe_id, bit_or(given.permissions) & ${whileStatus} as permissions,
           bool_or(given.sees_members) as sees_members
    from ${giftsTo(who)}
    join safes on safes.id = given.safe_id and safes.deleted_at is null ${onlyIn(sql`safes.id`, who)}
    group by safes.id
  )`;
}

/** To be added to a condition: the safes of a token that is limited to some. */
export function onlyIn(safeId: RawBuilder<unknown>, who: Partial<Pick<Actor, "token">>): RawBuilder<unknown> {
  const limit = limitOf(who);
  return limit === null ? sql`` : sql`and ${safeId} = any(${[...limit]}::uuid[])`;
}

const inForce = sql`(member.expires_at is null or member.expires_at > access_time())`;

/**
 * Everybody's memberships in force, their own and their groups', as a table: `user_id`, `safe_id`, `permissions`. Nothing else
 * lets anybody do more in a safe than list it and keep it in order.
 */
export const memberships: RawBuilder<unknown> = sql`(
  select member.user_id, member.safe_id, member.permissions from safe_members member
  where member.user_id is not null and ${inForce}
  union all
  select mine.user_id, member.safe_id, member.permissions
  from safe_members member join group_members mine on mine.group_id = member.group_id where ${inForce}
)`;

/**
 * The table `given`: everything that gives this person something in a safe now, before the safe's status takes some of it
 * away, with through what (`kind`), by which group and membership, and until when.
 */
export function giftsTo({ id, role }: Someone): RawBuilder<unknown> {
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
/** What the status of `safes` leaves of any permission, in SQL. */
export const whileStatus = sql`case safes.status when 'active' then ${sql.lit(WHILE.active)}
  when 'inactive' then ${sql.lit(WHILE.inactive)} else ${sql.lit(WHILE.archived)} end`;

/** Whether it is the safe's status that keeps everybody from this. */
export const isHeldBack = (status: SafeStatus, permission: SafePermission): boolean =>
  !allows(WHILE[status], permission);

/** What a membership gives, and until when; null: for ever. */
export interface Gift {
  permissions: Permissions;
  expiresAt: Date | null;
}

const lastsAtLeast = (one: Date | null, other: Date | null): boolean =>
  one === null || (other !== null && one >= other);

/**
 * What of a gift its giver cannot give: what they do not have themselves for as long. Of a membership that is changed, what
 * it gave before for as long is no gift. Zero: they may give it.
 */
export function tooMuch(gift: Gift, before: Gift | null, own: readonly Gift[]): Permissions {
  const known = before !== null && lastsAtLeast(before.expiresAt, gift.expiresAt) ? before.permissions : 0;
  const mine = own
    .filter(({ expiresAt }) => lastsAtLeast(expiresAt, gift.expiresAt))
    .reduce((bits, each) => bits | each.permissions, 0);
  return gift.permissions & ~known & ~mine;
}

/** The membership of the safe's owner: it stays whole as long as they own the safe. */
export const isOwners = (safe: { owner_id: string }, member: { user_id: string | null }): boolean =>
  member.user_id === safe.owner_id;
