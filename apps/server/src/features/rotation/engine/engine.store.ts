// Claims due rotations, reads the state that a step is decided from, and writes its results. A worker writes only while
// it holds the lease.
import type { PasswordRules, Platform } from "@strongroom/contract";
import { sql } from "kysely";
import { lockSecret } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import type { Journal } from "../rotation.policy.ts";
import type { LineRow, RotationKind, RotationRow } from "../rotation.store.ts";
import { waitsForCheckIn } from "../schedule/due.store.ts";
import type { ReconcileScope } from "../reconcile/reconcile-scope.policy.ts";
import { reconcileScopeOf } from "../reconcile/reconcile-scope.store.ts";

/** The duration of a lease. It is longer than any task between two steps. */
export const LEASE_SECONDS = 60;

/** An arbitrary advisory lock key, used only by claims. */
const CLAIM_LOCK = 7_305_808_872;

export interface ClaimRules {
  /** The limit of concurrent rotations on one target, across all processes. */
  mostPerTarget: number;
  most: number;
  /** Requesters that have reached their limit in this process; "" means the schedule. */
  busyRequesters: readonly string[];
}

export async function hasDue(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from rotations where next_at <= access_time() and (lease_until is null or lease_until < clock_timestamp())
    limit 1`.execute(db);
  return rows.length > 0;
}

/** The limit for one requester in one claim, so that a large request leaves room for others. */
const MOST_PER_REQUESTER = 4;
const requester = sql<string>`coalesce(asked_by ->> 'id', '')`;

/** How many due rows one claim examines. The next claim examines the rest. */
const MOST_EXAMINED = 200;

/** Leases due rotations. Claims are serialized, so that the count per target is exact. */
export async function claim(tx: Tx, token: string, rules: ClaimRules): Promise<RotationRow[]> {
  await sql`select pg_advisory_xact_lock(${sql.lit(CLAIM_LOCK)})`.execute(tx);
  const query = sql<RotationRow>`
    with busy as materialized (
      select target, count(*) as count from rotations
      where lease_until > clock_timestamp() and target is not null group by target
    ), due as materialized (
      select id, target, next_at, ${requester} as requester from rotations
      where ${requester} <> all(${[...rules.busyRequesters]}::text[])
        and next_at <= access_time() and (lease_until is null or lease_until < clock_timestamp())
        and (target is null or target <> all(array(select target from busy where count >= ${rules.mostPerTarget})))
      order by next_at limit ${sql.lit(MOST_EXAMINED)}
    ), turns as (
      select id, next_at, due.target is null or coalesce(busy.count, 0)
        + row_number() over (partition by due.target order by next_at, id) <= ${rules.mostPerTarget} as is_free,
        row_number() over (partition by due.requester order by next_at, id) as turn_of_requester
      from due left join busy on busy.target = due.target
    ), chosen as (
      select rotations.id from turns join rotations on rotations.id = turns.id where is_free and turn_of_requester <= ${sql.lit(MOST_PER_REQUESTER)}
      order by turns.next_at limit ${rules.most} for update of rotations skip locked
    )
    update rotations set lease_token = ${token}, lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from chosen where rotations.id = chosen.id returning rotations.*`;
  return (await query.execute(tx)).rows;
}

/** The reconcile account of the platform and its active secret. */
export interface Reconciler {
  id: string;
  name: string;
  username: string;
  safe_id: string;
  version: number;
  active_count: number;
  active_mac: Buffer | null;
  envelope: Buffer;
  /** The reconcile account's own secret is being rotated. */
  is_changing: boolean;
  reach: ReconcileScope;
  /** The target has rejected this secret, so it is not used until a user corrects it. */
  is_refused: boolean;
}

export interface Facts {
  /** A verification is logging in now. */
  is_verifying: boolean;
  /** The rotation's run was cancelled. */
  is_run_cancelled: boolean;
  /** A user has the account checked out, and the rotation after the use waits for the check-in. */
  waits_for_check_in: boolean;
  /**
   * The account, platform and safe are active, if the secret belongs to an account. An account that is pending because
   * its password is unknown counts as active.
   */
  is_active: boolean;
  is_password_unknown: boolean;
  password_rules: PasswordRules | null;
  rotate_as: Platform["rotate_as"] | null;
  reconciler: Reconciler | null;
}

export interface Version {
  version: number;
  envelope: Buffer;
  is_candidate: boolean;
  created_at: Date;
}

export interface RotationSnapshot extends Facts {
  /** Null: the secret was deleted. */
  secretRow: SecretRow | null;
  /** Newest first, candidates included. */
  versions: Version[];
}

type FactRow = Omit<Facts, "reconciler"> & { [K in keyof Reconciler as `by_${K}`]: Reconciler[K] | null };

/**
 * Reads the snapshot in one round trip: the statements are pipelined, and each sees the data committed when the lock
 * was acquired.
 */
export async function readSnapshot(tx: Tx, id: string): Promise<RotationSnapshot> {
  const [secretRow, facts, versions] = await Promise.all([lockSecret(tx, id), readFacts(tx, id), readVersions(tx, id)]);
  return { secretRow, ...facts, versions };
}

async function readFacts(tx: Tx, id: string): Promise<Facts> {
  const query = sql<FactRow>`
    select exists (
        select from verification_attempts attempt
        where attempt.credential_id = it.id and finished_at is null and lease_until > clock_timestamp()
      ) as is_verifying,
      exists (
        select from rotations mine join rotation_runs run on run.id = mine.run_id and run.status = 'cancelled'
        where mine.credential_id = it.id and mine.step <> 'ended' and not mine.is_counted
      ) as is_run_cancelled,
      coalesce(${waitsForCheckIn}, false) as waits_for_check_in,
      coalesce((accounts.status = 'active' or (accounts.status = 'pending' and accounts.is_password_unknown))
        and platforms.is_active and safes.status = 'active', true) as is_active,
      coalesce(accounts.is_password_unknown, false) as is_password_unknown,
      platforms.password_rules, platforms.rotate_as,
      reconciler.id as by_id, reconciler.name as by_name, reconciler.username as by_username,
      reconciler.active_count as by_active_count, reconciler.active_mac as by_active_mac,
      reconciler.safe_id as by_safe_id, secret.version as by_version, secret.envelope as by_envelope,
      exists (
        select from rotations other where other.credential_id = reconciler.id and other.step <> 'ended'
          and other.step not in ('planned', 'stored') and not other.needs_attention
      ) as by_is_changing,
      ${reconcileScopeOf("reconciler")} as by_reach,
      reconciler.rejected_revision is not distinct from reconciler.login_revision as by_is_refused
    from (select ${id}::uuid as id) it
    left join accounts on accounts.id = it.id
    left join platforms on platforms.id = accounts.platform_id
    left join credentials held on held.id = accounts.id left join safes on safes.id = held.safe_id
    left join (credentials reconciler join accounts theirs on theirs.id = reconciler.id and theirs.status = 'active')
      on reconciler.id = platforms.reconcile_account_id and reconciler.id <> it.id and reconciler.deleted_at is null
    left join secret_versions secret
      on secret.credential_id = reconciler.id and secret.version = reconciler.secret_version`.compile(tx);
  const { rows } = await tx.executeQuery(named("rotations.facts", query));
  const row = rows[0]!;
  const { is_verifying, is_run_cancelled, waits_for_check_in, is_active, password_rules, rotate_as } = row;
  const { is_password_unknown } = row;
  const plain = { is_verifying, is_run_cancelled, waits_for_check_in, is_active, password_rules, rotate_as };
  return { ...plain, is_password_unknown, reconciler: reconcilerIn(row) };
}

function reconcilerIn(row: FactRow): Reconciler | null {
  if (row.by_id === null || row.by_envelope === null || row.by_username === null) return null;
  return {
    id: row.by_id,
    name: row.by_name!,
    username: row.by_username,
    safe_id: row.by_safe_id!,
    version: row.by_version!,
    active_count: row.by_active_count!,
    active_mac: row.by_active_mac,
    envelope: row.by_envelope,
    is_changing: row.by_is_changing === true,
    is_refused: row.by_is_refused === true,
    reach: row.by_reach!,
  };
}

/** Enough for the longest password history rule plus all candidates of one rotation. */
const MOST_VERSIONS = 120;

async function readVersions(tx: Tx, id: string): Promise<Version[]> {
  const query = sql<Version>`
    select version, envelope, is_candidate, created_at from secret_versions where credential_id = ${id} order by version desc
    limit ${sql.lit(MOST_VERSIONS)}`.compile(tx);
  return [...(await tx.executeQuery(named("rotations.versions", query))).rows];
}

export interface JournalWrite {
  id: string;
  token: string;
  journal: Journal;
  kind: RotationKind | null;
  lines: readonly LineRow[];
  message: string;
  code: string | null;
  outcome: RotationRow["outcome"];
  /** Null: keep the lease. */
  release: { afterMs: number | null } | null;
  at: Date;
}

/** Returns false, and writes nothing, when another worker holds the lease or the rotation has ended. */
export async function writeJournal(tx: Tx, it: JournalWrite): Promise<boolean> {
  const { journal, lines, release } = it;
  const isKept = release === null;
  const query = sql<{ id: string }>`
    with mine as (
      update rotations set step = ${journal.step}, journal = ${JSON.stringify(journal)}::jsonb, kind = ${it.kind},
        tries = ${journal.tries}, message = ${it.message}, code = ${it.code}, outcome = ${it.outcome},
        needs_attention = ${journal.attention !== null},
        ended_at = ${journal.step === "ended" ? it.at : null}::timestamptz,
        next_at = case when ${isKept} then next_at
          else access_time() + make_interval(secs => ${release?.afterMs == null ? null : release.afterMs / 1000}::float8) end,
        lease_token = case when ${isKept} then lease_token end,
        lease_until = case when ${isKept} then clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}) end
      where id = ${it.id} and lease_token = ${it.token} and step <> 'ended'
      returning id
    ), added as (
      insert into rotation_lines (rotation_id, number, step, message, at)
      select mine.id, latest.number + line.place, line.step, line.message, line.at
      from mine
      cross join lateral (
        select coalesce(max(number), 0) as number from rotation_lines where rotation_id = mine.id
      ) latest
      cross join unnest(${lines.map((each) => each.step)}::text[], ${lines.map((each) => each.message)}::text[],
        ${lines.map((each) => each.at)}::timestamptz[]) with ordinality as line (step, message, at, place)
    )
    select id from mine`.compile(tx);
  return (await tx.executeQuery(named("rotations.write", query))).rows.length > 0;
}

export interface Promotion {
  id: string;
  version: number;
  reason: "rotated" | "reconciled";
  isNew: boolean;
  at: Date;
}

/**
 * Makes a version the active one and keeps its predecessor as history. If `isNew` is false, the version was stored
 * earlier and the rotation schedule does not change. A version that was already revealed as a one-time password must
 * be rotated again. The caller holds the lock of the `credentials` row.
 */
export async function promoteVersion(tx: Tx, { id, version, reason, isNew, at }: Promotion): Promise<void> {
  const query = sql`
    with retired as (
      update secret_versions set retired_at = ${at}
      where credential_id = ${id} and retired_at is null and not is_candidate and version <> ${version}
    ), promoted as (
      update secret_versions set is_candidate = false, retired_at = null,
        reason = case when is_candidate then ${reason} else reason end
      where credential_id = ${id} and version = ${version}
    ), dependents as (
      update account_dependents set state = 'pending', tries = 0, next_at = access_time() where account_id = ${id}
    )
    update accounts set rotated_at = case when ${isNew} then ${at} else rotated_at end,
      status = case when is_password_unknown and status = 'pending' then 'active' else status end,
      is_password_unknown = false,
      rotation_wanted_at = case when after.stays then rotation_wanted_at when after.is_taken then ${at}::timestamptz end,
      rotation_wanted_because = case when after.stays then rotation_wanted_because when after.is_taken then 'one-time' end,
      rotation_block_lifted = rotation_block_lifted and after.stays, rotation_hindrance = null
    from (
      select account.id, not ${isNew} and account.rotation_wanted_at is not null as stays, platform.one_time_password and exists (
        select from account_one_time_takes taken where taken.account_id = account.id and taken.version = ${version}
      ) as is_taken
      from accounts account join platforms platform on platform.id = account.platform_id where account.id = ${id}
    ) after
    where accounts.id = after.id`;
  await tx.executeQuery(named("rotations.promote", query.compile(tx)));
}
