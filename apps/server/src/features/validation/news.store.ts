// What is to be told of one stored secret: how grave its state is, to whom it is lent, and who looks after it.
import type { Severity } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import { severity, systemType, withAccount } from "./seen.store.ts";

export interface Facts {
  system_type: string;
  /** Null: it does not fail. */
  severity: Severity | null;
  safe_id: string | null;
  safe_name: string | null;
  /** Grants in force, the newest first. */
  grants: { session_id: string; session_name: string; user_id: string }[];
}

const inForce = sql`state = 'granted' and starts_at <= access_time() and ends_at > access_time()`;

/** Null: it was deleted. */
export async function readFacts(db: Db, id: string): Promise<Facts | null> {
  const query = sql<Facts>`
    select ${systemType} as system_type, ${severity} as severity, credentials.safe_id, safes.name as safe_name,
      (select coalesce(jsonb_agg(jsonb_build_object('session_id', id, 'session_name', resource, 'user_id', user_id)
         order by created_at desc, id desc), '[]')
       from access_requests where account_id = credentials.id and ${inForce}) as grants
    from credentials ${withAccount}
    where credentials.id = ${id} and credentials.deleted_at is null`.compile(db);
  return (await db.executeQuery(named("validation.facts", query))).rows[0] ?? null;
}
