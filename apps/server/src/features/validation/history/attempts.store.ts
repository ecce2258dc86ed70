// Lists attempts on secrets that a user can see. Attempts are read per secret if there are few secrets, otherwise all at once.
import type { AttemptSort, AttemptStatusFilter, SystemFamily } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { isAfter, orderTerms } from "#kernel/db/list-order.ts";
import type { Place } from "#kernel/db/list-order.ts";
import { ACCOUNTS, keysToFind } from "#features/secrets/index.ts";
import type { AttemptRow } from "#features/verification/index.ts";
import { isVisibleSecret, visibleSecrets, visibleRows } from "#features/figures/index.ts";
import { isNamed, isOfFamily, systemType } from "../list-conditions.store.ts";
import type { GrantQueries, Sql, Viewer } from "#features/figures/index.ts";
import { orderOf } from "./attempt-order.ts";

export type FoundAttempt = AttemptRow & Place & { system_type: string };

export interface AttemptsQuery {
  actor: Viewer;
  grants: GrantQueries;
  /** Case-folded; null matches any text. */
  text: string | null;
  system: SystemFamily | null;
  status: AttemptStatusFilter | null;
  /** Null includes all attempts that are kept. */
  since: Date | null;
  /** Newest first if undefined. */
  sort: AttemptSort | undefined;
  limit: number;
  after: Place | null;
}

const IN_STATUS: Record<AttemptStatusFilter, Sql> = {
  rejected: sql`attempt.outcome = 'rejected'`,
  unreachable: sql`attempt.outcome = 'unreachable'`,
  misconfigured: sql`attempt.outcome = 'misconfigured'`,
  verified: sql`attempt.outcome = 'verified'`,
  failed: sql`attempt.outcome in ('rejected', 'unreachable', 'misconfigured')`,
  pending: sql`attempt.finished_at is null`,
  never_validated: sql`attempt.outcome = 'unsupported'`,
  aborted: sql`attempt.outcome = 'aborted'`,
};

const ID = sql`attempt.id`;

const inOrder = ({ sort }: AttemptsQuery): Sql => sql`order by ${orderTerms(orderOf(sort), ID)}`;

/** Conditions on `attempt` alone. */
const isWanted = ({ status, since, sort, after }: AttemptsQuery): Sql =>
  sql.join(
    [
      since === null ? sql`true` : sql`attempt.started_at >= ${since}`,
      ...(status === null ? [] : [IN_STATUS[status]]),
      ...(after === null ? [] : [isAfter(orderOf(sort), after, ID)]),
    ],
    sql` and `,
  );

/** Conditions on `credentials` and `accounts`. */
const isOnWanted = ({ text, system }: AttemptsQuery): Sql =>
  sql.join(
    [
      sql`true`,
      ...(text === null ? [] : [isNamed(text)]),
      ...(system === null ? [] : [isOfFamily(systemType, system)]),
    ],
    sql` and `,
  );

/** The rows that the user can see. If there is a search text, only those whose search keys match it. */
function narrowed({ actor, text }: AttemptsQuery): Sql {
  if (text === null) return visibleRows(actor);
  const keys = keysToFind(ACCOUNTS, { search: text });
  return sql`(select credentials.* from credentials where user_id = ${actor.id} and deleted_at is null
    union all
    select credentials.* from (
      select * from credentials where deleted_at is null and search_keys @> ${keys}::integer[] offset 0
    ) credentials where user_id is null and ${isVisibleSecret(actor)})`;
}

/** Ids of secrets that may have matching attempts, at most `most` + 1 of them. */
export async function findCandidates(db: Db, query: AttemptsQuery, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ${visibleSecrets(query.actor, query.grants)}
    select credentials.id from ${narrowed(query)} credentials
    left join accounts on accounts.id = credentials.id
    where ${isOnWanted(query)} limit ${most + 1}`.execute(db);
  return rows.map(({ id }) => id);
}

const columnsOf = ({ sort }: AttemptsQuery): Sql =>
  sql`attempt.*, ${systemType} as system_type, ${orderOf(sort).key} as key`;

/** Matching attempts on these secrets. */
export async function listOf(db: Db, query: AttemptsQuery, ids: readonly string[]): Promise<FoundAttempt[]> {
  const { rows } = await sql<FoundAttempt>`
    select ${columnsOf(query)} from (
      select attempt.* from unnest(${[...ids]}::uuid[]) as one (id) cross join lateral (
        select attempt.* from verification_attempts attempt
        where attempt.credential_id = one.id and ${isWanted(query)} ${inOrder(query)} limit ${query.limit}
      ) attempt ${inOrder(query)} limit ${query.limit}
    ) attempt
    join credentials on credentials.id = attempt.credential_id
    left join accounts on accounts.id = credentials.id
    ${inOrder(query)}`.execute(db);
  return rows;
}

export async function countOf(db: Db, query: AttemptsQuery, ids: readonly string[], most: number): Promise<number> {
  return count(
    db,
    sql`select from verification_attempts attempt
        where attempt.credential_id = any(${[...ids]}::uuid[]) and ${isWanted({ ...query, after: null })} limit ${most}`,
  );
}

/** All matching attempts, in the order of the query. */
export async function walk(db: Db, query: AttemptsQuery): Promise<FoundAttempt[]> {
  const { rows } = await sql<FoundAttempt>`
    with ${visibleSecrets(query.actor, query.grants)}
    select ${columnsOf(query)} from verification_attempts attempt
    join credentials on credentials.id = attempt.credential_id
    left join accounts on accounts.id = credentials.id
    where ${isWanted(query)} and ${isVisibleSecret(query.actor)} and ${isOnWanted(query)} ${inOrder(query)} limit ${query.limit}`.execute(
    db,
  );
  return rows;
}

export async function countWalked(db: Db, query: AttemptsQuery, most: number): Promise<number> {
  const rows = sql`
    select from verification_attempts attempt
    join ${visibleRows(query.actor)} credentials on credentials.id = attempt.credential_id
    left join accounts on accounts.id = credentials.id
    where ${isWanted({ ...query, after: null })} and ${isOnWanted(query)} limit ${most}`;
  return count(db, rows, visibleSecrets(query.actor, query.grants));
}

async function count(db: Db, rows: Sql, withs: Sql | null = null): Promise<number> {
  const { rows: counted } = await sql<{ count: number }>`
    ${withs === null ? sql`` : sql`with ${withs}`} select count(*)::integer as count from (${rows}) counted`.execute(
    db,
  );
  return counted[0]?.count ?? 0;
}
