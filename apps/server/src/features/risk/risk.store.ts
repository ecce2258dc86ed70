// Reads the facts of the risk assessment: the items behind each factor, their numbers, and the trends.
import type { FindingType, RiskFactorId, RiskItem } from "@strongroom/contract";
import { RISK_BANDS, placeName } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { isRotationOverdue, retrievableAccounts, retrievableSafes } from "#features/accounts/index.ts";
import { loginOf, visibleTargets } from "#features/discovery/index.ts";
import { visibleRows, visibleSecrets } from "#features/figures/index.ts";
import type { GrantQueries } from "#features/figures/index.ts";
import { findingTitle, isFindingShownTo } from "#features/findings/index.ts";
import { bitOf, seesEverySafe } from "#features/safes/index.ts";
import { isFailingRow } from "#features/secrets/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NamePlace } from "#kernel/http/cursor.ts";
import { CONTROL_FACTS } from "./controls.ts";
import type { ControlFactId } from "./controls.ts";
import type { Facts } from "./risk.policy.ts";

export interface RiskSnapshotsTable {
  day: string;
  score: number;
  factors: string;
  taken_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    risk_snapshots: RiskSnapshotsTable;
  }
}

type Sql = RawBuilder<unknown>;

/** The selection that an assessment covers. */
export interface RiskScope {
  actor: Actor;
  grants: GrantQueries;
  /** Only the hosts of these targets; null: everything that the actor can see. */
  targetIds: readonly string[] | null;
  /** The start of the time frame. */
  since: Date;
  now: Date;
  /** Whether the actor may see the users without a second factor. */
  seesUsers: boolean;
  /** What if: the ids of items that count as fixed, by factor. */
  fixed?: ReadonlyMap<RiskFactorId, readonly string[]>;
}

/** A rotation gives an account a new, different password. Closing a finding removes it from both lists. */
const FIXED_TOGETHER: readonly (readonly RiskFactorId[])[] = [
  ["stale_passwords", "shared_passwords"],
  ["exposed_secrets", "expiring_secrets"],
];

/** A condition on the id of an item: it does not count as fixed. */
function isNotFixed(id: Sql, factor: RiskFactorId, { fixed }: RiskScope): Sql {
  const factors = FIXED_TOGETHER.find((group) => group.includes(factor)) ?? [factor];
  const ids = factors.flatMap((each) => fixed?.get(each) ?? []);
  return ids.length === 0 ? sql`true` : sql`${id} <> all(${ids}::uuid[])`;
}

const DAY = sql`interval '1 day'`;
/** PCI DSS 8.3.9. */
const OLD_AFTER_DAYS = 90;
const ENDS_WITHIN_DAYS = 30;

const seenTargets = ({ actor, targetIds }: RiskScope): Sql =>
  sql`(select seen.id from ${visibleTargets(actor)} seen
    where ${targetIds === null ? sql`true` : sql`seen.id = any(${[...targetIds]}::uuid[])`})`;

const shownFinding = ({ actor }: RiskScope): Sql => isFindingShownTo(actor, "finding");

/** A condition on the table `credentials`: only on the hosts of the selected targets. */
const onHosts = (scope: RiskScope): Sql =>
  scope.targetIds === null
    ? sql`true`
    : sql`lower(credentials.host) in (select lower(hostname) from discovery_targets where id in ${seenTargets(scope)})`;

const secrets = ({ actor }: RiskScope): Sql => visibleRows(actor);

/**
 * Administrators compare all secrets, because the audit trail shows each account they create to test a guess. Their API
 * tokens also need the scope to retrieve, because the audit trail does not deter a thief.
 */
export const comparesEverySecret = (actor: Actor): boolean => seesEverySafe(actor) && retrievableSafes(actor) === null;

/**
 * INVARIANT: only secrets that the actor may retrieve are compared. Otherwise a user could store
 * a guessed password and learn whether another account has it.
 */
