// Attempts on what a person sees, newest first: looked up by whose they are where those are few, else read on by age.
import type { SystemFamily, ValidationStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { ACCOUNTS, keysToFind } from "#features/credentials/index.ts";
import type { AttemptRow } from "#features/verification/index.ts";
import { isNamed, isOfFamily, isSeen, seen, seenRows, systemType } from "./seen.store.ts";
import type { GrantQueries, Sql, Who } from "./seen.store.ts";

export type FoundAttempt = AttemptRow & { system_type: string };

export interface AttemptsWish {
  actor: Who;
  grants: GrantQueries;
  /** Folded; null: any. */
  text: string | null;
  system: SystemFamily | null;
  status: ValidationStatus | null;
  /** Null: as long as attempts are kept. */
  since: Date | null;
  limit: number;
  after: TimePlace | null;
}

const IN_STATUS: Record<ValidationStatus, Sql> = {
  verified: sql`attempt.outcome = 'verified'`,
  failed: sql`attempt.outcome in ('rejected', 'unreachable', 'misconfigured')`,
  pending: sql`attempt.finished_at is null`,
  never_validated: sql`attempt.outcome = 'unsupported'`,
};

const ORDER = sql`order by attempt.started_at desc, attempt.id desc`;

/** Conditions on `attempt` alone. */
const isWanted = ({ status, since, after }: AttemptsWish): Sql =>
  sql.join(
    [
      since === null ? sql`true` : sql`attempt.started_at >= ${since}`,
      ...(status === null ? [] : [IN_STATUS[status]]),
      ...(after === null ? [] : [sql`(attempt.started_at, attempt.id) < (${after.at}, ${after.id}::uuid)`]),
    ],
    sql` and `,
  );

/** Conditions on `credentials` and `accounts`. */
const isOnWanted = ({ text, system }: AttemptsWish): Sql =>
  sql.join(
    [
      sql`true`,
      ...(text === null ? [] : [isNamed(text)]),
      ...(system === null ? [] : [isOfFamily(systemType, system)]),
    ],
    sql` and `,
  );

/** What a person sees; with a text, no more than what the search keys find. */
function narrowed({ actor, text }: AttemptsWish): Sql {
  if (text === null) return seenRows(actor);
  const keys = keysToFind(ACCOUNTS, { search: text });
  return sql`(select credentials.* from credentials where user_id = ${actor.id} and deleted_at is null
    union all
    select credentials.* from (
      select * from credentials where deleted_at is null and search_keys @> ${keys}::integer[] offset 0
    ) credentials where user_id is null and ${isSeen(actor)})`;
}

/** Ids of what may have such attempts; one more than `most`, if there are more. */
export async function findCandidates(db: Db, wish: AttemptsWish, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ${seen(wish.actor, wish.grants)}
    select credentials.id from ${narrowed(wish)} credentials
    left join accounts on accounts.id = credentials.id
    where ${isOnWanted(wish)} limit ${most + 1}`.execute(db);
  return rows.map(({ id }) => id);
}

const COLUMNS = sql`attempt.*, ${systemType} as system_type`;

/** Those of these alone. */
export async function listOf(db: Db, wish: AttemptsWish, ids: readonly string[]): Promise<FoundAttempt[]> {
  const { rows } = await sql<FoundAttempt>`
    select ${COLUMNS} from (
      select attempt.* from unnest(${[...ids]}::uuid[]) as one (id) cross join lateral (
        select attempt.* from verification_attempts attempt
        where attempt.credential_id = one.id and ${isWanted(wish)} ${ORDER} limit ${wish.limit}
      ) attempt ${ORDER} limit ${wish.limit}
    ) attempt
    join credentials on credentials.id = attempt.credential_id
    left join accounts on accounts.id = credentials.id
    ${ORDER}`.execute(db);
  return rows;
}

export async function countOf(db: Db, wish: AttemptsWish, ids: readonly string[], most: number): Promise<number> {
  return count(
    db,
    sql`select from verification_attempts attempt
        where attempt.credential_id = any(${[...ids]}::uuid[]) and ${isWanted({ ...wish, after: null })} limit ${most}`,
  );
}

/** All of them, in the order of their age. */
export async function walk(db: Db, wish: AttemptsWish): Promise<FoundAttempt[]> {
  const { rows } = await sql<FoundAttempt>`
    with ${seen(wish.actor, wish.grants)}
    select ${COLUMNS} from verification_attempts attempt
    join credentials on credentials.id = attempt.credential_id
    left join accounts on accounts.id = credentials.id
    where ${isWanted(wish)} and ${isSeen(wish.actor)} and ${isOnWanted(wish)} ${ORDER} limit ${wish.limit}`.execute(db);
  return rows;
}

export async function countWalked(db: Db, wish: AttemptsWish, most: number): Promise<number> {
  const rows = sql`
    select from verification_attempts attempt
    join ${seenRows(wish.actor)} credentials on credentials.id = attempt.credential_id
    left join accounts on accounts.id = credentials.id
    where ${isWanted({ ...wish, after: null })} and ${isOnWanted(wish)} limit ${most}`;
  return count(db, rows, seen(wish.actor, wish.grants));
}

async function count(db: Db, rows: Sql, withs: Sql | null = null): Promise<number> {
  const { rows: counted } = await sql<{ count: number }>`
    ${withs === null ? sql`` : sql`with ${withs}`} select count(*)::integer as count from (${rows}) counted`.execute(
    db,
  );
  return counted[0]?.count ?? 0;
}
