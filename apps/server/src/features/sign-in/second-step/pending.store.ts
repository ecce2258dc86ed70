// Reads and writes the rows of sign-ins that wait for their second step.
import type { IdentityProviderId, Role, SshKeyId, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { SignInMethod } from "../sign-in.policy.ts";

export interface PendingTable {
  token_hash: Buffer;
  user_id: UserId;
  method: SignInMethod;
  is_remembered: boolean;
  tries: number;
  expires_at: Date;
  /** An account to bind to a provider's identity after the second step. */
  claim_provider_id: IdentityProviderId | null;
  claim_subject: string | null;
  claim_role: Role | null;
  /** Deleting the key ends the pending sign-in. */
  ssh_key_id: SshKeyId | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    sign_in_pending: PendingTable;
  }
}

export async function insertPending(tx: Tx, row: PendingTable): Promise<void> {
  await tx.insertInto("sign_in_pending").values(row).execute();
}

/**
 * Counts a try and returns the updated row. Returns undefined when there is no such row, it has expired, or `most`
 * tries were already made.
 */
export const countTry = (db: Db, tokenHash: Buffer, most: number, now: Date): Promise<PendingTable | undefined> =>
  db
    .updateTable("sign_in_pending")
    .set({ tries: sql`tries + 1` })
    .where("token_hash", "=", tokenHash)
    .where("tries", "<", most)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();

export const findPending = (db: Db, tokenHash: Buffer, now: Date): Promise<PendingTable | undefined> =>
  db
    .selectFrom("sign_in_pending")
    .selectAll()
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .executeTakeFirst();

/** Returns false when another call consumed the row first, or a change of the user deleted it. */
export async function consumePending(tx: Tx, tokenHash: Buffer): Promise<boolean> {
  const gone = await tx.deleteFrom("sign_in_pending").where("token_hash", "=", tokenHash).executeTakeFirst();
  return gone.numDeletedRows === 1n;
}

export async function deletePendingOf(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom("sign_in_pending")
    .where("user_id", "=", userId as UserId)
    .execute();
}

export async function sweepPending(tx: Tx, now: Date): Promise<void> {
  await tx.deleteFrom("sign_in_pending").where("expires_at", "<=", now).execute();
}
