// How the stored secrets stand that somebody sees, and which of them need a person: their own, and those of safes and grants.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { isSeen, seen, seenRows } from "#features/validation/index.ts";
import type { GrantQueries, Who } from "#features/validation/index.ts";

export interface Figures {
  total: number;
  /** Verified since the given time, and nothing has failed since. */
  verifiedSince: number;
}

/** Counted from indexes alone: at 100,000 of them the counting is what costs. */
export async function readFigures(db: Db, actor: Who, grants: GrantQueries, since: Date): Promise<Figures> {
  const { rows } = await sql<Figures>`
    with ${seen(actor, grants)}
    select count(*)::integer as total, (count(*) filter (
      where verification_status = 'verified' and verified_at >= ${since}))::integer as "verifiedSince"
    from ${seenRows(actor, sql`verification_status, verified_at`)} mine`.execute(db);
  return rows[0]!;
}

interface Named {
  id: string;
  name: string;
  /** It is in a safe, and not in a person's vault. */
  isAccount: boolean;
}

export interface Failing extends Named {
  message: string | null;
  attemptedAt: Date | null;
  /** The host key has changed. */
  isAlarm: boolean;
  /** The target said no, so the stored secret is wrong. */
  isRejected: boolean;
}

/** What needs a person: alarms, then rejected secrets, then what could not be tried; each newest first. */
export async function listFailing(db: Db, actor: Who, grants: GrantQueries, limit: number): Promise<Failing[]> {
  const { rows } = await sql<Failing>`
    with ${seen(actor, grants)}
    select id, name, safe_id is not null as "isAccount", verification_error as message,
      last_verification_attempt as "attemptedAt", offered_host_key is not null as "isAlarm",
      rejected_revision is not distinct from login_revision as "isRejected"
    from credentials
    where verification_status = 'failed' and ${isSeen(actor)}
    order by "isAlarm" desc, "isRejected" desc, last_verification_attempt desc
    limit ${limit}`.execute(db);
  return rows;
}

export interface Ending extends Named {
  expiresAt: Date;
}

/** Secrets that end to be valid before then, soonest first. */
export async function listEnding(
  db: Db,
  actor: Who,
  grants: GrantQueries,
  { before, limit }: { before: Date; limit: number },
): Promise<Ending[]> {
  const { rows } = await sql<Ending>`
    with ${seen(actor, grants)}
    select id, name, safe_id is not null as "isAccount", expires_at as "expiresAt"
    from credentials
    where expires_at < ${before} and ${isSeen(actor)}
    order by expires_at
    limit ${limit}`.execute(db);
  return rows;
}
