// Reads the user of a session, and the current facts that decide whether live sessions may continue.
import type { AccountStatus, Role, SafeStatus, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { activeGrants } from "#features/access-requests/index.ts";
import { checkedOutUntil } from "#features/accounts/index.ts";
import { effectivePermissionsOf } from "#features/safes/index.ts";
import { sshKeyEnd } from "#features/ssh-keys/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import { allowedPrograms } from "./session-rules.store.ts";
import type { SessionProgram } from "./session-rules.store.ts";

export interface SessionUser {
  id: UserId;
  name: string;
  role: Role;
  status: "active" | "disabled" | "deleted";
}

export async function readUser(db: Db, id: string): Promise<SessionUser> {
  const { rows } = await sql<SessionUser>`select id, name, role, status from users where id = ${id}`.execute(db);
  return rows[0]!;
}

export interface SessionFacts {
  id: string;
  ends_at: Date;
  terminated_why: string | null;
  terminator: string | null;
  /** The session's own user terminated it. */
  is_own_end: boolean;
  /** The name of the user whose *Pause Input* is in effect. */
  paused_by: string | null;
  user_status: SessionUser["status"];
  is_deleted: boolean;
  is_moved: boolean;
  account_status: AccountStatus;
  safe_status: SafeStatus;
  approvals: number;
  permissions: Permissions;
  /** When the next membership of the user in the safe expires. */
  membership_ends_at: Date | null;
  /** The active grant, whatever the session was started with. */
  grant_ends_at: Date | null;
  /** The grant that the session was started with has ended because its time was over. */
  has_grant_expired: boolean;
  has_grant: boolean;
  is_exclusive: boolean;
  /** The end of the user's check-out; null when they have none. */
  checked_out_until: Date | null;
  /** The API token that started it works; null when none did. */
  is_token_active: boolean | null;
  /** The token's expiry, or an earlier one if the policy limits its lifetime. */
  token_ends_at: Date | null;
  /** The SSH key that started it works; null when none did. */
  is_key_active: boolean | null;
  key_ends_at: Date | null;
  source_address: string;
  /** The networks that the sign-in policy allows; empty: all. They do not apply to machine identities. */
  people_from: string[];
  /** The networks of the API token that started the session; empty: all. */
  token_from: string[];
  /** The user's program; null for older sessions. */
  program: SessionProgram | null;
  /** The platform's current rules. */
  allowed_programs: Record<SessionProgram, boolean>;
  /** The session forwards the user's agent, and the platform allows that. */
  forwards_agent: boolean;
  allows_agent: boolean;
  is_in_zone: boolean;
  idle_minutes: number | null;
  needs_watcher: boolean;
  hides_watchers: boolean;
  now: Date;
}

const tokenEnd = sql`least(tokens.expires_at, tokens.created_at + make_interval(
  days => case person.kind when 'machine' then token_policy.machine_days else token_policy.person_days end))`;

/** The facts about each live session of a gateway, in one statement. */
export async function readSessionFacts(db: Db, gatewayId: string): Promise<SessionFacts[]> {
  const who = { id: sql`session.user_id`, role: sql`person.role` };
  const { rows } = await sql<SessionFacts>`
    select session.id, session.ends_at, session.terminated_why, terminator.name as terminator,
      coalesce(session.terminated_by = session.user_id, false) as is_own_end,
      pauser.name as paused_by,
      person.status as user_status, credentials.deleted_at is not null as is_deleted,
      credentials.safe_id is distinct from session.safe_id as is_moved,
      accounts.status as account_status, safes.status as safe_status,
      platforms.approvals_level_1 + platforms.approvals_level_2 as approvals,
      coalesce(standing.permissions, 0) as permissions, expiring.at as membership_ends_at,
      active_grant.ends_at as grant_ends_at, session.grant_id is not null as has_grant,
      coalesce(started_with.ended_how = 'expired' or started_with.ends_at <= access_time(), false) as has_grant_expired,
      session.is_exclusive, held.until as checked_out_until,
      case when session.token_id is null then null
        else coalesce(tokens.revoked_at is null and tokens.suspended_at is null
          and ${tokenEnd} > access_time(), false) end as is_token_active,
      ${tokenEnd} as token_ends_at,
      case when session.ssh_key_id is null then null
        else coalesce(${sshKeyEnd} > access_time(), false) end as is_key_active,
      ${sshKeyEnd} as key_ends_at, session.source_address,
      case person.kind when 'person' then sign_in_policy.allowed_networks else '{}' end as people_from,
      coalesce(tokens.networks, '{}') as token_from,
      session.forwards_agent, platforms.session_allows_agent as allows_agent,
      session.program, ${allowedPrograms} as allowed_programs,
      (platforms.session_zone is null or platforms.session_zone is not distinct from gateways.zone)
        and (safes.session_zone is null or safes.session_zone is not distinct from gateways.zone) as is_in_zone,
      platforms.session_idle_minutes as idle_minutes, platforms.session_needs_watcher as needs_watcher,
      platforms.session_hides_watchers as hides_watchers, access_time() as now
    from sessions session
    join users person on person.id = session.user_id
    join credentials on credentials.id = session.account_id
    join accounts on accounts.id = session.account_id
    join platforms on platforms.id = accounts.platform_id
    join safes on safes.id = session.safe_id
    cross join sign_in_policy
    cross join token_policy
    left join gateways on gateways.id = session.gateway_id
    left join users terminator on terminator.id = session.terminated_by
    left join users pauser on pauser.id = session.input_paused_by
    left join tokens on tokens.id = session.token_id
    left join ssh_keys on ssh_keys.id = session.ssh_key_id
    left join access_requests started_with on started_with.id = session.grant_id
    left join lateral (
      select permissions from ${effectivePermissionsOf(who)} mine where mine.safe_id = session.safe_id
    ) standing on true
    left join lateral (
      select ends_at from ${activeGrants(who)} granted where granted.account_id = session.account_id
    ) active_grant on true
    left join lateral (
      select ${checkedOutUntil} as until from account_check_outs held
      where held.account_id = session.account_id and held.user_id = session.user_id
    ) held on true
    left join lateral (
      select min(member.expires_at) as at from safe_members member
      where member.safe_id = session.safe_id and member.expires_at > access_time()
        and (member.user_id = session.user_id or member.group_id in (
          select group_id from group_members where group_members.user_id = session.user_id))
    ) expiring on true
    where session.gateway_id = ${gatewayId} and session.status = 'active'`.execute(db);
  return rows;
}