const comparable = ({ actor }: RiskScope): Sql => sql`(
  select hashed.secret_id, hashed.fingerprint from known_secrets hashed
  join credentials secret on secret.id = hashed.secret_id and secret.secret_version = hashed.version
  where hashed.fingerprint is not null
    and (${comparesEverySecret(actor)} or hashed.secret_id in ${retrievableAccounts(actor)}))`;

const place = sql`coalesce(credentials.host, safes.name, '')`;

/** The accounts of safes that are in use, as `credentials` with `accounts`, `platforms` and `safes`. */
const accountRows = (scope: RiskScope): Sql => sql`
  ${secrets(scope)} credentials
  join accounts on accounts.id = credentials.id and accounts.status = 'active'
  join platforms on platforms.id = accounts.platform_id
  join safes on safes.id = credentials.safe_id
  where ${onHosts(scope)}`;

const anySecret = (scope: RiskScope): Sql => sql`
  ${secrets(scope)} credentials
  left join accounts on accounts.id = credentials.id
  left join safes on safes.id = credentials.safe_id
  where ${onHosts(scope)}`;

const kindOfSecret = sql`case when accounts.id is null then 'credential' else 'account' end`;

const endsSoon = ({ now }: RiskScope): Sql =>
  sql`credentials.expires_at < ${now}::timestamptz + ${ENDS_WITHIN_DAYS} * ${DAY}`;

/** Scans report only certificates with a problem. */
const openCertificates = (scope: RiskScope): Sql => sql`
  findings finding join discovery_targets target on target.id = finding.target_id
  where finding.target_id in ${seenTargets(scope)} and ${shownFinding(scope)} and finding.class = 'certificate'
    and finding.status in ('new', 'investigating') and ${isNotFixed(sql`finding.id`, "expiring_secrets", scope)}`;

const completedScan = (scope: RiskScope): Sql =>
  sql`select 1 from scans where target_id in ${seenTargets(scope)} and status = 'completed' limit 1`;

