// Lists, searches and counts discovered accounts.
import type { DiscoveredStatus, DiscoveredSystem, OnboardingState, PrivilegeKind } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder, Selectable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import { containing } from "#kernel/db/containing.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { listableSafes } from "../onboarding/onboarding.store.ts";
import { visibleTargets } from "../targets/targets.store.ts";
import { loginOf } from "./discovered.store.ts";
import type { DiscoveredTable } from "./discovered.store.ts";

export type ShownAccount = Selectable<DiscoveredTable> & {
  is_managed: boolean;
  /** The account in a safe, if this user can list it. */
  account_id: string | null;
  latest_onboarding: { id: string; state: OnboardingState; message: string } | null;
  can_manage: boolean;
};

type Presence = "present" | "missing" | "changed" | "new" | "returned";

/** `returned`: a rejected account that needs a new decision. */
const PRESENCES: Record<Presence, RawBuilder<unknown>> = {
  present: sql`found.missing_since is null`,
  missing: sql`found.missing_since is not null`,
  changed: sql`found.changed_scan_id = found.last_scan_id`,
  new: sql`found.scan_id = found.last_scan_id`,
  returned: sql`(found.status = 'pending_approval' and found.rejection_reason is not null)`,
};

export interface AccountsQuery {
  status: DiscoveredStatus | null;
  scanId: string | null;
  targetId: string | null;
  isPrivileged: boolean | null;
  privilege: PrivilegeKind | null;
  isManaged: boolean | null;
  system: DiscoveredSystem | null;
  presence: Presence | null;
  text: string | null;
  after: TimePlace | null;
  limit: number;
}

const isManaged = sql`exists (
  select from credentials where user_id is null and deleted_at is null
    and lower(host) = lower(found.hostname) and lower(username) = ${loginOf("found")})`;

/** Safes contain fewer logins than scans find accounts, so this reads from their side. */
const IN_A_SAFE = sql`found.id in (
  select known.id from credentials join discovered_accounts known
    on lower(known.hostname) = lower(credentials.host) and ${loginOf("known")} = lower(credentials.username)
  where credentials.user_id is null and credentials.deleted_at is null)`;

function matching(query: AccountsQuery): RawBuilder<unknown> {
  const { status, scanId, targetId, isPrivileged, privilege, isManaged: managed, system, presence, text } = query;
  return sql.join(
    [
      sql`true`,
      ...(status === null ? [] : [sql`found.status = ${status}`]),
      ...(scanId === null ? [] : [sql`(found.scan_id = ${scanId} or found.last_scan_id = ${scanId})`]),
      ...(targetId === null ? [] : [sql`found.target_id = ${targetId}`]),
      ...(isPrivileged === null ? [] : [sql`found.is_privileged = ${isPrivileged}`]),
      ...(privilege === null ? [] : [sql`found.privilege = ${privilege}`]),
      ...(managed === null ? [] : [managed ? IN_A_SAFE : sql`not ${isManaged}`]),
      ...(system === null ? [] : [sql`found.system_type = ${system}`]),
      ...(presence === null ? [] : [PRESENCES[presence]]),
      ...(text === null ? [] : [containsText(text)]),
    ],
    sql` and `,
  );
}

export async function listAccounts(db: Db, actor: Actor, query: AccountsQuery): Promise<ShownAccount[]> {
  const { rows } = await sql<ShownAccount>`
    select found.*, seen.can_manage, ${isManaged} as is_managed, (
        select own.id from credentials own
        where own.user_id is null and own.deleted_at is null and own.safe_id in ${listableSafes(actor)}
          and lower(own.host) = lower(found.hostname) and lower(own.username) = ${loginOf("found")}
        order by own.created_at limit 1
      ) as account_id, (
        select jsonb_build_object('id', latest.id, 'state', latest.state, 'message', latest.message)
        from discovery_onboardings latest where latest.discovered_id = found.id
        order by latest.created_at desc, latest.id desc limit 1
      ) as latest_onboarding
    from ${await sourceOf(db, query)} found join ${visibleTargets(actor)} seen on seen.id = found.target_id
    where ${matching(query)} and ${after(query)}
    order by found.discovered_at desc, found.id desc limit ${query.limit}`.execute(db);
  return rows;
}

/** A text is common if at least this many of the next accounts contain it: then the list is read in its order. */
const COMMON = 50;
const NEXT = sql.lit(1_000);

const after = ({ after: last }: Pick<AccountsQuery, "after">): RawBuilder<unknown> =>
  last === null ? sql`true` : sql`(found.discovered_at, found.id) < (${last.at}, ${last.id}::uuid)`;

const containsText = (text: string): RawBuilder<unknown> =>
  sql`(found.account_name ilike ${containing(text)} or found.hostname ilike ${containing(text)})`;

/**
 * The table, or the accounts that an index finds by the text. PostgreSQL's own estimate of how rare a text is can be wrong by
 * orders of magnitude, so the next accounts decide.
 */
async function sourceOf(db: Db, query: Pick<AccountsQuery, "text" | "after">): Promise<RawBuilder<unknown>> {
  const { text } = query;
  if (text === null || text.length < 2) return sql`discovered_accounts`;
  const { rows } = await sql<{ count: number }>`
    select count(*) filter (where ${containsText(text)})::integer as count from (
      select account_name, hostname from discovered_accounts found where ${after(query)}
      order by discovered_at desc, id desc limit ${NEXT}) found`.execute(db);
  if ((rows[0]?.count ?? 0) >= COMMON) return sql`discovered_accounts`;
  return sql`(
    select * from discovered_accounts
    where discovery_text_keys(lower(account_name || chr(10) || hostname)) @> discovery_search_keys(lower(${text}))
    offset 0)`;
}

export interface Counted {
  total: number;
  /** There are more. */
  isCapped: boolean;
}

/** The database keeps counts by status, privilege and target. All others are counted up to this many. */
const MOST_BY_FILTER = 1_000;

/** At most `most`, or fewer where each account has to be read. */
export async function countAccounts(db: Db, actor: Actor, query: AccountsQuery, most: number): Promise<Counted> {
  const { text, scanId, privilege, isManaged: managed, system, presence } = query;
  if ([text, scanId, privilege, managed, system, presence].every((filter) => filter === null)) {
    return capped(await countByTraits(db, actor, query, most + 1), most);
  }
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from ${await sourceOf(db, { text, after: null })} found
      join ${visibleTargets(actor)} seen on seen.id = found.target_id
      where ${matching(query)} limit ${MOST_BY_FILTER + 1}
    ) counted`.execute(db);
  return capped(rows[0]?.count ?? 0, MOST_BY_FILTER);
}

const capped = (count: number, most: number): Counted => ({ total: Math.min(count, most), isCapped: count > most });

/** For filters by status, privilege and target, the database keeps the counts. */
async function countByTraits(
  db: Db,
  actor: Actor,
  { status, isPrivileged, targetId }: AccountsQuery,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select least(coalesce(sum(count), 0), ${most})::integer as count
    from discovered_counts counted join ${visibleTargets(actor)} seen on seen.id = counted.target_id
    where (${status}::text is null or counted.status = ${status})
      and (${isPrivileged}::boolean is null or counted.is_privileged = ${isPrivileged})
      and (${targetId}::uuid is null or counted.target_id = ${targetId})`.execute(db);
  return rows[0]?.count ?? 0;
}
