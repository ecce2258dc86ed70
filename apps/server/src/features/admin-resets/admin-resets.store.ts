// Database queries for requests to reset an administrator's sign-in.
import type { AdminReset } from "@strongroom/contract";
import { sql } from "kysely";
import type { Generated } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface AdminResetsTable {
  id: string;
  user_id: string;
  kind: AdminReset["kind"];
  reason: string;
  requested_by: string;
  requested_at: Date;
  expires_at: Date;
  outcome: Generated<"confirmed" | "cancelled" | "expired" | null>;
  settled_by: Generated<string | null>;
  settled_at: Generated<Date | null>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    admin_resets: AdminResetsTable;
  }
}

export interface OpenReset extends Omit<AdminResetsTable, "outcome" | "settled_by" | "settled_at"> {
  name: string;
  email: string;
  requester: string;
}

const open = (now: Date) => sql`
  select reset.id, reset.user_id, reset.kind, reset.reason, reset.requested_by, reset.requested_at, reset.expires_at,
    person.name, person.email, requester.name as requester
  from admin_resets reset
  join users person on person.id = reset.user_id and person.status = 'active'
  join users requester on requester.id = reset.requested_by and requester.status = 'active' and requester.role = 'admin'
  where reset.outcome is null and reset.expires_at > ${now}`;

/** Newest first, at most 200. */
export async function listOpen(db: Db, now: Date): Promise<OpenReset[]> {
  return (await sql<OpenReset>`${open(now)} order by reset.requested_at desc limit 200`.execute(db)).rows;
}

/** Locks an open request until the transaction ends, so that only one of two concurrent callers resolves it. */
export async function holdOpen(tx: Tx, id: string, now: Date): Promise<OpenReset | undefined> {
  return (await sql<OpenReset>`${open(now)} and reset.id = ${id} for update of reset`.execute(tx)).rows[0];
}

/** Returns false if a request of the same kind is open for the same administrator. */
export async function insertReset(
  tx: Tx,
  row: Omit<AdminResetsTable, "outcome" | "settled_by" | "settled_at">,
): Promise<boolean> {
  const { user_id, kind, requested_at: now } = row;
  await sql`
    update admin_resets set outcome = 'expired', settled_at = ${now}
    where user_id = ${user_id} and kind = ${kind} and outcome is null and expires_at <= ${now}`.execute(tx);
  const insert = tx
    .insertInto("admin_resets")
    .values(row)
    .onConflict((conflict) => conflict.doNothing());
  return (await insert.executeTakeFirst()).numInsertedOrUpdatedRows === 1n;
}

export async function settleReset(
  tx: Tx,
  id: string,
  settled: { outcome: "confirmed" | "cancelled"; settled_by: string; settled_at: Date },
): Promise<void> {
  await tx.updateTable("admin_resets").set(settled).where("id", "=", id).execute();
}

/** Expires all open requests. Returns how many. */
export async function expireOpen(tx: Tx, now: Date): Promise<number> {
  const update = tx.updateTable("admin_resets").set({ outcome: "expired", settled_at: now });
  const done = await update.where("outcome", "is", null).where("expires_at", ">", now).executeTakeFirst();
  return Number(done.numUpdatedRows);
}
