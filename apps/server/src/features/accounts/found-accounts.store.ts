// Finds the accounts of a page, as ids: by reading on in the list, by reading what the person sees, or by what matches.
import { containing } from "#kernel/db/containing.ts";
import type { SystemType } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { seesEverySafe, standingsOf } from "#features/safes/index.ts";
import { dueSince, isRotationDue } from "./rotation.ts";
import type { GrantsInForce } from "./shown-accounts.store.ts";

type Who = Pick<Actor, "id" | "role">;
type Sql = RawBuilder<unknown>;

/** What each account of the list must be; null matches any. */
export interface Conditions {
  safeId: string | null;
  /** Folded. */
  text: string | null;
  platformId: string | null;
  systemType: SystemType | null;
  /** `verified`, `failed` or `pending`, as it is stored; of `pending` ones only those that wait for a validation, or not. */
  verification: { status: string; isAwaited: boolean | null } | null;
  status: "rotation_due" | "active" | null;
}

export interface Wish {
  actor: Who;
  grantsInForce: GrantsInForce;
  conditions: Conditions;
  limit: number;
  after: TimePlace | null;
}

export interface Found {
  id: string;
  created_at: Date;
}

/** Matches among the `span` accounts that come next in the list; stops reading when the page is full. */
export async function walk(db: Db, wish: Wish, span: number | null): Promise<Found[]> {
  const { safeId } = wish.conditions;
  const next = sql`
    select ${READ} from credentials
    where ${safeId === null ? sql`safe_id is not null` : sql`safe_id = ${safeId}`} and deleted_at is null
      and ${isAfter(wish)}
    order by created_at desc, id desc ${span === null ? sql`` : sql`limit ${span}`}`;
  return (await sql<Found>`${seen(wish)} ${pageOf(wish, next)}`.execute(db)).rows;
}

/**
 * Reads everything in the safes that this person sees, up to `most` accounts, and answers the page. Null when there are
 * more. Without conditions no more of a safe is read than fits on the page.
 */
export async function scanSeen(db: Db, wish: Wish, most: number, isNarrowed: boolean): Promise<Found[] | null> {
  const ofOne = sql`
    select ${READ} from credentials
    where credentials.safe_id = visible.safe_id and deleted_at is null and ${isAfter(wish)}
    order by created_at desc, id desc ${isNarrowed ? sql`` : sql`limit ${wish.limit}`}`;
  const mine = sql`
    (select mine.* from visible cross join lateral (${ofOne}) mine limit ${most + 1})
    union all
    select ${READ} from credentials
    where id in (select account_id from lent) and safe_id not in (select safe_id from visible)
      and deleted_at is null and ${isAfter(wish)}`;
  const { rows } = await sql<Found & { seen: number }>`
    ${seen(wish)}, mine as materialized (${mine})
    select page.*, counted.seen from (select count(*) as seen from mine) counted
    left join (${pageOf(wish, sql`select * from mine`)}) page on true
    order by page.created_at desc, page.id desc`.execute(db);
  if (rows[0] !== undefined && rows[0].seen > most) return null;
  return rows.filter(({ id }) => id !== null);
}

/** All that match, found by what they match, then the newest of them. */
export async function lookUp(db: Db, wish: Wish, candidates: RawBuilder<unknown>): Promise<Found[]> {
  const next = sql`
    select ${READ} from credentials
    where id in (select id from candidates) and safe_id is not null and deleted_at is null and ${isAfter(wish)}`;
  const { rows } = await sql<Found>`
    ${seen(wish)}, candidates as materialized (${candidates}) ${pageOf(wish, next)}`.execute(db);
  return rows;
}

/** For `lookUp`: by search keys, or in a safe whose name matches. */
export const byKeys = (keys: readonly number[], isSearch: boolean): Sql => sql`
  (select id from credentials
   where deleted_at is null and search_keys @> ${[...keys]}::integer[] offset 0)
  ${isSearch ? sql`union all select id from credentials where safe_id in (select safe_id from named) and deleted_at is null` : sql``}`;

export const byPlatform = (id: string): Sql => sql`select id from accounts where platform_id = ${id}`;

export const bySystem = (type: SystemType): Sql => sql`select id from accounts where system_type = ${type}`;

/** There are few platforms, and for each an index by age. */
export const byRotation = (): Sql => sql`
  select id from accounts where rotation_wanted_at is not null
  union all
  select due.id from platforms cross join lateral (
    select accounts.id from accounts
    where accounts.platform_id = platforms.id and accounts.rotated_at <= ${dueSince()}
  ) due where platforms.rotate_every_days is not null`;

const READ = sql.raw(
  ["id", "created_at", "safe_id", "search_text", "verification_status", "verify_after"]
    .map((column) => `credentials.${column}`)
    .join(", "),
);

/** The safes and grants through which this person sees accounts, and the safes whose names match. */
function seen({ actor, grantsInForce, conditions: { text } }: Wish): Sql {
  const visible = seesEverySafe(actor)
    ? sql`select id as safe_id from safes where deleted_at is null`
    : sql`select safe_id from ${standingsOf(actor)} standing`;
  return sql`with visible as ${text === null && seesEverySafe(actor) ? sql`not materialized` : sql`materialized`} (${visible}),
    lent as materialized (select account_id from ${grantsInForce(actor)} lent),
    named as materialized (
      select visible.safe_id from visible join safes on safes.id = visible.safe_id
      where ${text === null ? sql`false` : sql`lower(normalize(safes.name, nfkc)) like ${containing(text)}`}
    )`;
}

const isAfter = ({ after }: Wish): Sql =>
  after === null ? sql`true` : sql`(credentials.created_at, credentials.id) < (${after.at}, ${after.id}::uuid)`;

/** The page of those rows that this person sees and that match. */
function pageOf({ actor, conditions, limit }: Wish, rows: Sql): Sql {
  const { safeId, text, platformId, systemType, verification, status } = conditions;
  const ofAccount = [
    ...(platformId === null ? [] : [sql`accounts.platform_id = ${platformId}`]),
    ...(systemType === null ? [] : [sql`accounts.system_type = ${systemType}`]),
    ...(status === "active" ? [sql`accounts.status = 'active'`] : []),
    ...(status === "rotation_due" ? [isRotationDue] : []),
  ];
  const matches = [
    ...(seesEverySafe(actor)
      ? []
      : [
          sql`(credentials.safe_id in (select safe_id from visible) or credentials.id in (select account_id from lent))`,
        ]),
    ...(safeId === null ? [] : [sql`credentials.safe_id = ${safeId}`]),
    ...(text === null
      ? []
      : [
          sql`(credentials.search_text like ${containing(text)} or credentials.safe_id in (select safe_id from named))`,
        ]),
    ...(verification === null ? [] : [isVerification(verification)]),
    ...ofAccount,
  ];
  const others = sql`join accounts on accounts.id = credentials.id join platforms on platforms.id = accounts.platform_id`;
  return sql`
    select credentials.id, credentials.created_at from (${rows}) credentials ${ofAccount.length === 0 ? sql`` : others}
    where ${sql.join([sql`true`, ...matches], sql` and `)}
    order by credentials.created_at desc, credentials.id desc limit ${limit}`;
}

function isVerification({ status, isAwaited }: NonNullable<Conditions["verification"]>): Sql {
  const is = sql`credentials.verification_status = ${status}`;
  return isAwaited === null ? is : sql`(${is} and (credentials.verify_after is not null) = ${isAwaited})`;
}
