// Who may decide on requests in a safe.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { membersWith } from "./members.store.ts";
import { bitOf } from "./safes.policy.ts";

/**
 * The active people who may approve at this level now: members with the permission, and administrators. Nobody where the
 * safe is not active. The requester is among them if they may: that they do not decide on their own is for the caller.
 */
export async function eligibleApprovers(db: Db, safeId: string, level: 1 | 2): Promise<string[]> {
  const { rows } = await sql<{ status: string }>`
    select status from safes where id = ${safeId} and deleted_at is null`.execute(db);
  if (rows[0]?.status !== "active") return [];
  const members = await membersWith(db, safeId, bitOf(level === 1 ? "approve_level_1" : "approve_level_2"));
  const admins = await db
    .selectFrom("users")
    .select("id")
    .where("role", "=", "admin")
    .where("status", "=", "active")
    .execute();
  return [...new Set([...members, ...admins.map(({ id }) => id)])];
}
