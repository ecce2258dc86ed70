// Reads whether a secret may be rotated now, and which accounts are due.
import { sql } from "kysely";
import type { AccountStatus, Platform } from "@strongroom/contract";
import type { RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { afterUse, isCheckedOut, isInUse } from "#features/accounts/index.ts";
import type { ReconcileScope } from "../reconcile/reconcile-scope.policy.ts";
import { reconcileScopeOf } from "../reconcile/reconcile-scope.store.ts";

type Because = "check-in" | "one-time" | "grant-ended" | "asked";

export interface RotationConditions {
  /** Null: the secret does not belong to an account. */
  account_status: AccountStatus | null;
  /** The stored secret is a placeholder, so that only the reconcile account can change the target's. */
  is_password_unknown: boolean;
  is_platform_active: boolean | null;
  rotate_as: Platform["rotate_as"] | null;
  /** The scope of the platform's reconcile account; null without one. */
  reconciler: ReconcileScope | null;
}

const reconciler: RawBuilder<RotationConditions["reconciler"]> = sql`(
  select ${reconcileScopeOf("other")}
  from credentials other join accounts theirs on theirs.id = other.id and theirs.status = 'active'
  where other.id = platforms.reconcile_account_id and other.id is distinct from accounts.id
    and other.deleted_at is null)`;

export async function readConditions(db: Db, id: string): Promise<RotationConditions> {
  const { rows } = await sql<RotationConditions>`
    select accounts.status as account_status, coalesce(accounts.is_password_unknown, false) as is_password_unknown,
      platforms.is_active as is_platform_active, platforms.rotate_as, ${reconciler} as reconciler
    from (select ${id}::uuid as id) it
    left join accounts on accounts.id = it.id left join platforms on platforms.id = accounts.platform_id`.execute(db);
  return rows[0]!;
}

/** For a new account of the platform whose password is unknown. */
export async function readPlatformConditions(db: Db, platformId: string): Promise<RotationConditions> {
  const { rows } = await sql<RotationConditions>`
    select 'pending' as account_status, true as is_password_unknown, platforms.is_active as is_platform_active,
      platforms.rotate_as, ${reconciler} as reconciler
    from platforms cross join (select null::uuid as id) accounts where platforms.id = ${platformId}`.execute(db);
  return rows[0]!;
}

export interface DueRow extends RotationConditions {
  id: string;
  rotated_at: Date;
  rotate_every_days: number | null;
  rotation_window: Platform["rotation_window"];
  rotation_jitter_minutes: number;
  wanted_because: Because | null;
}

/** The limit for one pass. The remaining accounts follow a minute later. */
const MOST_DUE = 20_000;

const hour = sql`extract(hour from access_time() at time zone 'UTC')`;

/** The same rule as `isWithin`, so that accounts outside their window do not use up the limit. */
const isWithinWindow = sql<boolean>`(platforms.rotation_window is null or case
    when (platforms.rotation_window ->> 'from_hour')::integer < (platforms.rotation_window ->> 'to_hour')::integer
      then ${hour} >= (platforms.rotation_window ->> 'from_hour')::integer
        and ${hour} < (platforms.rotation_window ->> 'to_hour')::integer
    else ${hour} >= (platforms.rotation_window ->> 'from_hour')::integer
      or ${hour} < (platforms.rotation_window ->> 'to_hour')::integer end)`;

/** `after-use`: only rotations that an ended use requires. `ids`: only these accounts. */
export type Which = "all" | "after-use" | { ids: readonly string[] };

function conditionOf(which: Which): RawBuilder<boolean> {
  if (which === "all") return sql<boolean>`true`;
  return which === "after-use"
    ? sql<boolean>`(accounts.rotation_wanted_at is not null and ${afterUse(sql`accounts.rotation_wanted_because`)})`
    : sql<boolean>`accounts.id = any(${[...which.ids]}::uuid[])`;
}

/** Whether the rotation after a use waits until no user has the secret. For queries with `accounts` and `platforms`. */
export const waitsForCheckIn: RawBuilder<boolean> = sql<boolean>`coalesce(
  ${afterUse(sql`accounts.rotation_wanted_because`)} and ${isInUse}
  and (platforms.access_until_rotated = 'allowed' or accounts.rotation_block_lifted), false)`;

/**
 * Returns active accounts, on active platforms and in active safes, that have no open rotation and whose rotation is
 * wanted or whose interval has passed; the longest overdue first. A scheduled rotation waits while the secret is in
 * use. A rotation after a use waits only where access is allowed until then. After a user cancels a rotation, the next
 * scheduled one waits for a day.
 */
export async function findDue(db: Db, which: Which = "all"): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`
    select accounts.id, accounts.rotated_at, accounts.rotation_wanted_because as wanted_because,
      case when platforms.rotate_automatically then platforms.rotate_every_days end as rotate_every_days,
      platforms.rotation_window, platforms.rotation_jitter_minutes,
      accounts.status as account_status, accounts.is_password_unknown, platforms.is_active as is_platform_active,
      platforms.rotate_as, ${reconciler} as reconciler
    from accounts
    join platforms on platforms.id = accounts.platform_id and platforms.is_active and platforms.deleted_at is null
    join credentials on credentials.id = accounts.id and credentials.deleted_at is null
    join safes on safes.id = credentials.safe_id and safes.status = 'active'
    where accounts.status = 'active' and ${conditionOf(which)}
      and (accounts.rotation_skipped_until is null or accounts.rotation_skipped_until <= access_time())
      and ((accounts.rotation_wanted_at is not null and not ${waitsForCheckIn}) or (
        platforms.rotate_automatically and ${isWithinWindow}
        and accounts.rotated_at <= access_time() - make_interval(hours => 24 * platforms.rotate_every_days)
        and not ${isCheckedOut}
        and not exists (
          select from rotations given_up
          where given_up.credential_id = accounts.id and given_up.outcome = 'cancelled'
            and given_up.ended_at > access_time() - interval '1 day')))
      and not exists (select from rotations open where open.credential_id = accounts.id and open.step <> 'ended')
    order by accounts.rotation_wanted_at nulls last, accounts.rotated_at limit ${sql.lit(MOST_DUE)}`.execute(db);
  return rows;
}

const BEGIN_LOCK = 7_305_808_873;

/**
 * Prevents other processes from starting unrequested rotations until the transaction ends, so that their count is
 * exact.
 */
export async function lockBeginning(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(BEGIN_LOCK)})`.execute(tx);
}

/** Returns the number of unrequested rotations started within the last minute. */
export async function countBegun(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from rotations
    where started_at > access_time() - interval '1 minute' and asked_by is null`.execute(db);
  return rows[0]!.count;
}

/**
 * Postpones accounts that cannot be rotated now for an hour, so that they do not delay others. Returns the ids of those
 * whose reason is new.
 */
export async function postponeDue(tx: Tx, hindered: readonly { id: string; reason: string }[]): Promise<Set<string>> {
  if (hindered.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    update accounts set rotation_skipped_until = access_time() + interval '1 hour', rotation_hindrance = given.reason
    from (
      select account.id, given.reason, account.rotation_hindrance is distinct from given.reason as is_new
      from unnest(${hindered.map(({ id }) => id)}::uuid[], ${hindered.map(({ reason }) => reason)}::text[])
        as given (id, reason) join accounts account on account.id = given.id
    ) given
    where accounts.id = given.id returning case when given.is_new then accounts.id end as id`.execute(tx);
  return new Set(rows.flatMap(({ id }) => id ?? []));
}
