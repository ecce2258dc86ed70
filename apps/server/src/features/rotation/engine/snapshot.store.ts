// Reads the state that a rotation step is decided from, with the credential locked.
import type { PasswordRules, Platform } from "@strongroom/contract";
import { sql } from "kysely";
import { lockSecret } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import { waitsForCheckIn } from "../schedule/due.store.ts";
import type { ReconcileScope } from "../reconcile/reconcile-scope.policy.ts";
import { reconcileScopeOf } from "../reconcile/reconcile-scope.store.ts";

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
  /** The target has rejected this secret, so it is not used until a person corrects it. */
  is_refused: boolean;
}

export interface Facts {
  /** A verification is logging in now. */
  is_verifying: boolean;
  /** The rotation's run was cancelled. */
  is_run_cancelled: boolean;
  /** A user has the account checked out, and the rotation after the use waits for the check-in. */
  waits_for_check_in: boolean;
  /** The account, platform and safe are active, where the credential has them. */
  is_active: boolean;
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
  /** Null: the credential was deleted. */
  credential: SecretRow | null;
  /** Newest first, candidates included. */
  versions: Version[];
}

type FactRow = Omit<Facts, "reconciler"> & { [K in keyof Reconciler as `by_${K}`]: Reconciler[K] | null };

/** One round trip: the statements are pipelined, and each sees the data committed when the lock was acquired. */
export async function readSnapshot(tx: Tx, id: string): Promise<RotationSnapshot> {
  const [credential, facts, versions] = await Promise.all([
    lockSecret(tx, id),
    readFacts(tx, id),
    readVersions(tx, id),
  ]);
  return { credential, ...facts, versions };
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
      coalesce(accounts.status = 'active' and platforms.is_active and safes.status = 'active', true) as is_active,
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
  const plain = { is_verifying, is_run_cancelled, waits_for_check_in, is_active, password_rules, rotate_as };
  return { ...plain, reconciler: reconcilerIn(row) };
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
