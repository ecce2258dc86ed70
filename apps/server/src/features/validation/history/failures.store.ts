// Finds failing secrets, latest failure first, with the duration of the failure and the active grants.
import type { FailingStatus, Outcome, Severity, SystemFamily } from "@strongroom/contract";
import { sql } from "kysely";
import { hasVerificationStatus, isFailingRow } from "#features/secrets/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { isVisibleSecret, visibleSecrets, severity, withAccount } from "#features/figures/index.ts";
import { isNamed, isOfFamily, mayValidate, systemType } from "../list-conditions.store.ts";
import type { GrantQueries, Viewer } from "#features/figures/index.ts";

export interface FailureRow {
  id: string;
  user_id: string | null;
  name: string;
  host: string | null;
  username: string | null;
  system_type: string;
  severity: string;
  verification_status: FailingStatus;
  verification_error: string | null;
  last_verification_attempt: Date | null;
  outcome: Outcome | null;
  code: string | null;
  failure_count: number;
  first_failed_at: Date | null;
  sessions: { session_id: string; session_name: string }[];
  may_validate: boolean;
}

export interface FailuresQuery {
  actor: Viewer;
  grants: GrantQueries;
  /** Case-folded; null matches any text. */
  text: string | null;
  system: SystemFamily | null;
  severity: Severity | null;
  status: FailingStatus | null;
  /** Null matches any time. */
  since: Date | null;
  limit: number;
  after: TimePlace | null;
}

export interface Failures {
  /** At most `limit` + 1 rows. */
  rows: FailureRow[];
  /** The number of matching rows of each severity, ignoring the query's own severity filter. */
  bySeverity: Record<Severity, number>;
}

export async function findFailures(db: Db, query: FailuresQuery): Promise<Failures> {
  const { actor, grants, after, limit } = query;
  const page = [
    ...(query.severity === null ? [] : [sql`severity = ${query.severity}`]),
    ...(after === null
      ? []
      : [sql`(coalesce(last_verification_attempt, 'epoch'), id) < (${after.at}, ${after.id}::uuid)`]),
  ];
  const { rows } = await sql<{ counts: Partial<Record<Severity, number>>; page: { id: string; severity: string }[] }>`
    with ${visibleSecrets(actor, grants)},
    failing as materialized (
      select credentials.id, credentials.last_verification_attempt, ${severity} as severity
      from credentials ${withAccount}
      where ${isFailing(query)}
    ), page as (
      select id, severity, last_verification_attempt from failing
      where ${sql.join([sql`true`, ...page], sql` and `)}
      order by coalesce(last_verification_attempt, 'epoch') desc, id desc limit ${limit + 1}
    )
    select
      (select coalesce(jsonb_object_agg(severity, count), '{}') from (
        select severity, count(*)::integer as count from failing group by severity) counted) as counts,
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'severity', severity)
        order by coalesce(last_verification_attempt, 'epoch') desc, id desc), '[]') from page) as page`.execute(db);
  const found = rows[0]!;
  const bySeverity = { critical: 0, high: 0, medium: 0, low: 0, ...found.counts };
  return { rows: await describe(db, query, found.page), bySeverity };
}

const isFailing = ({ actor, text, system, status, since }: FailuresQuery) =>
  sql.join(
    [
      isFailingRow,
      ...(status === null ? [] : [hasVerificationStatus(status)]),
      isVisibleSecret(actor),
      ...(text === null ? [] : [isNamed(text)]),
      ...(system === null ? [] : [isOfFamily(systemType, system)]),
      ...(since === null ? [] : [sql`credentials.last_verification_attempt >= ${since}`]),
    ],
    sql` and `,
  );

/** Reads the rows of one page. Counts only those attempts since the last success that are still kept. */
async function describe(
  db: Db,
  { actor, grants }: FailuresQuery,
  page: readonly { id: string; severity: string }[],
): Promise<FailureRow[]> {
  if (page.length === 0) return [];
  const ids = page.map(({ id }) => id);
  const { rows } = await sql<Omit<FailureRow, "severity">>`
    select credentials.id, credentials.user_id, credentials.name, credentials.host, credentials.username,
      ${systemType} as system_type, credentials.verification_status, credentials.verification_error, credentials.last_verification_attempt,
      last.outcome, last.code, coalesce(failed.count, 0)::integer as failure_count, failed.first_failed_at,
      ${mayValidate(actor)} as may_validate,
      (select coalesce(jsonb_agg(jsonb_build_object('session_id', request.id, 'session_name', request.resource)
         order by request.ends_at), '[]')
       from ${grants.requestsSeenBy(actor)} request
       where request.account_id = credentials.id and request.is_in_force) as sessions
    from credentials left join accounts on accounts.id = credentials.id
    left join lateral (
      select outcome, code from verification_attempts attempt
      where attempt.credential_id = credentials.id and attempt.outcome <> 'aborted'
      order by started_at desc, id desc limit 1
    ) last on true
    left join lateral (
      select count(*) as count, min(attempt.finished_at) as first_failed_at from verification_attempts attempt
      where attempt.credential_id = credentials.id and not attempt.is_outdated
        and attempt.outcome in ('rejected', 'unreachable', 'misconfigured')
        and attempt.finished_at > coalesce(credentials.verified_at, '-infinity')
    ) failed on true
    where credentials.id = any(${ids}::uuid[])`.execute(db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return page.flatMap(({ id, severity: grave }) => {
    const row = byId.get(id);
    return row === undefined ? [] : [{ ...row, severity: grave }];
  });
}
