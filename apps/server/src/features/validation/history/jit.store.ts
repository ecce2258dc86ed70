// Reads active grants and the status of their accounts, for their owners and approvers.
import { sql } from "kysely";
import { isFailingRow } from "#features/secrets/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { mayValidate } from "../list-conditions.store.ts";
import type { GrantQueries, Sql, Viewer } from "#features/figures/index.ts";

export interface JitRow {
  session_id: string;
  session_name: string;
  requester: string;
  ends_at: Date;
  id: string;
  name: string;
  host: string | null;
  username: string | null;
  system_type: string;
  verification_status: string;
  verify_after: Date | null;
  verification_error: string | null;
  last_verification_attempt: Date | null;
  method: string | null;
  duration_ms: number | null;
  may_validate: boolean;
}

const HAS_ISSUES = sql`credentials.verification_status <> 'verified'`;

/** Access requests with the account that each grants. */
const inForce = (actor: Viewer, { requestsSeenBy }: GrantQueries): Sql => sql`
  ${requestsSeenBy(actor)} request
  join credentials on credentials.id = request.account_id and credentials.deleted_at is null`;

export interface JitQuery {
  hasIssues: boolean | null;
  limit: number;
  /** The page position, by the end of the grant. */
  after: TimePlace | null;
  /** Null includes all grants. */
  sessionId: string | null;
}

/** The grant that ends first comes first. Returns at most `limit` + 1 rows. */
export async function listSessions(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  { hasIssues, limit, after, sessionId }: JitQuery,
): Promise<JitRow[]> {
  const conditions = [
    sql`request.is_in_force`,
    ...(hasIssues === null ? [] : [sql`(${HAS_ISSUES}) = ${hasIssues}`]),
    ...(sessionId === null ? [] : [sql`request.id = ${sessionId}`]),
    ...(after === null ? [] : [sql`(request.ends_at, request.id) > (${after.at}, ${after.id}::uuid)`]),
  ];
  const { rows } = await sql<JitRow>`
    select request.id as session_id, request.resource as session_name, person.name as requester, request.ends_at,
      credentials.id, credentials.name, credentials.host, credentials.username, accounts.system_type,
      credentials.verification_status, credentials.verify_after, credentials.verification_error, credentials.last_verification_attempt,
      last.method, last.duration_ms, ${mayValidate(actor)} as may_validate
    from ${inForce(actor, grants)}
    join accounts on accounts.id = credentials.id
    join users person on person.id = request.user_id
    left join lateral (
      select method, duration_ms from verification_attempts attempt
      where attempt.credential_id = credentials.id and attempt.finished_at is not null
      order by started_at desc, id desc limit 1
    ) last on true
    where ${sql.join(conditions, sql` and `)}
    order by request.ends_at, request.id limit ${limit + 1}`.execute(db);
  return rows;
}

export interface JitCounts {
  active: number;
  with_issues: number;
  /** Grants that end within an hour and whose account fails verification. */
  expiring: number;
}

export async function countSessions(db: Db, actor: Viewer, grants: GrantQueries): Promise<JitCounts> {
  const { rows } = await sql<JitCounts>`
    select count(*)::integer as active, (count(*) filter (where ${HAS_ISSUES}))::integer as with_issues,
      (count(*) filter (where ${isFailingRow}
        and request.ends_at < access_time() + interval '1 hour'))::integer as expiring
    from ${inForce(actor, grants)} where request.is_in_force`.execute(db);
  return rows[0]!;
}

export interface JitTried {
  attempts: number;
  successes: number;
  /** In milliseconds; null without attempts. */
  average: number | null;
}

/** Counts attempts since `since` on accounts while a grant was active. */
export async function readJitTried(db: Db, actor: Viewer, grants: GrantQueries, since: Date): Promise<JitTried> {
  const { rows } = await sql<JitTried>`
    select count(*)::integer as attempts, (count(*) filter (where outcome = 'verified'))::integer as successes,
      avg(duration_ms)::float8 as average
    from verification_attempts where outcome not in ('unsupported', 'aborted') and id in (
      select attempt.id from ${grants.requestsSeenBy(actor)} request
      join verification_attempts attempt on attempt.credential_id = request.account_id
        and attempt.started_at >= greatest(request.starts_at, ${since}::timestamptz)
        and attempt.started_at < least(coalesce(request.ended_at, 'infinity'), request.ends_at)
      where request.starts_at is not null and request.ends_at > ${since})`.execute(db);
  return rows[0]!;
}
