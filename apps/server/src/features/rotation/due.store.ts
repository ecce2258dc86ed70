// What decides whether a secret may be changed now, and which accounts are due.
import { sql } from "kysely";
import type { AccountStatus, Platform } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";

export interface Circumstances {
  /** Null: no account. */
  account_status: AccountStatus | null;
  is_platform_active: boolean | null;
  rotate_as: Platform["rotate_as"] | null;
  has_reconciler: boolean;
}

export async function readCircumstances(db: Db, id: string): Promise<Circumstances> {
  const { rows } = await sql<Circumstances>`
    select accounts.status as account_status, platforms.is_active as is_platform_active, platforms.rotate_as,
      exists (
        select from credentials other join accounts theirs on theirs.id = other.id and theirs.status = 'active'
        where other.id = platforms.reconcile_account_id and other.id <> accounts.id and other.deleted_at is null
      ) as has_reconciler
    from (select ${id}::uuid as id) it
    left join accounts on accounts.id = it.id left join platforms on platforms.id = accounts.platform_id`.execute(db);
  return rows[0]!;
}
