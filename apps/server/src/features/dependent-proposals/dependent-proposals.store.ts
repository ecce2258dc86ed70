// Finds the uses of an account that scans reported: files with its password, other entries of its login, and what runs as it.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { retrievableAccounts } from "#features/accounts/index.ts";
import { loginOf, visibleTargets } from "#features/discovery/index.ts";
import { isFindingShownTo } from "#features/findings/index.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";

export interface ProposalOf {
  actor: Actor;
  accountId: string;
}

const MOST_FILES = 50;
const MOST_ACCOUNTS = 20;
const MOST_USES = 100;
const UPDATE_SECRET = sql.lit(bitOf("update_secret"));

/** The dependents that the account has, as a condition on their settings. One that was changed in the database is not used. */
const isDependent = (accountId: string, config: RawBuilder<unknown>) => sql`exists (
  select from account_dependents dependent where dependent.account_id = ${accountId} and dependent.config @> ${config}
    and not exists (select from dependent_mismatches where dependent_id = dependent.id))`;

export interface FileRow {
  finding_id: string;
  path: string;
  hostname: string;
  line: number;
  file_mode: string;
  /** The account with which scans log in to the host; null if it was deleted, is elsewhere, or its secret is not this user's. */
  via_account_id: string | null;
}

/** Files on hosts that this user can see, with the account's active password in an open finding. */
export async function filesWithPassword(db: Db, { actor, accountId }: ProposalOf): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    select * from (
      select distinct on (target.id, finding.path) finding.id as finding_id, finding.path, target.hostname, finding.line,
        finding.file_mode, via.id as via_account_id
      from known_secrets known
      join credentials own on own.id = known.secret_id and own.secret_version = known.version
      join findings finding on finding.fingerprint = known.fingerprint
      join ${visibleTargets(actor)} seen on seen.id = finding.target_id
      join discovery_targets target on target.id = finding.target_id and target.target_type = 'linux'
      left join credentials via on via.id = target.credential_id and via.deleted_at is null
        and lower(via.host) = lower(target.hostname) and coalesce(via.port, 22) = target.port
        and via.id in ${retrievableAccounts(actor)}
      where known.secret_id = ${accountId} and finding.path like '/%' and finding.status in ('new', 'investigating')
        and ${isFindingShownTo(actor, "finding")} and not ${isDependent(accountId, sql`jsonb_build_object('path', finding.path, 'via_account_id', target.credential_id)`)}
      order by target.id, finding.path, finding.line) files
    order by hostname, path limit ${MOST_FILES}`.execute(db);
  return rows;
}

export interface TrustingRow {
  hostname: string;
  port: number;
  account_name: string;
  /** `authorized_keys` of the login, as a path. */
  place: string;
  options: string[];
  host_key: { type: string; fingerprint: string } | null;
}

/** Logins on hosts that this user can see and that trust the account's SSH key, except its own. */
export async function loginsTrusting(db: Db, { actor, accountId }: ProposalOf): Promise<TrustingRow[]> {
  const { rows } = await sql<TrustingRow>`
    select * from (
      select distinct on (target.hostname, target.port, trusted.identity) target.hostname, target.port,
        coalesce(found.account_name, trusted.identity) as account_name, trusted.place, trusted.options, target.host_key
      from known_secrets known
      join credentials own on own.id = known.secret_id and own.secret_version = known.version
      join discovered_keys trusted on trusted.fingerprint = known.public_key and trusted.relation = 'opens'
      join ${visibleTargets(actor)} seen on seen.id = trusted.target_id
      join discovery_targets target on target.id = trusted.target_id and target.target_type = 'linux'
      left join discovered_accounts found on found.target_id = target.id and found.identity = trusted.identity
      where known.secret_id = ${accountId} and trusted.identity is not null and found.missing_since is null
        and not (lower(target.hostname) = lower(own.host) and target.port = coalesce(own.port, 22)
          and trusted.identity = own.username)
        and not ${isDependent(
          accountId,
          sql`jsonb_build_object('kind', 'authorized-key', 'host', target.hostname, 'port', target.port,
            'username', coalesce(found.account_name, trusted.identity))`,
        )}
      order by target.hostname, target.port, trusted.identity, trusted.position) logins
    order by hostname, account_name limit ${MOST_ACCOUNTS}`.execute(db);
  return rows;
}

export interface SameLoginRow {
  id: string;
  name: string;
  host: string;
  safe_name: string;
}

/** Other accounts with the same host, user and password, in which this user may store the new one. */
export async function accountsOfSameLogin(db: Db, { actor, accountId }: ProposalOf): Promise<SameLoginRow[]> {
  const { rows } = await sql<SameLoginRow>`
    select other.id, other.name, other.host, safes.name as safe_name
    from known_secrets known
    join credentials own on own.id = known.secret_id and own.secret_version = known.version
    join known_secrets same on same.fingerprint = known.fingerprint and same.secret_id <> known.secret_id
    join credentials other on other.id = same.secret_id and other.secret_version = same.version
      and other.deleted_at is null and lower(other.host) = lower(own.host) and lower(other.username) = lower(own.username)
      and other.port is not distinct from own.port and other.type = own.type
    join safes on safes.id = other.safe_id
    join ${effectivePermissionsOf(actor)} mine on mine.safe_id = other.safe_id and (mine.permissions & ${UPDATE_SECRET}) <> 0
    where known.secret_id = ${accountId} and other.id in ${retrievableAccounts(actor)}
      and not ${isDependent(accountId, sql`jsonb_build_object('kind', 'account', 'account_id', other.id)`)}
    order by lower(other.name), other.id limit ${MOST_ACCOUNTS}`.execute(db);
  return rows;
}

export interface UseRow {
  kind: string;
  name: string;
  detail: string | null;
  hostname: string;
  target_type: string;
}

/** The user name without its domain. */
const bareName = (name: RawBuilder<unknown>) => sql`lower(regexp_replace(${name}, '^.*\\\\|@.*$', '', 'g'))`;

/**
 * Services, tasks and jobs that run as the account on its host, and logins that other databases store for it. For an
 * account of a directory, also services and tasks on Windows hosts that run as a domain account of this name. Only on
 * targets that this user can see.
 */
export async function usesOf(
  db: Db,
  { actor, accountId }: ProposalOf,
  protocols: readonly string[],
): Promise<UseRow[]> {
  const { rows } = await sql<UseRow>`
    with own as (select * from credentials where id = ${accountId})
    select distinct kind, name, detail, hostname, target_type from (
      select used.kind, used.name, used.detail, target.hostname, target.target_type
      from own
      join discovered_accounts found on lower(found.hostname) = lower(own.host)
        and ${loginOf("found")} = lower(own.username) and found.missing_since is null
      join ${visibleTargets(actor)} seen on seen.id = found.target_id
      join discovery_targets target on target.id = found.target_id
      cross join jsonb_to_recordset(found.dependents) as used (kind text, name text, detail text)
      union all
      select used.kind, used.name, used.account, target.hostname, target.target_type
      from own
      join discovered_systems system on own.additional_params ->> 'protocol' = any(${[...protocols]}::text[])
      join ${visibleTargets(actor)} seen on seen.id = system.target_id
      join discovery_targets target on target.id = system.target_id
      cross join jsonb_to_recordset(case jsonb_typeof(system.facts -> 'domainUses') when 'array'
        then system.facts -> 'domainUses' else '[]'::jsonb end) as used (kind text, name text, account text)
      where ${bareName(sql`used.account`)} = ${bareName(sql`own.username`)}
      union all
      select 'linked-server', used.name, null, target.hostname, target.target_type
      from own
      join discovered_systems system on jsonb_typeof(system.facts -> 'linkedServers') = 'array'
      join ${visibleTargets(actor)} seen on seen.id = system.target_id
      join discovery_targets target on target.id = system.target_id
      cross join jsonb_to_recordset(system.facts -> 'linkedServers')
        as used (name text, host text, port integer, login text)
      where lower(used.host) = lower(own.host) and lower(used.login) = lower(own.username)
        and (used.port is null or own.port is null or used.port = own.port)) uses
    order by hostname, kind, name limit ${MOST_USES}`.execute(db);
  return rows;
}
