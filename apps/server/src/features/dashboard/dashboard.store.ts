// Reads what needs action among the secrets that a user sees, grouped by cause; each group is one row.
import { ALERT_SEVERITIES } from "@strongroom/contract";
import type { FailingStatus, Severity } from "@strongroom/contract";
import { sql } from "kysely";
import { causeColumn, isFailingRow } from "#features/secrets/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { isRotationStopped, isVisibleSecret, visibleSecrets, severity, withAccount } from "#features/figures/index.ts";
import type { GrantQueries, Viewer } from "#features/figures/index.ts";
import type { EndingGroup } from "./dashboard.policy.ts";

/** Secrets with one thing in common. The fields of a single secret are those of the only one if `count` is 1. */
interface Group {
  count: number;
  /** How many of them are in safes, not in a user's vault. */
  accounts: number;
  id: string;
  name: string;
}

export interface FailingGroup extends Group {
  cause: string;
  status: FailingStatus;
  /** The worst of the group. */
  severity: Severity;
  message: string | null;
  /** The latest attempt of the group. */
  attemptedAt: Date | null;
}

const RANKS = sql.lit(`{${ALERT_SEVERITIES.join(",")}}`);

/** Failing secrets by cause: the most severe first, then the largest group. */
export async function listFailing(db: Db, actor: Viewer, grants: GrantQueries): Promise<FailingGroup[]> {
  const { rows } = await sql<FailingGroup>`
    with ${visibleSecrets(actor, grants)},
    failing as (
      select credentials.id, credentials.name, credentials.safe_id, credentials.verification_status,
        credentials.verification_error, credentials.last_verification_attempt, ${causeColumn} as cause,
        array_position(${RANKS}::text[], ${severity}) as rank
      from credentials ${withAccount} where ${isFailingRow} and ${isVisibleSecret(actor)}
    )
    select cause, count(*)::integer as count, count(safe_id)::integer as accounts, min(id::text) as id,
      min(name) as name, min(verification_status) as status, (${RANKS}::text[])[min(rank)] as severity,
      min(verification_error) as message, max(last_verification_attempt) as "attemptedAt"
    from failing group by cause
    order by min(rank), count(*) desc, cause`.execute(db);
  return rows;
}

export interface StoppedGroup extends Group {
  message: string | null;
  startedAt: Date | null;
}

/** The rotations that wait for a decision. */
export async function readStopped(db: Db, actor: Viewer, grants: GrantQueries): Promise<StoppedGroup> {
  const { rows } = await sql<StoppedGroup>`
    with ${visibleSecrets(actor, grants)}
    select count(*)::integer as count, count(credentials.safe_id)::integer as accounts,
      min(credentials.id::text) as id, min(credentials.name) as name, min(rotation.message) as message,
      max(rotation.started_at) as "startedAt"
    from rotations rotation join credentials on credentials.id = rotation.credential_id
    where rotation.needs_attention and rotation.step <> 'ended' and ${isVisibleSecret(actor)}`.execute(db);
  return rows[0]!;
}

export interface EndingRow extends Group {
  group: EndingGroup["id"];
  /** The first expiry of the group. */
  expiresAt: Date;
}

/** Secrets that expire within the given limits, by group. */
export async function listEnding(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  limits: readonly { id: EndingGroup["id"]; until: Date }[],
): Promise<EndingRow[]> {
  const last = limits.at(-1)!.until;
  const groupOf = sql.join(
    limits.map(({ id, until }) => sql`when expires_at < ${until} then ${id}::text`),
    sql` `,
  );
  const { rows } = await sql<EndingRow>`
    with ${visibleSecrets(actor, grants)},
    ending as (
      select id, name, safe_id, expires_at, case ${groupOf} end as "group"
      from credentials where expires_at < ${last} and ${isVisibleSecret(actor)}
    )
    select "group", count(*)::integer as count, count(safe_id)::integer as accounts, min(id::text) as id,
      min(name) as name, min(expires_at) as "expiresAt"
    from ending group by "group" order by min(expires_at)`.execute(db);
  return rows;
}

export interface RotationCounts {
  date: string;
  rotated: number;
  other: number;
}

/** Finished rotations by day (UTC); days without any are missing. */
export async function countRotations(
  db: Db,
  actor: Viewer,
  grants: GrantQueries,
  since: Date,
): Promise<RotationCounts[]> {
  const { rows } = await sql<RotationCounts>`
    with ${visibleSecrets(actor, grants)}
    select to_char(rotation.ended_at at time zone 'UTC', 'YYYY-MM-DD') as date,
      (count(*) filter (where rotation.outcome = 'rotated'))::integer as rotated,
      (count(*) filter (where rotation.outcome <> 'rotated'))::integer as other
    from rotations rotation join credentials on credentials.id = rotation.credential_id
    where rotation.ended_at >= ${since} and ${isVisibleSecret(actor)}
    group by 1`.execute(db);
  return rows;
}

/** The rotations that stopped, and the accounts whose rotation is due soon or overdue. */
export async function countRotationWork(db: Db, actor: Viewer, grants: GrantQueries, due: typeof isRotationStopped) {
  const { rows } = await sql<{ stopped: number; due: number }>`
    with ${visibleSecrets(actor, grants)}
    select
      (select count(*)::integer from credentials where ${isRotationStopped} and ${isVisibleSecret(actor)}) as stopped,
      (select count(*)::integer from credentials
       where id in (${due}) and safe_id is not null and ${isVisibleSecret(actor)}) as due`.execute(db);
  return rows[0]!;
}

export interface RecentRow {
  id: string;
  name: string;
  host: string | null;
  username: string | null;
  system_type: string;
  safe_name: string;
  used_at: Date;
}

/** Of each source, this many of the user's newest uses are read. */
const READ = 100;
/** The audit trail holds other events of the user, too. */
const READ_OF_TRAIL = 1_000;

/** The accounts that the user used last, the newest first. INVARIANT: only those that the user can still see. */
export async function listRecent(db: Db, actor: Viewer, grants: GrantQueries, limit: number): Promise<RecentRow[]> {
  const { rows } = await sql<RecentRow>`
    with ${visibleSecrets(actor, grants)},
    trail as materialized (
      select event, target_id, at from audit_entries
      where actor_id = ${actor.id} and result = 'success' order by seq desc limit ${READ_OF_TRAIL}
    ),
    used (account_id, at) as (
      (select account_id, started_at from sessions
       where user_id = ${actor.id} and started_at is not null order by started_at desc limit ${READ})
      union all
      (select account_id, created_at from access_requests
       where user_id = ${actor.id} and account_id is not null order by created_at desc limit ${READ})
      union all
      select target_id::uuid, at from trail where event in ('account.retrieved', 'account.version-retrieved')
    ),
    latest as (select account_id, max(at) as used_at from used group by account_id)
    select credentials.id, credentials.name, credentials.host, credentials.username, accounts.system_type,
      safes.name as safe_name, latest.used_at
    from latest join credentials on credentials.id = latest.account_id
    join accounts on accounts.id = credentials.id join safes on safes.id = credentials.safe_id
    where ${isVisibleSecret(actor)}
    order by latest.used_at desc, credentials.id limit ${limit}`.execute(db);
  return rows;
}
