// Lists the permissions of all users except one as facts. Comparing them before and after a call shows the access that
// the call gave.
import { Permission } from "@strongroom/contract";
import type { AccountStatus, Role, SafeStatus } from "@strongroom/contract";
import { sql } from "kysely";
import { permissionsOn } from "#features/accounts/index.ts";
import { namesOf, effectivePermissionsOf } from "#features/safes/index.ts";
import type { TestApp } from "./test-app.ts";

/** A fact such as `<person> retrieve account <id>`, and its expiry in milliseconds. */
export type Rights = ReadonlyMap<string, number>;

/** The objects to inspect. Objects that a call creates are not included: the caller supplied them. */
export interface View {
  /** The caller. */
  callerId: string;
  /** Everyone created since then, including machine identities. */
  since: Date;
  safes: readonly string[];
  accounts: readonly string[];
  credentials: readonly string[];
}

const FOR_EVER = Infinity;

/** The facts that are new afterwards, or last longer. */
export const gainedBetween = (before: Rights, after: Rights): string[] =>
  [...after].filter(([fact, until]) => until > (before.get(fact) ?? -FOR_EVER)).map(([fact]) => fact);

export async function rightsOfOthers(app: TestApp, view: View): Promise<Rights> {
  const rights = new Map<string, number>();
  const note = (fact: string, until: Date | null = null) => rights.set(fact, until?.getTime() ?? FOR_EVER);
  for (const person of await othersIn(app, view)) {
    note(`${person.id} signs in`);
    for (const permission of Permission.options) {
      if (app.kernel.authority.allows(permission, person.role)) note(`${person.id} ${permission}`);
    }
  }
  for (const { user_id, safe_id, permissions } of await standings(app, view)) {
    for (const name of namesOf(permissions)) note(`${user_id} ${name} in safe ${safe_id}`);
  }
  for (const row of await reachedAccounts(app, view)) {
    const standing = {
      permissions: row.permissions,
      safeStatus: row.safe_status,
      accountStatus: row.status,
      approvals: row.approvals,
      isGranted: row.lent_until !== null,
    };
    for (const name of permissionsOn(standing)) note(`${row.user_id} ${name} on account ${row.id}`);
    if (row.lent_until !== null) note(`${row.user_id} has a grant on ${row.id}`, row.lent_until);
  }
  for (const { fact, until } of await otherFacts(app, view)) note(fact, until);
  return rights;
}

const isOther = ({ callerId, since }: View) =>
  sql`person.status = 'active' and person.id <> ${callerId} and person.created_at >= ${since}`;

async function othersIn({ kernel: { database } }: TestApp, view: View) {
  const { rows } = await sql<{ id: string; role: Role }>`
    select id, role from users person where ${isOther(view)}`.execute(database.db);
  return rows;
}

const someone = { id: sql`person.id`, role: sql`person.role` };

async function standings({ kernel: { database } }: TestApp, view: View) {
  const { rows } = await sql<{ user_id: string; safe_id: string; permissions: number }>`
    select person.id as user_id, standing.safe_id, standing.permissions
    from users person cross join lateral ${effectivePermissionsOf(someone)} standing
    where ${isOther(view)} and standing.safe_id = any(${[...view.safes]}::uuid[])`.execute(database.db);
  return rows;
}

interface ReachedRow {
  user_id: string;
  id: string;
  permissions: number;
  safe_status: SafeStatus;
  status: AccountStatus;
  approvals: number;
  lent_until: Date | null;
}

async function reachedAccounts({ kernel: { database } }: TestApp, view: View) {
  const { rows } = await sql<ReachedRow>`
    select person.id as user_id, accounts.id, coalesce(standing.permissions, 0) as permissions,
           safes.status as safe_status, accounts.status, platforms.approvals_level_1 as approvals,
           (select max(ends_at) from access_requests lent
            where lent.account_id = accounts.id and lent.user_id = person.id and lent.state = 'granted'
              and lent.ends_at > access_time()) as lent_until
    from users person
    cross join accounts
    join credentials on credentials.id = accounts.id and credentials.deleted_at is null
    join safes on safes.id = credentials.safe_id
    join platforms on platforms.id = accounts.platform_id
    left join lateral ${effectivePermissionsOf(someone)} standing on standing.safe_id = safes.id
    where ${isOther(view)} and accounts.id = any(${[...view.accounts]}::uuid[])`.execute(database.db);
  return rows;
}

/** Permissions outside safes: where secrets are sent, and how users can sign in. */
async function otherFacts({ kernel: { database } }: TestApp, view: View) {
  const stored = [...view.accounts, ...view.credentials];
  const { rows } = await sql<{ fact: string; until: Date | null }>`
    select 'secret of ' || id || ' goes to ' ||
           concat_ws(' ', type, host, port, connection_string, host_key ->> 'fingerprint', environment) as fact,
           null::timestamptz as until
    from credentials where deleted_at is null and id = any(${stored}::uuid[])
    union all
    select 'secret of ' || account_id || ' goes along ' || config::text || ' by ' || added_by || ' for ' || state, null
    from account_dependents
    union all
    select 'secret of ' || credential_id || ' goes to scanned host ' ||
           concat_ws(' ', hostname, port, host_key ->> 'fingerprint'), null
    from discovery_targets where is_active
    union all
    select 'secrets of ' || credentials::text || ' go to hosts that range scan ' || id || ' finds', null
    from discovery_range_scans where creates_targets and credentials <> '[]'
    union all
    select 'trail goes to ' || id || ' ' || config::text, null from audit_sinks where is_enabled
    union all
    select 'provider ' || id || ' lets in ' || role_mappings::text || creates_people || links_by_email || settings::text,
           null from identity_providers where is_enabled
    union all
    select 'link makes its owner ' || user_id, token_expires_at from sign_in_resets where token_hash is not null
    union all
    select 'password alone is enough for ' || person.id, null from users person
    where ${isOther(view)} and not exists (select from factors where factors.user_id = person.id)
    union all
    select 'token ' || id || ' may ' || array_to_string(scopes, ' '), expires_at from tokens
    where revoked_at is null and suspended_at is null
    union all
    select 'machine of ' || coalesce(responsible_user_id, responsible_group_id) || ' is ' || user_id, null
    from token_machines
    union all
    select 'policy ' || to_jsonb(sign_in_policy)::text, null from sign_in_policy
    union all
    select 'policy ' || to_jsonb(token_policy)::text, null from token_policy
    union all
    select 'group ' || id || ' breaks glass', null from groups where may_break_glass
    union all
    select 'platform ' || id || ' is reconciled by ' || reconcile_account_id || reconcile_hosts::text, null
    from platforms where reconcile_account_id is not null
    union all
    select 'approval of ' || request_id || ' by ' || user_id, null from access_request_decisions
    where decision = 'approved'
    union all
    select 'request ' || id || ' is for ' || account_id, null from access_requests where is_mapped
    union all
    select coalesce(reviewer_id::text, 'administrators') || ' decides on ' || member_id, null from access_review_items
    union all
    select 'membership ' || member_id || ' stays', null from access_review_items where decision = 'confirmed'`.execute(
    database.db,
  );
  return rows;
}
