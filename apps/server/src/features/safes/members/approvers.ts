// Finds the users who may approve access requests in a safe, and those who may see the requests.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { bitOf, whileStatus } from "../safes.policy.ts";
import type { Permissions } from "../safes.policy.ts";

export interface Approvers {
  /** The users who may approve at level 1 and at level 2. */
  levels: Readonly<Record<1 | 2, ReadonlySet<string>>>;
  /** Everyone who may see requests for accounts in the safe. */
  all: ReadonlySet<string>;
}

const LEVELS = { 1: bitOf("approve_level_1"), 2: bitOf("approve_level_2") };
const OVERSEEING = sql.lit(LEVELS[1] | LEVELS[2] | bitOf("view_audit"));

/**
 * The active users who may approve now, by safe: members with the permission, and administrators. Empty for a safe that
 * is not active. Includes the requester if they have the permission: the caller must prevent self-approval. Safes that
 * do not exist are left out.
 */
export async function approversOf(db: Db, safeIds: readonly string[]): Promise<ReadonlyMap<string, Approvers>> {
  if (safeIds.length === 0) return new Map();
  const inForce = sql`(member.expires_at is null or member.expires_at > access_time())`;
  const { rows } = await sql<{ safe_id: string; user_id: string; permissions: Permissions }>`
    select safes.id as safe_id, person.id as user_id, bit_or(given.permissions) & ${whileStatus} as permissions
    from safes cross join lateral (
      select member.user_id, member.permissions from safe_members member
      where member.safe_id = safes.id and member.user_id is not null and ${inForce}
      union all
      select theirs.user_id, member.permissions
      from safe_members member join group_members theirs on theirs.group_id = member.group_id
      where member.safe_id = safes.id and ${inForce}
      union all
      select admin.id, ${OVERSEEING} from users admin where admin.role = 'admin'
    ) given
    join users person on person.id = given.user_id and person.status = 'active' and person.kind = 'person'
    where safes.id = any(${safeIds}::uuid[]) and safes.deleted_at is null and given.permissions & ${OVERSEEING} <> 0
    group by safes.id, person.id`.execute(db);
  const found = Map.groupBy(rows, (row) => row.safe_id);
  return new Map([...found].map(([safeId, people]) => [safeId, overseersAmong(people)]));
}

function overseersAmong(people: readonly { user_id: string; permissions: Permissions }[]): Approvers {
  const having = (bits: Permissions) =>
    new Set(people.filter(({ permissions }) => (permissions & bits) !== 0).map(({ user_id }) => user_id));
  return { levels: { 1: having(LEVELS[1]), 2: having(LEVELS[2]) }, all: new Set(people.map((each) => each.user_id)) };
}
