// Stores discovered accounts.
import type { PrivilegeKind } from "@strongroom/connectors";
import type { DiscoveredDependent, DiscoveredStatus, DiscoveredSystem, OnboardingSettings } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Generated, RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { JsonColumn } from "#kernel/db/tables.ts";
import type { Change, KnownAccount } from "../discovery.policy.ts";
import { storableJson } from "../storable-json.ts";
import { visibleTargets } from "../targets/targets.store.ts";
import type { TargetRow } from "../targets/targets.store.ts";

/**
 * The login of a discovered account in lower case, for comparisons with the user names of accounts in safes. The index
 * `discovered_accounts_by_host` contains the same expression, so a different one would scan the table.
 */
export const loginOf = (table: "found" | "known" | "discovered_accounts"): RawBuilder<string> =>
  sql`lower(coalesce(${sql.ref(`${table}.login_name`)}, ${sql.ref(`${table}.account_name`)}))`;

export interface DiscoveredTable {
  id: ColumnType<string, string, never>;
  target_id: ColumnType<string, string, never>;
  identity: string;
  account_name: string;
  /** The name to log in with, if it differs. */
  login_name: Generated<string | null>;
  hostname: string;
  system_type: DiscoveredSystem;
  status: DiscoveredStatus;
  rejection_reason: string | null;
  decided_by: string | null;
  decided_at: Date | null;
  onboarding: ColumnType<OnboardingSettings | null, string | null, string | null>;
  is_privileged: boolean;
  /** The strongest of its privileges; null for none. */
  privilege: Generated<PrivilegeKind | null>;
  is_locked: boolean;
  password_changed_at: Date | null;
  expires_at: Date | null;
  last_login_at: Date | null;
  facts: JsonColumn<Record<string, unknown>>;
  changes: JsonColumn<Change[]>;
  dependents: JsonColumn<DiscoveredDependent[]>;
  discovered_at: Date;
  last_seen_at: Date;
  missing_since: Date | null;
  scan_id: string;
  last_scan_id: string;
  /** The latest scan that reported differences. */
  changed_scan_id: string | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    discovered_accounts: DiscoveredTable;
  }
}

export function knownAccounts(tx: Tx, targetId: string): Promise<KnownAccount[]> {
  return tx
    .selectFrom("discovered_accounts")
    .select(["identity", "status", "is_privileged", "is_locked", "password_changed_at"])
    .select(["expires_at", "facts", "missing_since"])
    .where("target_id", "=", targetId)
    .execute();
}

/** The user names, in lower case, that safes contain for this host. */
export async function managedNames(tx: Tx, hostname: string): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select distinct lower(username) as name from credentials
    where user_id is null and deleted_at is null and lower(host) = lower(${hostname})
      and username is not null`.execute(tx);
  return new Set(rows.map(({ name }) => name));
}

export interface FoundAccount {
  id: string;
  identity: string;
  account_name: string;
  login_name: string | null;
  system_type: DiscoveredSystem;
  status: DiscoveredStatus;
  is_privileged: boolean;
  is_locked: boolean;
  /** ISO 8601. */
  password_changed_at: string | null;
  expires_at: string | null;
  last_login_at: string | null;
  facts: Readonly<Record<string, unknown>>;
  changes: readonly Change[];
  dependents: readonly DiscoveredDependent[];
}

interface Saving {
  target: TargetRow;
  scanId: string;
  at: Date;
  rows: readonly FoundAccount[];
}

/** Inserts accounts, and updates those that earlier scans of the target found. Decisions stay unless the status changed. */
export async function saveFound(tx: Tx, { target, scanId, at, rows }: Saving): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into discovered_accounts (
      id, target_id, identity, account_name, login_name, hostname, system_type, status, is_privileged, is_locked,
      password_changed_at, expires_at, last_login_at, facts, changes, dependents, discovered_at, last_seen_at, scan_id,
      last_scan_id, changed_scan_id)
    select row.id, ${target.id}::uuid, row.identity, row.account_name, row.login_name, ${target.hostname}, row.system_type, row.status,
      row.is_privileged, row.is_locked, row.password_changed_at, row.expires_at, row.last_login_at, row.facts,
      row.changes, row.dependents, ${at}, ${at}, ${scanId}::uuid, ${scanId}::uuid, null::uuid
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as row (
      id uuid, identity text, account_name text, login_name text, system_type text, status text, is_privileged boolean,
      is_locked boolean, password_changed_at timestamptz, expires_at timestamptz, last_login_at timestamptz,
      facts jsonb, changes jsonb, dependents jsonb)
    on conflict (target_id, identity) do update set
      account_name = excluded.account_name, login_name = excluded.login_name, hostname = excluded.hostname, status = excluded.status,
      is_privileged = excluded.is_privileged, is_locked = excluded.is_locked,
      password_changed_at = excluded.password_changed_at, expires_at = excluded.expires_at,
      last_login_at = excluded.last_login_at, facts = excluded.facts, dependents = excluded.dependents,
      changes = case when excluded.changes = '[]' then discovered_accounts.changes else excluded.changes end,
      changed_scan_id = case when excluded.changes = '[]' then discovered_accounts.changed_scan_id
        else excluded.last_scan_id end,
      last_seen_at = excluded.last_seen_at, missing_since = null, last_scan_id = excluded.last_scan_id`.execute(tx);
}

