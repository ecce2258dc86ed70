// Everything that a rotation has to know before it acts, read with the credential held.
import type { PasswordRules, Platform } from "@strongroom/contract";
import { sql } from "kysely";
import { lockAnyCredential } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";
import type { Reach } from "./reach.policy.ts";
import { reachOf } from "./reach.store.ts";

/** The account with which the platform sets other passwords, and its secret in force. */
export interface Reconciler {
  id: string;
  name: string;
  username: string;
  safe_id: string;
  version: number;
  envelope: Buffer;
  /** It is being changed itself just now. */
  is_changing: boolean;
  reach: Reach;
  /** Its system has refused this very secret: it is not tried again until somebody puts it right. */
  is_refused: boolean;
}

export interface Facts {
  /** Somebody logs in to verify it just now. */
  is_verifying: boolean;
  /** The run that it belongs to was stopped. */
  is_run_cancelled: boolean;
  /** Account, platform and safe are active, as far as it has them. */
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

export interface Sight extends Facts {
  /** Null: it was deleted. */
  credential: CredentialRow | null;
  /** Candidates too, newest first. */
  versions: Version[];
}

type FactRow = Omit<Facts, "reconciler"> & { [K in keyof Reconciler as `by_${K}`]: Reconciler[K] | null };

/** One trip: the statements leave together, and each sees what was committed when the lock was taken. */
export async function see(tx: Tx, id: string): Promise<Sight> {
  const [credential, facts, versions] = await Promise.all([
    lockAnyCredential(tx, id),
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
      coalesce(accounts.status = 'active' and platforms.is_active and safes.status = 'active', true) as is_active,
      platforms.password_rules, platforms.rotate_as,
      reconciler.id as by_id, reconciler.name as by_name, reconciler.username as by_username,
      reconciler.safe_id as by_safe_id, secret.version as by_version, secret.envelope as by_envelope,
      exists (
        select from rotations other where other.credential_id = reconciler.id and other.step <> 'ended'
          and other.step not in ('planned', 'stored') and not other.needs_attention
      ) as by_is_changing,
      ${reachOf("reconciler")} as by_reach,
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
  const { is_verifying, is_run_cancelled, is_active, password_rules, rotate_as } = row;
  return { is_verifying, is_run_cancelled, is_active, password_rules, rotate_as, reconciler: reconcilerIn(row) };
}

function reconcilerIn(row: FactRow): Reconciler | null {
  if (row.by_id === null || row.by_envelope === null || row.by_username === null) return null;
  return {
    id: row.by_id,
    name: row.by_name!,
    username: row.by_username,
    safe_id: row.by_safe_id!,
    version: row.by_version!,
    envelope: row.by_envelope,
    is_changing: row.by_is_changing === true,
    is_refused: row.by_is_refused === true,
    reach: row.by_reach!,
  };
}

/** As many as a rule on earlier passwords may speak of, and what a rotation with all its candidates needs. */
const MOST_VERSIONS = 120;

async function readVersions(tx: Tx, id: string): Promise<Version[]> {
  const query = sql<Version>`
    select version, envelope, is_candidate, created_at from secret_versions where credential_id = ${id} order by version desc
    limit ${sql.lit(MOST_VERSIONS)}`.compile(tx);
  return [...(await tx.executeQuery(named("rotations.versions", query))).rows];
}
