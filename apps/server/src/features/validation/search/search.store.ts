// The advanced search: filters the secrets that the user can see, newest first.
import { verificationStatusOf } from "@strongroom/contract";
import type {
  AccountStatus,
  ConnectionMethod,
  JitAssociation,
  ValidationFilter,
  ValidationStatusFilter,
} from "@strongroom/contract";
import { sql } from "kysely";
import {
  ACCOUNTS,
  causeColumn,
  fold,
  hasVerificationStatus,
  isFailingRow,
  keysToFind,
} from "#features/secrets/index.ts";
import { containing } from "#kernel/db/containing.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import {
  complianceRules,
  isCompliant,
  isRotationStopped,
  severity,
  visibleParts,
  visibleSecrets,
  withAccount,
  withRules,
} from "#features/figures/index.ts";
import { isNamed, mayValidate, systemType } from "../list-conditions.store.ts";
import type { GrantQueries, Sql, Viewer } from "#features/figures/index.ts";
import { DAY_MS } from "../validation.policy.ts";

export interface MatchRow {
  id: string;
  user_id: string | null;
  name: string;
  host: string | null;
  username: string | null;
  system_type: string;
  connection_method: ConnectionMethod | null;
  account_status: AccountStatus | null;
  method: string | null;
  verification_status: string;
  verify_after: Date | null;
  last_verification_attempt: Date | null;
  verification_error: string | null;
  severity: string | null;
  jit: "active" | "expired" | "none";
  created_at: Date;
  may_validate: boolean;
}

export interface SearchQuery {
  actor: Viewer;
  grants: GrantQueries;
  filter: ValidationFilter;
  limit: number;
  after: TimePlace | null;
  now: Date;
}

/** At most `limit` + 1 rows. */
export async function findMatches(db: Db, query: SearchQuery): Promise<MatchRow[]> {
  const { actor, grants, after, limit } = query;
  const isAfter =
    after === null ? sql`true` : sql`(credentials.created_at, credentials.id) < (${after.at}, ${after.id}::uuid)`;
  const parts = visibleParts(actor, joinsOf(query)).map(
    (part) => sql`(select credentials.id, credentials.created_at from ${part} and ${conditions(query)} and ${isAfter}
      order by credentials.created_at desc, credentials.id desc limit ${limit + 1})`,
  );
  const { rows } = await sql<MatchRow>`
    with ${tables(query)}
    select credentials.id, credentials.user_id, credentials.name, credentials.host, credentials.username,
      ${systemType} as system_type, accounts.connection_method, accounts.status as account_status,
      credentials.verification_status, credentials.verify_after, credentials.last_verification_attempt, credentials.verification_error,
      ${severity} as severity, credentials.created_at, last.method, ${jitOf} as jit, ${mayValidate(actor)} as may_validate
    from (
      select id, created_at from (${sql.join(parts, sql` union all `)}) part
      order by created_at desc, id desc limit ${limit + 1}
    ) page
    join credentials on credentials.id = page.id ${withAccount}
    left join lateral (
      select method from verification_attempts attempt
      where attempt.credential_id = page.id order by started_at desc, id desc limit 1
    ) last on true
    left join lateral (
      select bool_or(request.is_in_force) as is_active, true as is_known
      from ${grants.requestsSeenBy(actor)} request
      where request.account_id = page.id and request.starts_at <= access_time()
      having count(*) > 0
    ) granted on true
    order by page.created_at desc, page.id desc`.execute(db);
  return rows;
}

const jitOf = sql`case when granted.is_active then 'active' when granted.is_known then 'expired' else 'none' end`;

