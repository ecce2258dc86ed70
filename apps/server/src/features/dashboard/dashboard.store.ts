// Reads the visible secrets that need attention: those that fail or expire.
import { ALERT_SEVERITIES } from "@strongroom/contract";
import type { FailingStatus, Severity } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { isFailingRow } from "#features/secrets/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { isVisibleSecret, visibleSecrets, severity, withAccount } from "#features/figures/index.ts";
import type { GrantQueries, Viewer } from "#features/figures/index.ts";

interface Named {
  id: string;
  name: string;
  /** In a safe, not in a user's vault. */
  isAccount: boolean;
}

export interface Failing extends Named {
  status: FailingStatus;
  severity: Severity;
  message: string | null;
  attemptedAt: Date | null;
  /** The host key has changed. */
  isAlarm: boolean;
}

/** Failing secrets: the most severe first, then the newest. */
export async function listFailing(db: Db, actor: Viewer, grants: GrantQueries, limit: number): Promise<Failing[]> {
  const { rows } = await sql<Failing>`
    with ${visibleSecrets(actor, grants)},
    failing as (
      select credentials.id, credentials.last_verification_attempt, ${severity} as severity
      from credentials ${withAccount} where ${isFailingRow} and ${isVisibleSecret(actor)}
      order by ${rankOf(sql`${severity}`)}, credentials.last_verification_attempt desc limit ${limit}
    )
    select id, name, safe_id is not null as "isAccount", verification_status as status, severity,
      verification_error as message, credentials.last_verification_attempt as "attemptedAt",
      offered_host_key is not null as "isAlarm"
    from failing join credentials using (id)
    order by ${rankOf(sql`severity`)}, credentials.last_verification_attempt desc`.execute(db);
  return rows;
}

const rankOf = (column: RawBuilder<unknown>) =>
  sql`array_position(${sql.lit(`{${ALERT_SEVERITIES.join(",")}}`)}::text[], ${column})`;

export interface Ending extends Named {
  expiresAt: Date;
}

/** Secrets that expire before the given time, soonest first. */
export async function listEnding(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  { before, limit }: { before: Date; limit: number },
): Promise<Ending[]> {
  const { rows } = await sql<Ending>`
    with ${visibleSecrets(actor, grants)}
    select id, name, safe_id is not null as "isAccount", expires_at as "expiresAt"
    from credentials
    where expires_at < ${before} and ${isVisibleSecret(actor)}
    order by expires_at
    limit ${limit}`.execute(db);
  return rows;
}
