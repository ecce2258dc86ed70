// Subscriptions to saved views of the audit trail, in the database.
import type { Role, SavedViewId, SubscriptionCadence, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface AuditSubscriptionsTable {
  user_id: UserId;
  view_id: SavedViewId;
  cadence: SubscriptionCadence;
  /** The `seq` of the newest entry that a check has covered. */
  seen_seq: number;
  problem: string | null;
  next_at: Date;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    audit_subscriptions: AuditSubscriptionsTable;
  }
}

export type SubscriptionRow = Selectable<AuditSubscriptionsTable>;

export function findSubscriptions(db: Db, userId: UserId): Promise<SubscriptionRow[]> {
  return db.selectFrom("audit_subscriptions").selectAll().where("user_id", "=", userId).orderBy("created_at").execute();
}

/** Locks the user's row first, so that two calls cannot exceed the limit together. */
export async function lockSubscriptions(tx: Tx, userId: UserId): Promise<SubscriptionRow[]> {
  await sql`select from users where id = ${userId} for no key update`.execute(tx);
  return findSubscriptions(tx, userId);
}

/** Stores a subscription. An existing one keeps what it has covered. */
export async function putSubscription(tx: Tx, row: SubscriptionRow): Promise<SubscriptionRow> {
  return tx
    .insertInto("audit_subscriptions")
    .values(row)
    .onConflict((existing) =>
      existing.columns(["user_id", "view_id"]).doUpdateSet({ cadence: row.cadence, next_at: row.next_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Whether the user had this subscription. */
export async function removeSubscription(tx: Tx, userId: UserId, viewId: SavedViewId): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("audit_subscriptions")
    .where("user_id", "=", userId)
    .where("view_id", "=", viewId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** `role` is null if the user cannot sign in. */
export type DueSubscription = SubscriptionRow & { role: Role | null };

export async function findDue(db: Db, now: Date, limit: number): Promise<DueSubscription[]> {
  const { rows } = await sql<DueSubscription>`
    select subscription.*, case when users.status = 'active' then users.role end as role
    from audit_subscriptions subscription join users on users.id = subscription.user_id
    where next_at <= ${now} order by next_at limit ${limit}`.execute(db);
  return rows;
}

/** Stores the result of a check. False if another check covered the entries, so that they are not notified twice. */
export async function endCheck(
  tx: Tx,
  { user_id, view_id, seen_seq }: SubscriptionRow,
  result: Pick<SubscriptionRow, "next_at" | "seen_seq" | "problem">,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("audit_subscriptions")
    .set(result)
    .where("user_id", "=", user_id)
    .where("view_id", "=", view_id)
    .where("seen_seq", "=", seen_seq)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
