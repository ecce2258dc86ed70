// Maps rows of safes to API objects, names safes in the audit trail, and publishes changes.
import type { GroupId, Safe, SafeId, SafeMember, SafeMemberId, UserId } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Audience } from "#kernel/events/audience.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { ShownMember } from "./members/members.store.ts";
import { membersWith } from "./members/members.store.ts";
import { bitOf, namesOf } from "./safes.policy.ts";
import type { ShownSafe } from "./safes.store.ts";

/** The target of audit entries about a safe. */
export const targetOf = ({ id, name }: { id: string; name: string }) => ({ type: "safe", id, name });

/**
 * The users who receive events about a safe: its members, administrators, and the users in `before`, who were members
 * until now. Users who can only request access are not included.
 */
export async function audienceOfSafe(
  db: Db,
  safeId: string,
  before: readonly string[] = [],
): Promise<{ users: string[]; roles: string[] }> {
  const members = await membersWith(db, safeId, bitOf("list"));
  return { users: [...new Set([...members, ...before])], roles: ["admin"] };
}

/** The event for users who see the safe. */
export const changed = (safeId: string, audience: Audience): NewEvent => ({
  type: "safe.changed",
  audience,
  data: { safe_id: safeId },
});

export const toSafe = (row: ShownSafe): Safe => ({
  id: row.id as SafeId,
  name: row.name,
  description: row.description,
  safe_type: row.safe_type,
  access_level: row.access_level,
  status: row.status,
  session_zone: row.session_zone,
  tags: row.tags,
  owner_id: row.owner_id as UserId,
  owner_name: row.owner_name,
  owner_email: row.owner_email,
  members: row.members as Safe["members"],
  account_count: row.account_count,
  permission_count: row.permission_count,
  my_permissions: namesOf(row.permissions),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const toMember = (row: ShownMember): SafeMember => ({
  id: row.id as SafeMemberId,
  user_id: row.user_id as UserId | null,
  group_id: row.group_id as GroupId | null,
  name: row.name,
  email: row.email,
  people: row.people,
  role: row.role,
  permissions: namesOf(row.permissions),
  expires_at: row.expires_at?.toISOString() ?? null,
  is_expired: row.is_expired,
  added_at: row.added_at.toISOString(),
  added_by: row.added_by_name,
});
