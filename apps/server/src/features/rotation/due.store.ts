// What decides whether a secret may be changed now, and which accounts are due.
import { sql } from "kysely";
import type { AccountStatus, Platform } from "@strongroom/contract";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Reach } from "./reach.policy.ts";
import { reachOf } from "./reach.store.ts";

type Because = "check-in" | "one-time" | "grant-ended" | "asked";

export interface Circumstances {
  /** Null: no account. */
  account_status: AccountStatus | null;
  is_platform_active: boolean | null;
  rotate_as: Platform["rotate_as"] | null;
  /** How far the platform's reconcile account reaches; null: there is none. */
  reconciler: Reach | null;
}

const reconciler: RawBuilder<Circumstances["reconciler"]> = sql`(
  select ${reachOf("other")}
  from credentials other join accounts theirs on theirs.id = other.id and theirs.status = 'active'
  where other.id = platforms.reconcile_account_id and other.id <> accounts.id and other.deleted_at is null)`;

export async function readCircumstances(db: Db, id: string): Promise<Circumstances> {
  const { rows } = await sql<Circumstances>`
    select accounts.status as account_status, platforms.is_active as is_platform_active, platforms.rotate_as,
      ${reconciler} as reconciler
    from (select ${id}::uuid as id) it
    left join accounts on accounts.id = it.id left join platforms on platforms.id = accounts.platform_id`.execute(db);
  return rows[0]!;
}

export interface DueRow extends Circumstances {
  id: string;
  rotated_at: Date;
  rotate_every_days: number | null;
  rotation_window: Platform["rotation_window"];
  rotation_jitter_minutes: number;
  wanted_because: Because | null;
}

/** Looked at in one go; the rest has its turn a minute later. */
const MOST_DUE = 20_000;

const hour = sql`extract(hour from access_time() at time zone 'UTC')`;

/** As `isWithin` says, so that what waits for its hours takes nobody's place. */
const isWithinWindow = sql<boolean>`(platforms.rotation_window is null or case
    when (platforms.rotation_window ->> 'from_hour')::integer < (platforms.rotation_window ->> 'to_hour')::integer
      then ${hour} >= (platforms.rotation_window ->> 'from_hour')::integer
        and ${hour} < (platforms.rotation_window ->> 'to_hour')::integer
    else ${hour} >= (platforms.rotation_window ->> 'from_hour')::integer
      or ${hour} < (platforms.rotation_window ->> 'to_hour')::integer end)`;

/**
 * Accounts whose change is wanted, or whose interval is over, longest first, and of which no rotation is open. Active ones
 * alone, on active platforms and in active safes. One that somebody has checked out waits, unless the change is wanted; one
 * whose rotation a person has given up waits for a day.
 */
export async function findDue(db: Db): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`
    select accounts.id, accounts.rotated_at, accounts.rotation_wanted_because as wanted_because,
      case when platforms.rotate_automatically then platforms.rotate_every_days end as rotate_every_days,
      platforms.rotation_window, platforms.rotation_jitter_minutes,
      accounts.status as account_status, platforms.is_active as is_platform_active, platforms.rotate_as,
      ${reconciler} as reconciler
    from accounts
    join platforms on platforms.id = accounts.platform_id and platforms.is_active and platforms.deleted_at is null
    join credentials on credentials.id = accounts.id and credentials.deleted_at is null
    join safes on safes.id = credentials.safe_id and safes.status = 'active'
    where accounts.status = 'active'
      and (accounts.rotation_skipped_until is null or accounts.rotation_skipped_until <= access_time())
      and (accounts.rotation_wanted_at is not null or (
        platforms.rotate_automatically and ${isWithinWindow}
        and accounts.rotated_at <= access_time() - make_interval(hours => 24 * platforms.rotate_every_days)
        and not exists (
          select from account_check_outs held where held.account_id = accounts.id and held.until > access_time())
        and not exists (
          select from rotations given_up
          where given_up.credential_id = accounts.id and given_up.outcome = 'cancelled'
            and given_up.ended_at > access_time() - interval '1 day')))
      and not exists (select from rotations open where open.credential_id = accounts.id and open.step <> 'ended')
    order by accounts.rotation_wanted_at nulls last, accounts.rotated_at limit ${sql.lit(MOST_DUE)}`.execute(db);
  return rows;
}

/** How many rotations that nobody asked for were begun within the last minute. */
export async function countBegun(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from rotations
    where started_at > access_time() - interval '1 minute' and asked_by is null`.execute(db);
  return rows[0]!.count;
}

/** Nothing can change them now: they are looked at again in an hour, and hold up no others until then. */
export async function skipForNow(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update accounts set rotation_skipped_until = access_time() + interval '1 hour'
    where id = any(${[...ids]}::uuid[])`.execute(tx);
}
