// Counts targets, scans and discovered accounts for the Statistics tab.
import type { discoveryStatistics } from "@strongroom/contract";
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { loginOf } from "./accounts/discovered.store.ts";
import type { DiscoveryContext } from "./discovery.ts";
import { visibleTargets } from "./targets/targets.store.ts";
import { readAges, readTrend } from "./trends.ts";

const DAY_MS = 86_400_000;
const DAYS = { "7d": 7, "30d": 30, "90d": 90 } as const;
const MOST_ACTIVITY = 20;

/** DISC-48. */
export async function readStatistics({ kernel }: DiscoveryContext, call: Call<typeof discoveryStatistics>, db: Db) {
  const now = kernel.clock.now();
  const since = new Date(now.getTime() - DAYS[call.query.range] * DAY_MS);
  const [counts, activity, trend, ages] = await Promise.all([
    countAll(db, call.actor, since),
    readActivity(db, call.actor, since),
    readTrend(db, call.actor, since, now),
    readAges(db, call.actor, now),
  ]);
  return {
    ...counts,
    recent_activity: activity.map(({ at, ...rest }) => ({ ...rest, timestamp: at.toISOString() })),
    trend,
    unmanaged_privileged_ages: ages,
  };
}

interface Counts {
  total_targets: number;
  active_targets: number;
  total_scans: number;
  running_scans: number;
  total_discovered_accounts: number;
  pending_approval: number;
  approved_accounts: number;
  rejected_accounts: number;
  unmanaged_privileged_accounts: number;
}

async function countAll(db: Db, actor: Actor, since: Date): Promise<Counts> {
  const { rows } = await sql<Counts>`
    with seen as materialized (
      select target.id, target.is_active from ${visibleTargets(actor)} seen
      join discovery_targets target on target.id = seen.id
    ), found as (
      select status, is_privileged and not is_missing as is_privileged, sum(count)::integer as count
      from discovered_counts where target_id in (select id from seen) group by 1, 2
    )
    select (select count(*)::integer from seen) as total_targets,
      (select count(*)::integer from seen where is_active) as active_targets,
      (select count(*)::integer from discovery_scans
        where target_id in (select id from seen) and created_at >= ${since}) as total_scans,
      (select count(*)::integer from discovery_scans
        where target_id in (select id from seen) and status in ('pending', 'running')) as running_scans,
      (select coalesce(sum(count), 0)::integer from found) as total_discovered_accounts,
      (select coalesce(sum(count), 0)::integer from found where status = 'pending_approval') as pending_approval,
      (select coalesce(sum(count), 0)::integer from found where status = 'active') as approved_accounts,
      (select coalesce(sum(count), 0)::integer from found where status = 'rejected') as rejected_accounts,
      -- Safes contain fewer logins than scans find accounts, so the managed ones are counted.
      (select coalesce(sum(count), 0)::integer from found where is_privileged) - (
        select count(distinct found.id)::integer from credentials join discovered_accounts found
          on lower(found.hostname) = lower(credentials.host) and ${loginOf("found")} = lower(credentials.username)
        where credentials.user_id is null and credentials.deleted_at is null
          and found.is_privileged and found.missing_since is null and found.target_id in (select id from seen)
      ) as unmanaged_privileged_accounts`.execute(db);
  return rows[0]!;
}

interface Activity {
  type: "target_created" | "scan_completed" | "scan_failed" | "scan_cancelled";
  message: string;
  at: Date;
}

async function readActivity(db: Db, actor: Actor, since: Date): Promise<Activity[]> {
  const { rows } = await sql<Activity>`
    with seen as materialized (select id from ${visibleTargets(actor)} visible)
    (select 'target_created' as type, 'Target "' || name || '" was created' as message, created_at as at
      from discovery_targets where id in (select id from seen) and created_at >= ${since}
      order by created_at desc limit ${MOST_ACTIVITY})
    union all
    (select 'scan_' || scan.status, case scan.status
        when 'completed' then 'Scan of "' || target.name || '" found ' || scan.accounts_discovered ||
          case scan.accounts_discovered when 1 then ' account' else ' accounts' end
        when 'failed' then 'Scan of "' || target.name || '" failed: ' || scan.error_message
        else 'Scan of "' || target.name || '" was cancelled' end, scan.completed_at
      from discovery_scans scan join discovery_targets target on target.id = scan.target_id
      where scan.target_id in (select id from seen) and scan.completed_at >= ${since}
      order by scan.completed_at desc limit ${MOST_ACTIVITY})
    order by at desc limit ${MOST_ACTIVITY}`.execute(db);
  return rows;
}
