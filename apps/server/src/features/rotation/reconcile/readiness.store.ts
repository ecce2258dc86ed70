// Reads the reconcile accounts of platforms with a sample account for each, and stores the check's result.
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface ToCheck {
  platform_id: string;
  platform_name: string;
  reconcile_account_id: string;
  was_ready: boolean | null;
  /** An active account of the platform within the reconcile account's scope, or null. */
  sample_id: string | null;
}

export async function listToCheck(db: Db): Promise<ToCheck[]> {
  const { rows } = await sql<ToCheck>`
    select platforms.id as platform_id, platforms.name as platform_name, platforms.reconcile_account_id,
      platforms.reconcile_is_ready as was_ready, sample.id as sample_id
    from platforms
    left join credentials own on own.id = platforms.reconcile_account_id
    left join lateral (
      select accounts.id from accounts join credentials on credentials.id = accounts.id and credentials.deleted_at is null
      where accounts.platform_id = platforms.id and accounts.status = 'active'
        and accounts.id <> platforms.reconcile_account_id
        and (credentials.safe_id = own.safe_id or platforms.reconcile_safe_ids @> to_jsonb(credentials.safe_id::text))
      order by accounts.id limit 1
    ) sample on true
    where platforms.reconcile_account_id is not null and platforms.is_active and platforms.deleted_at is null`.execute(
    db,
  );
  return rows;
}

export interface Readiness {
  isReady: boolean;
  message: string;
  at: Date;
}

/** Returns false, and stores nothing, when the platform now uses a different reconcile account. */
export async function storeReadiness(tx: Tx, it: ToCheck, { isReady, message, at }: Readiness): Promise<boolean> {
  const { rows } = await sql`
    update platforms set reconcile_is_ready = ${isReady}, reconcile_message = ${message}, reconcile_checked_at = ${at}
    where id = ${it.platform_id} and reconcile_account_id = ${it.reconcile_account_id} returning id`.execute(tx);
  return rows.length > 0;
}