/** Marks the accounts that a complete list did not contain. Returns their number. */
export async function markMissing(tx: Tx, targetId: string, present: readonly string[], at: Date): Promise<number> {
  const result = await sql`
    update discovered_accounts set missing_since = ${at}
    where target_id = ${targetId} and missing_since is null
      and identity <> all(${[...present]}::text[])`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

export interface DecidedRow {
  id: string;
  account_name: string;
  hostname: string;
  status: DiscoveredStatus;
  target_id: string;
  safe_id: string;
  can_manage: boolean;
}

/** Locks those of the accounts that this user can see, by id. */
export async function lockAccounts(tx: Tx, actor: Actor, ids: readonly string[]): Promise<DecidedRow[]> {
  const { rows } = await sql<DecidedRow>`
    select found.id, found.account_name, found.hostname, found.status, found.target_id, target.safe_id, seen.can_manage
    from discovered_accounts found
    join ${visibleTargets(actor)} seen on seen.id = found.target_id
    join discovery_targets target on target.id = found.target_id
    where found.id = any(${[...ids]}::uuid[])
    order by found.id for no key update of found`.execute(tx);
  return rows;
}

/** Locks those of the accounts that are still pending, by id. Returns their ids. */
export async function lockPending(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const query = tx.selectFrom("discovered_accounts").select("id").where("id", "in", ids);
  const rows = await query.where("status", "=", "pending_approval").orderBy("id").forNoKeyUpdate().execute();
  return rows.map(({ id }) => id);
}

interface Decision {
  status: DiscoveredStatus;
  rejection_reason: string | null;
  onboarding: OnboardingSettings | null;
  decided_by: string;
  decided_at: Date;
}

export async function saveDecision(
  tx: Tx,
  ids: readonly string[],
  { onboarding, ...decision }: Decision,
): Promise<void> {
  await tx
    .updateTable("discovered_accounts")
    .set({ ...decision, onboarding: onboarding === null ? null : JSON.stringify(onboarding) })
    .where("id", "in", ids)
    .execute();
}

/**
 * Locks the account's login, so that two onboardings cannot store the same one from different targets. Null when the
 * discovered account does not exist.
 */
export async function lockLogin(tx: Tx, id: string): Promise<string | null> {
  const { rows } = await sql<{ login: string }>`
    select lower(hostname) || chr(10) || ${loginOf("discovered_accounts")} as login from discovered_accounts where id = ${id}`.execute(
    tx,
  );
  const login = rows[0]?.login;
  if (login === undefined) return null;
  await sql`select pg_advisory_xact_lock(${sql.lit(LOGIN_LOCK)}, hashtext(${login}))`.execute(tx);
  return login;
}

const LOGIN_LOCK = 730_580_891;

/** Makes the account pending again, after its onboarding failed or was undone. Returns its target. */
export async function reopenDecision(tx: Tx, id: string): Promise<{ id: string; safe_id: string } | null> {
  const { rows } = await sql<{ id: string; safe_id: string }>`
    update discovered_accounts found
    set status = 'pending_approval', onboarding = null, decided_by = null, decided_at = null
    from discovery_targets target
    where found.id = ${id} and target.id = found.target_id returning target.id, target.safe_id`.execute(tx);
  return rows[0] ?? null;
}