/** Rows of `id`, `kind`, `name`, `place`, `detail`, `since`. Every list and every number of a factor comes from here. */
const ITEMS: Readonly<Record<RiskFactorId, (scope: RiskScope) => Sql>> = {
  exposed_secrets: (scope) => sql`
    select finding.id, 'finding' as kind, finding.path as name, target.hostname as place,
      'Risk score ' || finding.risk_score || case finding.liveness when 'live' then ', works' else '' end
        || coalesce(', due ' || to_char(finding.due_at at time zone 'UTC', 'YYYY-MM-DD'), '') as detail,
      finding.created_at as since
    from findings finding join discovery_targets target on target.id = finding.target_id
    where finding.target_id in ${seenTargets(scope)} and ${shownFinding(scope)} and finding.status in ('new', 'investigating')
      and not finding.is_below_threshold and finding.risk_score >= ${RISK_BANDS.high}`,
  unmanaged_privileged: (scope) => sql`
    select found.id, 'discovered_account' as kind, found.account_name as name, found.hostname as place,
      case found.status when 'rejected' then 'Rejected' when 'active' then 'Approved, in no safe'
        else 'Pending approval' end as detail, found.discovered_at as since
    from discovered_accounts found
    where found.target_id in ${seenTargets(scope)} and found.is_privileged and found.missing_since is null
      and not exists (select from credentials where user_id is null and deleted_at is null
        and lower(host) = lower(found.hostname) and lower(username) = ${loginOf("found")})`,
  missing_mfa: () => sql`
    select users.id, 'user' as kind, users.name, users.email as place, initcap(users.role) as detail,
      users.created_at as since
    from users where ${ACTIVE_PEOPLE}
      and not exists (select from factors where factors.user_id = users.id)
      and not exists (select from identity_provider_people bound
        where bound.user_id = users.id and bound.has_second_factor)`,
  shared_passwords: (scope) => sql`
    select credentials.id, 'account' as kind, credentials.name, ${place} as place,
      'The same secret as ' || (others.count - 1) || case others.count when 2 then ' other account'
        else ' other accounts' end as detail, null::timestamptz as since
    from (select hashed.secret_id, count(*) over (partition by hashed.fingerprint) as count
      from ${comparable(scope)} hashed join ${secrets(scope)} seen on seen.id = hashed.secret_id
      where ${isNotFixed(sql`hashed.secret_id`, "shared_passwords", scope)}) others
    join credentials on credentials.id = others.secret_id
    join safes on safes.id = credentials.safe_id
    where others.count > 1 and ${onHosts(scope)}`,
  stale_passwords: (scope) => sql`
    select credentials.id, 'account' as kind, credentials.name, ${place} as place,
      case when ${isRotationOverdue} then 'Rotation overdue' else 'No rotation for ' ||
        extract(day from ${scope.now}::timestamptz - ${changedAt})::integer || ' days' end as detail,
      ${changedAt} as since
    from ${accountRows(scope)} and (${isRotationOverdue}
      or ${changedAt} < ${scope.now}::timestamptz - ${OLD_AFTER_DAYS} * ${DAY})`,
  unrecorded_sessions: (scope) => sql`
    select session.id, 'session' as kind, session.account_name as name, session.target as place,
      'Opened by ' || session.user_name as detail, session.started_at as since
    from sessions session join platforms on platforms.id = session.platform_id and platforms.is_production
    where not session.is_recorded and ${sessionInScope(scope)}`,
  standing_access: (scope) => sql`
    select credentials.id, 'account' as kind, credentials.name, safes.name as place,
      held.count || case held.count when 1 then ' membership' else ' memberships' end
        || ' can retrieve the password at any time' as detail, null::timestamptz as since
    from (select credentials.*, platforms.approvals_level_1 + platforms.approvals_level_2 as approvals
      from ${accountRows(scope)}) credentials
    join safes on safes.id = credentials.safe_id
    cross join lateral (select count(*) as count from safe_members member
      where member.safe_id = credentials.safe_id and member.expires_at is null
        and (member.permissions & ${RETRIEVE}) <> 0
        and (credentials.approvals = 0 or (member.permissions & ${WITHOUT_APPROVAL}) <> 0)) held
    where held.count > 0`,
  failed_verifications: (scope) => sql`
    select credentials.id, ${kindOfSecret} as kind, credentials.name, ${place} as place,
      coalesce(credentials.verification_error, initcap(credentials.verification_status)) as detail,
      credentials.last_verification_attempt as since
    from ${anySecret(scope)} and ${isFailingRow}`,
  expiring_secrets: (scope) => sql`
    select credentials.id, ${kindOfSecret} as kind, credentials.name, ${place} as place,
      case when credentials.expires_at < ${scope.now} then 'Expired' else 'Expires soon' end as detail,
      credentials.expires_at as since
    from ${anySecret(scope)} and ${endsSoon(scope)}
    union all
    select finding.id, 'finding' as kind, finding.path as name, target.hostname as place,
      case when finding.reason like '%It expired on %' then 'Expired certificate' else 'Certificate expires soon' end
        as detail, finding.created_at as since
    from ${openCertificates(scope)} and (finding.reason like '%It expired on %' or finding.reason like '%It expires on %')`,
};

const ACTIVE_PEOPLE = sql`users.kind = 'person' and users.status = 'active'`;
const RETRIEVE = sql.lit(bitOf("retrieve"));
const WITHOUT_APPROVAL = sql.lit(bitOf("access_without_confirmation"));
const changedAt = sql`coalesce(accounts.rotated_at, credentials.created_at)`;

/** INVARIANT: only sessions on accounts that the actor can see. */
const sessionInScope = (scope: RiskScope): Sql => sql`session.started_at >= ${scope.since}
  and session.account_id in (select credentials.id from ${secrets(scope)} credentials where ${onHosts(scope)})`;

