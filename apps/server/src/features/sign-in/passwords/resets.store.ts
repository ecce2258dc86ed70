// Reads and writes the rows of open password resets.
import type { UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { Generated, Insertable, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

interface ResetsTable {
  user_id: UserId;
  /** Null when no request is open: an administrator created the link without a request, or has answered the request. */
  requested_at: Date | null;
  mailed_at: Date | null;
  /** The number of reset emails since the last full day without one. */
  mails_sent: Generated<number>;
  token_hash: Buffer | null;
  token_expires_at: Date | null;
  /** The creator of the link; null if the link was mailed to the user who requested it. */
  made_by: Generated<string | null>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    sign_in_resets: ResetsTable;
  }
}

export const findReset = (db: Db, userId: string): Promise<Selectable<ResetsTable> | undefined> =>
  db
    .selectFrom("sign_in_resets")
    .selectAll()
    .where("user_id", "=", userId as UserId)
    .executeTakeFirst();

/** The identity provider that a user signs in through, or null. For the command line, where no features are installed. */
export async function findProviderName(db: Db, userId: string): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select provider.name from identity_provider_people bound
    join identity_providers provider on provider.id = bound.provider_id where bound.user_id = ${userId}`.execute(db);
  return rows[0]?.name ?? null;
}

/** The user who owns this unexpired link; null when no such link exists. */
export async function findResetByToken(db: Db, tokenHash: Buffer, now: Date): Promise<UserId | null> {
  const query = db.selectFrom("sign_in_resets").select("user_id").where("token_hash", "=", tokenHash);
  return (await query.where("token_expires_at", ">", now).executeTakeFirst())?.user_id ?? null;
}

export async function writeReset(
  tx: Tx,
  userId: string,
  change: Partial<Omit<Insertable<ResetsTable>, "user_id">>,
): Promise<void> {
  const nothing = { requested_at: null, mailed_at: null, token_hash: null, token_expires_at: null };
  await tx
    .insertInto("sign_in_resets")
    .values({ ...nothing, ...change, user_id: userId as UserId })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(change))
    .execute();
}

export async function markMailed(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx
    .updateTable("sign_in_resets")
    .set({ mailed_at: at, mails_sent: sql`mails_sent + 1` })
    .where("user_id", "=", userId as UserId)
    .execute();
}

/** Consumes a link: exactly one caller gets its row, and the others get undefined. */
export function consumeReset(
  tx: Tx,
  userId: string,
  tokenHash: Buffer,
  now: Date,
): Promise<{ made_by: string | null } | undefined> {
  const deletion = tx.deleteFrom("sign_in_resets").where("user_id", "=", userId as UserId);
  return deletion
    .where("token_hash", "=", tokenHash)
    .where("token_expires_at", ">", now)
    .returning("made_by")
    .executeTakeFirst();
}

export async function deleteReset(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom("sign_in_resets")
    .where("user_id", "=", userId as UserId)
    .execute();
}

/** Requests since `since` for which no mail was sent, oldest first. */
export const findPendingResets = (db: Db, since: Date) =>
  db
    .selectFrom("sign_in_resets")
    .innerJoin("users", "users.id", "sign_in_resets.user_id")
    .select(["users.id as user_id", "users.email", "users.name", "sign_in_resets.requested_at"])
    .where("users.status", "in", ["pending", "active"])
    .where("sign_in_resets.requested_at", ">", since)
    .where((where) =>
      where.or([
        where("sign_in_resets.mailed_at", "is", null),
        where("sign_in_resets.mailed_at", "<", where.ref("sign_in_resets.requested_at")),
      ]),
    )
    .orderBy("sign_in_resets.requested_at")
    .execute();

/** Deletes resets requested before `requestedBefore` whose link, if any, has expired. */
export async function sweepResets(tx: Tx, requestedBefore: Date, now: Date): Promise<void> {
  await sql`
    delete from sign_in_resets
    where coalesce(greatest(requested_at, mailed_at), '-infinity') < ${requestedBefore}
      and coalesce(token_expires_at, '-infinity') < ${now}
  `.execute(tx);
}
