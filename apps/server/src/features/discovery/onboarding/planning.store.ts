// Reads the facts from which onboardings are planned: discovered accounts, their targets and credentials, and platforms.
import type { ConnectionMethod, DiscoveredDependent, DiscoveryTargetType, SystemType } from "@strongroom/contract";
import { sql } from "kysely";
import type { Asker } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { HostKey, SecretRow } from "#features/secrets/index.ts";
import type { DiscoveredStatus } from "@strongroom/contract";
import { loginOf } from "../accounts/discovered.store.ts";
import { visibleTargets } from "../targets/targets.store.ts";

export interface PlannedRow {
  id: string;
  account_name: string;
  /** The name to log in with. */
  login_name: string;
  hostname: string;
  status: DiscoveredStatus;
  is_privileged: boolean;
  is_locked: boolean;
  missing_since: Date | null;
  facts: Record<string, unknown>;
  dependents: DiscoveredDependent[];
  target_id: string;
  target_name: string;
  target_type: DiscoveryTargetType;
  target_safe_id: string;
  port: number;
  host_key: HostKey | null;
  can_manage: boolean;
  /** How scans of the target log in; null after the credential was deleted. */
  login: Pick<
    SecretRow,
    "type" | "database_name" | "schema_name" | "connection_string" | "ssl_enabled" | "additional_params"
  > | null;
  credential_platform_id: string | null;
  /** The kind of system of the credential, and so of the accounts that its scans find. */
  system_type: SystemType | null;
  connection_method: ConnectionMethod | null;
  /** Whether a safe contains an account with this login on this host and port. */
  is_managed: boolean;
}

/** Those of the accounts that this user can see. */
export async function plannedRows(db: Db, actor: Asker, ids: readonly string[]): Promise<PlannedRow[]> {
  const { rows } = await sql<PlannedRow>`
    select found.id, found.account_name, coalesce(found.login_name, found.account_name) as login_name, found.hostname, found.status, found.is_privileged, found.is_locked,
      found.missing_since, found.facts, found.dependents, target.id as target_id, target.name as target_name,
      target.target_type, target.safe_id as target_safe_id, target.port, target.host_key, seen.can_manage,
      case when credential.deleted_at is null then jsonb_build_object('type', credential.type,
        'database_name', credential.database_name, 'schema_name', credential.schema_name,
        'connection_string', credential.connection_string, 'ssl_enabled', credential.ssl_enabled,
        'additional_params', credential.additional_params) end as login,
      own.platform_id as credential_platform_id, own.system_type, own.connection_method,
      exists (
        select from credentials taken where taken.user_id is null and taken.deleted_at is null
          and lower(taken.host) = lower(found.hostname) and lower(taken.username) = ${loginOf("found")}
          and (taken.port is null or taken.port = target.port)
      ) as is_managed
    from discovered_accounts found
    join ${visibleTargets(actor)} seen on seen.id = found.target_id
    join discovery_targets target on target.id = found.target_id
    left join credentials credential on credential.id = target.credential_id
    left join accounts own on own.id = target.credential_id
    where found.id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}

export interface PlatformChoice {
  id: string;
  name: string;
  system_type: SystemType;
  connection_method: ConnectionMethod;
  is_active: boolean;
  rotate_every_days: number | null;
  rotate_automatically: boolean;
  verify_every_hours: number | null;
  reconcile_account_id: string | null;
}

export async function platformChoices(db: Db): Promise<Map<string, PlatformChoice>> {
  const rows = await db
    .selectFrom("platforms")
    .select(["id", "name", "system_type", "connection_method", "is_active", "rotate_every_days"])
    .select(["rotate_automatically", "verify_every_hours", "reconcile_account_id"])
    .where("deleted_at", "is", null)
    .orderBy(sql`lower(name)`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