/** How many items each factor examined. Null: the factor has no natural total, and the query says whether it was assessed. */
const TOTALS: Readonly<Record<RiskFactorId, (scope: RiskScope) => Sql>> = {
  exposed_secrets: completedScan,
  unmanaged_privileged: (scope) => sql`select 1 from discovered_accounts found
    where found.target_id in ${seenTargets(scope)} and found.is_privileged and found.missing_since is null`,
  missing_mfa: () => sql`select 1 from users where ${ACTIVE_PEOPLE}`,
  shared_passwords: (scope) => sql`select 1 from ${comparable(scope)} hashed
    join ${secrets(scope)} credentials on credentials.id = hashed.secret_id where ${onHosts(scope)}`,
  stale_passwords: (scope) => sql`select 1 from ${accountRows(scope)}`,
  unrecorded_sessions: (scope) => sql`select 1 from sessions session
    join platforms on platforms.id = session.platform_id and platforms.is_production where ${sessionInScope(scope)}`,
  standing_access: (scope) => sql`select 1 from ${accountRows(scope)}`,
  failed_verifications: (scope) =>
    sql`select 1 from ${anySecret(scope)} and credentials.last_verification_attempt is not null`,
  // A password without an end cannot show that nothing expires.
  expiring_secrets: (scope) => sql`select 1 from ${anySecret(scope)} and credentials.expires_at is not null
    union all select 1 from ${openCertificates(scope)}`,
};

interface Counted {
  affected: (scope: RiskScope) => Sql;
  examined: (scope: RiskScope) => Sql;
  hasTotal: boolean;
}

const CONTROL_QUERIES: Readonly<Record<ControlFactId, Counted>> = {
  certificates: {
    affected: (
      scope,
    ) => sql`select 1 from ${anySecret(scope)} and credentials.type = 'certificate' and ${endsSoon(scope)}
      union all select 1 from ${openCertificates(scope)}`,
    examined: (scope) => sql`select 1 from ${anySecret(scope)} and credentials.type = 'certificate'
        and credentials.expires_at is not null
      union all select 1 from ${openCertificates(scope)}`,
    hasTotal: true,
  },
  exposed_keys: {
    affected: (scope) => sql`select 1 from (${ITEMS.exposed_secrets(scope)}) item
      join findings finding on finding.id = item.id and finding.class in ('private_key', 'encryption_key')`,
    examined: completedScan,
    hasTotal: false,
  },
  shared_accounts: {
    affected: (scope) => sql`select 1 from findings finding where finding.target_id in ${seenTargets(scope)}
      and ${shownFinding(scope)} and finding.class in ('shared_key', 'service_login') and finding.status in ('new', 'investigating')
      and not finding.is_below_threshold`,
    examined: completedScan,
    hasTotal: false,
  },
};

/** Facts about people are the same for every host, so they are left out for a selection of targets. */
const isInScope = (id: RiskFactorId, { seesUsers, targetIds }: RiskScope): boolean =>
  id !== "missing_mfa" || (seesUsers && targetIds === null);

export async function readFacts(db: Db, scope: RiskScope): Promise<Partial<Record<RiskFactorId, Facts>>> {
  const wanted = (Object.keys(ITEMS) as RiskFactorId[]).filter((id) => isInScope(id, scope));
  const counted = await Promise.all(
    wanted.map(async (id) => {
      const query = { affected: unfixedItems(id), examined: TOTALS[id], hasTotal: id !== "exposed_secrets" };
      return [id, await readCounts(db, scope, query)] as const;
    }),
  );
  return Object.fromEntries(counted);
}

const unfixedItems = (id: RiskFactorId) => (scope: RiskScope) =>
  sql`select 1 from (${ITEMS[id](scope)}) items where ${isNotFixed(sql`items.id`, id, scope)}`;

/** The facts that only compliance controls use. */
export async function readControlFacts(db: Db, scope: RiskScope): Promise<Record<ControlFactId, Facts>> {
  const counted = await Promise.all(
    CONTROL_FACTS.map(async (id) => [id, await readCounts(db, scope, CONTROL_QUERIES[id])] as const),
  );
  return Object.fromEntries(counted) as Record<ControlFactId, Facts>;
}

async function readCounts(db: Db, scope: RiskScope, { affected, examined, hasTotal }: Counted): Promise<Facts> {
  const { rows } = await sql<{ affected: number; total: number }>`
    with ${visibleSecrets(scope.actor, scope.grants)}
    select (select count(*)::integer from (${affected(scope)}) items) as affected,
      (select count(*)::integer from (${examined(scope)}) examined) as total`.execute(db);
  const { affected: count, total } = rows[0]!;
  return { affected: count, total: hasTotal ? total : null, isAssessed: total > 0 };
}