/** Counts the matches, but stops counting at `most`. */
export async function countMatches(db: Db, query: SearchQuery, most: number): Promise<number> {
  const parts = visibleParts(query.actor, joinsOf(query)).map(
    (part) => sql`(select credentials.id from ${part} and ${conditions(query)} limit ${most})`,
  );
  const { rows } = await sql<{ count: number }>`
    with ${tables(query)}
    select least(count(*), ${most})::integer as count from (${sql.join(parts, sql` union all `)}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Common table expressions for the conditions, which start from the smallest sets. */
function tables({ actor, grants, filter, now }: SearchQuery): Sql {
  const text = fold(filter.text);
  const mine = grants.requestsSeenBy(actor);
  const granted =
    filter.jit.length === 0
      ? sql`select null::uuid, false where false`
      : sql`select account_id, bool_or(is_in_force) from ${mine} request where starts_at <= access_time() group by account_id`;
  const found =
    text === ""
      ? sql`select null::uuid where false`
      : sql`
        (select id from credentials
         where deleted_at is null and search_keys @> ${keysToFind(ACCOUNTS, { search: text })}::integer[] offset 0)
        union all select id from credentials where user_id = ${actor.id} and deleted_at is null
        union all select account_id from ${mine} request where reason ilike ${containing(text)}
        union all select id from credentials
          where deleted_at is null and ${isFailingRow} and verification_error ilike ${containing(text)}`;
  const why =
    text === ""
      ? sql`select null::uuid where false`
      : sql`select account_id from ${mine} request where reason ilike ${containing(text)}`;
  return sql`${visibleSecrets(actor, grants)},
    granted (account_id, is_active) as materialized (${granted}),
    found (id) as materialized (${found}),
    justified (id) as materialized (${why}),
    ${complianceRules(now)}`;
}

const joinsOf = ({ filter }: SearchQuery): Sql =>
  filter.not_compliant ? sql`${withAccount} ${withRules}` : withAccount;

function conditions({ filter, now }: SearchQuery): Sql {
  const text = fold(filter.text);
  const { statuses, jit, system_types, connection_methods, verification_methods } = filter;
  const all = [
    sql`true`,
    ...(text === "" ? [] : [sql`credentials.id in (select id from found)`, matches(text)]),
    ...(statuses.length === 0 ? [] : [sql`(${sql.join(statuses.map(hasStatus), sql` or `)})`]),
    ...(jit.length === 0 ? [] : [sql`(${sql.join(jit.map(isAssociated), sql` or `)})`]),
    ...(system_types.length === 0 ? [] : [sql`${systemType} = any(${[...system_types]}::text[])`]),
    ...(connection_methods.length === 0
      ? []
      : [sql`accounts.connection_method = any(${[...connection_methods]}::text[])`]),
    ...(verification_methods.length === 0 ? [] : [isTriedBy(verification_methods)]),
    ...within(sql`credentials.last_verification_attempt`, filter.last_validated),
    ...within(sql`credentials.created_at`, filter.created),
    ...within(sql`credentials.expires_at`, filter.expires),
    ...(filter.causes.length === 0 ? [] : [isFailingRow, sql`${causeColumn} = any(${[...filter.causes]}::text[])`]),
    ...(filter.rotation_stopped ? [isRotationStopped] : []),
    ...(filter.not_compliant ? [sql`not ${isCompliant(now)}`] : []),
    ...(filter.critical_only ? [isFailingRow, sql`${severity} = 'critical'`] : []),
    ...(filter.recent_failures
      ? [isFailingRow, sql`credentials.last_verification_attempt >= ${new Date(now.getTime() - DAY_MS)}`]
      : []),
  ];
  return sql.join(all, sql` and `);
}

const hasStatus = (status: ValidationStatusFilter): Sql => hasVerificationStatus(verificationStatusOf(status));

const matches = (text: string): Sql => sql`(${isNamed(text)}
    or credentials.verification_error ilike ${containing(text)} or credentials.id in (select id from justified))`;

const ASSOCIATED: Record<JitAssociation, Sql> = {
  active: sql`credentials.id in (select account_id from granted where is_active)`,
  expired: sql`credentials.id in (select account_id from granted where not is_active)`,
  any: sql`credentials.id in (select account_id from granted)`,
  none: sql`credentials.id not in (select account_id from granted)`,
};
const isAssociated = (how: JitAssociation): Sql => ASSOCIATED[how];

const isTriedBy = (methods: readonly string[]): Sql => sql`(
    select method from verification_attempts attempt
    where attempt.credential_id = credentials.id order by started_at desc, id desc limit 1
  ) = any(${[...methods]}::text[])`;

const within = (column: Sql, { from, to }: { from?: string | undefined; to?: string | undefined }): Sql[] => [
  ...(from === undefined ? [] : [sql`${column} >= ${from}::timestamptz`]),
  ...(to === undefined ? [] : [sql`${column} <= ${to}::timestamptz`]),
];
