// Managed and unmanaged accounts by day, and how long privileged accounts have been unmanaged. An account is managed
// while a safe contains an account with its name on its host.
import { MOST_AGED } from "@strongroom/contract";
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { loginOf } from "./accounts/discovered.store.ts";
import { visibleTargets } from "./targets/targets.store.ts";

const DAY_MS = 86_400_000;

interface Day {
  day: string;
  managed: number;
  unmanaged: number;
  unmanaged_privileged: number;
}

/** The managed accounts by target: safes contain fewer logins than scans find accounts, so this reads from their side. */
const managedOf = (isWanted: ReturnType<typeof sql>) => sql`(
  select found.target_id, count(distinct found.id) as managed,
    count(distinct found.id) filter (where found.is_privileged) as managed_privileged
  from credentials join discovered_accounts found
    on lower(found.hostname) = lower(credentials.host) and ${loginOf("found")} = lower(credentials.username)
  where credentials.user_id is null and credentials.deleted_at is null and found.missing_since is null and ${isWanted}
  group by found.target_id)`;

const countsOf = (isWanted: ReturnType<typeof sql>) => sql`(
  select found.target_id, coalesce(max(managed.managed), 0) as managed,
    sum(found.count) - coalesce(max(managed.managed), 0) as unmanaged,
    coalesce(sum(found.count) filter (where found.is_privileged), 0) - coalesce(max(managed.managed_privileged), 0)
      as unmanaged_privileged
  from discovered_counts found left join ${managedOf(isWanted)} managed on managed.target_id = found.target_id
  where not found.is_missing and ${isWanted}
  group by found.target_id)`;

/** Records the counts of the day, of one target or of all. A target without accounts gets zeros. */
export async function recordDay(db: Db, now: Date, targetId: string | null = null): Promise<void> {
  const isWanted = targetId === null ? sql`true` : sql`found.target_id = ${targetId}`;
  await sql`
    insert into discovery_daily_counts (target_id, day, managed, unmanaged, unmanaged_privileged)
    select target.id, ${now}::date, coalesce(managed, 0), coalesce(unmanaged, 0), coalesce(unmanaged_privileged, 0)
    from discovery_targets target left join ${countsOf(isWanted)} counts on counts.target_id = target.id
    ${targetId === null ? sql`` : sql`where target.id = ${targetId}`} order by target.id
    on conflict (target_id, day) do update set managed = excluded.managed, unmanaged = excluded.unmanaged,
      unmanaged_privileged = excluded.unmanaged_privileged`.execute(db);
}

/** The existing accounts at the end of each day: the latest count of each target until then. Today's are current. */
export async function readTrend(db: Db, actor: Actor, since: Date, now: Date): Promise<Day[]> {
  const { rows } = await sql<Day>`
    with seen as materialized (select id from ${visibleTargets(actor)} visible),
    days as (select generate_series(${since}::date, ${now}::date, '1 day')::date as day),
    counted as materialized (
      select target_id, day, managed, unmanaged, unmanaged_privileged from discovery_daily_counts
      where target_id in (select id from seen) and day < ${now}::date
      union all
      select target_id, ${now}::date, managed, unmanaged, unmanaged_privileged
      from ${countsOf(sql`found.target_id in (select id from seen)`)} counts
    )
    select to_char(days.day, 'YYYY-MM-DD') as day, coalesce(sum(latest.managed), 0)::integer as managed,
      coalesce(sum(latest.unmanaged), 0)::integer as unmanaged,
      coalesce(sum(latest.unmanaged_privileged), 0)::integer as unmanaged_privileged
    from days left join lateral (
      select distinct on (target_id) managed, unmanaged, unmanaged_privileged from counted
      where counted.day <= days.day order by target_id, counted.day desc
    ) latest on true
    group by days.day order by days.day`.execute(db);
  return rows;
}

/** Days since the account was found: `from` up to, but not including, `to`. */
const AGES = [
  { age: "under_7_days", from: 0, to: 7 },
  { age: "7_to_30_days", from: 7, to: 30 },
  { age: "30_to_90_days", from: 30, to: 90 },
  { age: "over_90_days", from: 90, to: 36_500 },
] as const;

/** At most `MOST_AGED` of each age, because counting more takes long. */
export function readAges(db: Db, actor: Actor, now: Date) {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  return Promise.all(
    AGES.map(async ({ age, from, to }) => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from (
          select from discovered_accounts found join ${visibleTargets(actor)} seen on seen.id = found.target_id
          where found.is_privileged and found.missing_since is null
            and found.discovered_at <= ${before(from)} and found.discovered_at > ${before(to)}
            and not exists (
              select from credentials where user_id is null and deleted_at is null
                and lower(host) = lower(found.hostname) and lower(username) = ${loginOf("found")})
          limit ${MOST_AGED}
        ) counted`.execute(db);
      return { age, count: rows[0]?.count ?? 0 };
    }),
  );
}
