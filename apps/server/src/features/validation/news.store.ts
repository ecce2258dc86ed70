// Reads the facts about one secret that events and notifications need: severity, active grants and safe.
import type { Severity } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import { isInForce } from "#features/access-requests/index.ts";
import { severity, withAccount } from "#features/figures/index.ts";
import { systemType } from "./narrowing.store.ts";

export interface Facts {
  system_type: string;
  /** Null: the secret is not failing. */
  severity: Severity | null;
  safe_id: string | null;
  safe_name: string | null;
  /** Active grants, newest first. */
  grants: { session_id: string; session_name: string; user_id: string }[];
}

/** Null: the credential was deleted. */
export async function readFacts(db: Db, id: string): Promise<Facts | null> {
  const query = sql<Facts>`
    select ${systemType} as system_type, ${severity} as severity, credentials.safe_id, safes.name as safe_name,
      (select coalesce(jsonb_agg(jsonb_build_object('session_id', id, 'session_name', resource, 'user_id', user_id)
         order by created_at desc, id desc), '[]')
       from access_requests request where account_id = credentials.id and ${isInForce(sql`request`)}) as grants
    from credentials ${withAccount}
    where credentials.id = ${id} and credentials.deleted_at is null`.compile(db);
  return (await db.executeQuery(named("validation.facts", query))).rows[0] ?? null;
}
