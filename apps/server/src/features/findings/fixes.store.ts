// Stores the fixes of findings, and reads their progress from the rotation and the dependent.
import type { VaultSettings } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Insertable, Selectable, Updateable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { FindingRow } from "./findings.store.ts";

interface FindingFixesTable {
  finding_id: string;
  account_id: string | null;
  dependent_id: string | null;
  rotation_id: string | null;
  is_new_account: boolean;
  version: number;
  settings: ColumnType<VaultSettings, string, string>;
  requested_by: string;
  created_at: Date;
  undone_at: ColumnType<Date | null, undefined, Date>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    finding_fixes: FindingFixesTable;
  }
}

export interface FixRow extends Selectable<FindingFixesTable> {
  /** The rotation waits for a person, or ended without changing the secret. */
  is_rotation_stopped: boolean;
  rotation_message: string | null;
  dependent_kind: string | null;
  dependent_state: string | null;
  dependent_message: string | null;
  dependent_version: number | null;
  /** Null when the account was deleted. */
  active_version: number | null;
}

/** Null when the finding was never vaulted. */
export async function readFix(db: Db, findingId: string): Promise<FixRow | null> {
  const { rows } = await sql<FixRow>`
    select fix.*, coalesce(rotation.needs_attention or rotation.outcome in ('cancelled', 'superseded'), false) as is_rotation_stopped,
      rotation.message as rotation_message,
      dependent.config ->> 'kind' as dependent_kind, dependent.state as dependent_state, dependent.message as dependent_message,
      dependent.version as dependent_version, secret.secret_version as active_version
    from finding_fixes fix
    left join rotations rotation on rotation.id = fix.rotation_id
    left join account_dependents dependent on dependent.id = fix.dependent_id
    left join credentials secret on secret.id = fix.account_id and secret.deleted_at is null
    where fix.finding_id = ${findingId}`.execute(db);
  return rows[0] ?? null;
}

const SECRET_LOCK = 7_305_808_884;

/** Until the end of the transaction, only one vaults, or undoes the vaulting of, findings with these secrets. */
export async function lockVaulting(tx: Tx, fingerprints: readonly (string | null)[]): Promise<void> {
  // Sorted, because transactions that lock in one order do not wait for each other in a circle.
  for (const each of [...new Set(fingerprints)].filter((value) => value !== null).sort()) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${each}, ${SECRET_LOCK}))`.execute(tx);
  }
}

/** Null for a finding that does not exist, or is not about one secret. */
export async function fingerprintOf(db: Db, id: string): Promise<string | null> {
  const row = await db.selectFrom("findings").select("fingerprint").where("id", "=", id).executeTakeFirst();
  return row?.fingerprint ?? null;
}

/** Returns another finding whose fix uses the account, or null. */
export async function otherFixOf(tx: Tx, accountId: string, findingId: string): Promise<string | null> {
  const query = tx.selectFrom("finding_fixes").select("finding_id").where("account_id", "=", accountId);
  const others = query.where("finding_id", "<>", findingId).where("undone_at", "is", null);
  return (await others.orderBy("created_at").limit(1).executeTakeFirst())?.finding_id ?? null;
}

/** The active version of a secret, also of one that this transaction deleted. */
export async function versionOf(tx: Tx, accountId: string): Promise<number | null> {
  const query = tx.selectFrom("credentials").select("secret_version").where("id", "=", accountId);
  return (await query.executeTakeFirst())?.secret_version ?? null;
}

/** Replaces an earlier fix that was undone, or whose account was deleted. */
export async function saveFix(tx: Tx, row: Insertable<FindingFixesTable>): Promise<void> {
  await tx.deleteFrom("finding_fixes").where("finding_id", "=", row.finding_id).execute();
  await tx.insertInto("finding_fixes").values(row).execute();
}

export async function updateFix(tx: Tx, findingId: string, change: Updateable<FindingFixesTable>): Promise<void> {
  await tx.updateTable("finding_fixes").set(change).where("finding_id", "=", findingId).execute();
}

/** Locks the finding whose fix has this dependent. Null when no finding has it, or when its vaulting was undone. */
export async function lockFixed(tx: Tx, dependentId: string) {
  const { rows } = await sql<FindingRow & { safe_id: string; fixed_version: number; dependent_kind: string }>`
    select f.*, target.safe_id, fix.version as fixed_version, dependent.config ->> 'kind' as dependent_kind
    from finding_fixes fix
    join account_dependents dependent on dependent.id = fix.dependent_id
    join findings f on f.id = fix.finding_id
    join discovery_targets target on target.id = f.target_id
    where fix.dependent_id = ${dependentId} and fix.undone_at is null
    order by f.id for no key update of f`.execute(tx);
  return rows[0] ?? null;
}

/** Whether a rotation replaced the version `after`, so that it no longer works. A secret stored by hand proves nothing. */
export async function isReplacedByRotation(
  tx: Tx,
  accountId: string,
  { after, until }: { after: number; until: number },
): Promise<boolean> {
  const { rows } = await sql`
    select from secret_versions where credential_id = ${accountId} and version > ${after} and version <= ${until}
      and not is_candidate and reason in ('rotated', 'reconciled') limit 1`.execute(tx);
  return rows.length > 0;
}

export async function platformOf(db: Db, accountId: string): Promise<string | null> {
  const { rows } = await sql<{ platform_id: string }>`select platform_id from accounts where id = ${accountId}`.execute(
    db,
  );
  return rows[0]?.platform_id ?? null;
}

/** Open findings that a scan found first, at most 1,000. Key material and accounts are left to people. */
export async function newFindingsOf(db: Db, scanId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from findings where first_scan_id = ${scanId} and status = 'new' and not is_below_threshold
      and finding_type in ('hardcoded_password', 'service_account', 'ssh_key') and fingerprint is not null
    order by risk_score desc, id limit 1000`.execute(db);
  return rows.map(({ id }) => id);
}