export interface ItemRow extends Omit<RiskItem, "since"> {
  since: Date | null;
  /** The case-folded name, after the risk of a finding. */
  sort: string;
  /** Null for other items than findings. */
  class: string | null;
}

const LONGEST_SORT = 900;
const sortKey = sql`left(
  coalesce(to_char(100 - finding.risk_score, 'FM000'), '') || lower(items.name), ${sql.lit(LONGEST_SORT)})`;

/** The items behind a factor, findings by risk and others by name. Empty when the actor may not see its facts. */
export async function listItems(
  db: Db,
  scope: RiskScope,
  factor: RiskFactorId,
  page: { after: NamePlace | null; limit: number },
): Promise<ItemRow[]> {
  if (!isInScope(factor, scope)) return [];
  const { after } = page;
  const further = after === null ? sql`true` : sql`(${sortKey}, items.id) > (${after.name}, ${after.id}::uuid)`;
  const { rows } = await sql<ItemRow>`
    with ${visibleSecrets(scope.actor, scope.grants)}
    select items.*, finding.class, ${sortKey} as sort from (${ITEMS[factor](scope)}) items
    left join findings finding on finding.id = items.id and items.kind = 'finding'
    where ${further} order by ${sortKey}, items.id limit ${page.limit}`.execute(db);
  return rows.map((row) => (row.class === null ? row : nameFinding(row, row.class)));
}

/** A file often has several findings, so its path alone does not tell them apart. */
const nameFinding = (row: ItemRow, kind: string): ItemRow => ({
  ...row,
  name: findingTitle({ class: kind, path: row.name }),
  place: `${row.place}:${placeName(row.name)}`,
});

export interface FindingDay {
  date: string;
  count: number;
  type: FindingType;
}

/** Findings by the day on which a scan found them first. */
export async function readFindingTrend(db: Db, scope: RiskScope): Promise<FindingDay[]> {
  const { rows } = await sql<FindingDay>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as date, count(*)::integer as count,
      finding_type as type
    from findings finding where target_id in ${seenTargets(scope)} and created_at >= ${scope.since}
      and ${shownFinding(scope)}
    group by 1, 3 order by 1, 3`.execute(db);
  return rows;
}

interface TrendDay {
  date: string;
  value: number;
}

export async function readFindingsPerDay(db: Db, actor: Actor, since: Date): Promise<TrendDay[]> {
  const { rows } = await sql<TrendDay>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as date, count(*)::integer as value
    from findings finding where target_id in (select id from ${visibleTargets(actor)} seen) and created_at >= ${since}
      and ${isFindingShownTo(actor, "finding")}
    group by 1 order by 1`.execute(db);
  return rows;
}

/** The overall score, or the score of a factor. Days on which it was not recorded are left out. */
export async function readTrendOf(db: Db, metric: RiskFactorId | "risk_score", since: Date): Promise<TrendDay[]> {
  const value = metric === "risk_score" ? sql`score` : sql`(factors ->> ${metric})::integer`;
  const { rows } = await sql<TrendDay>`
    select to_char(day, 'YYYY-MM-DD') as date, ${value} as value from risk_snapshots
    where day >= (${since} at time zone 'UTC')::date and ${value} is not null order by day`.execute(db);
  return rows;
}

export const readScoreTrend = async (db: Db, since: Date) =>
  (await readTrendOf(db, "risk_score", since)).map(({ date, value: score }) => ({ date, score }));

/** Stores the score of the day. A later score of the same day replaces it. */
export async function saveSnapshot(
  tx: Tx,
  at: Date,
  score: number,
  factors: Readonly<Record<string, number>>,
): Promise<void> {
  await sql`insert into risk_snapshots (day, score, factors, taken_at)
    values ((${at} at time zone 'UTC')::date, ${score}, ${JSON.stringify(factors)}, ${at})
    on conflict (day) do update set score = excluded.score, factors = excluded.factors, taken_at = excluded.taken_at`.execute(
    tx,
  );
}
