// Finds the accounts of a page, as ids: by reading on in the list, by reading what the person sees, or by what matches.
import { containing, wordsOf } from "#kernel/db/containing.ts";
import type { SystemType } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { NAME_KEY, nameBeginsWith } from "#features/credentials/index.ts";
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
  /** Of the safes that this person sees, those whose names contain a word of the text, if already known. */
  named?: NamedSafes;
}

/** One row per safe and word in its name. */
export interface NamedSafes {
  safes: readonly string[];
  words: readonly string[];
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
  return pageUnlessMore(rows, most);
}

export interface Probe {
  rows: Found[];
  /** How many of those that were read match the text, whoever sees them: zero where it is rare. */
  matching: number;
  named: NamedSafes;
}

/** As `walk`, and tells how common the text is. */
export async function probe(db: Db, wish: Wish, span: number): Promise<Probe> {
  const { rows } = await sql<Found & NamedSafes & { matching: number }>`
    ${seen(wish)}, next as materialized (
      select ${READ} from credentials where safe_id is not null and deleted_at is null and ${isAfter(wish)}
      order by created_at desc, id desc limit ${span})
    select page.*, counted.*, named_safes.* from (
      select count(*) as matching
      from next credentials where ${textMatches(wish)}
    ) counted
    cross join (
      select coalesce(array_agg(safe_id), '{}') as safes, coalesce(array_agg(word), '{}') as words from named
    ) named_safes
    left join (${pageOf(wish, sql`select * from next`)}) page on true
    order by page.created_at desc, page.id desc`.execute(db);
  const { matching, safes, words } = rows[0]!;
  return { rows: placesIn(rows), matching, named: { safes, words } };
}

/** All that match, found by what they match, then the newest of them. */
export async function lookUp(db: Db, wish: Wish, candidates: RawBuilder<unknown>): Promise<Found[]> {
  const { rows } = await sql<Found>`
    ${seen(wish)}, candidates as materialized (${candidates}) ${pageOf(wish, ofCandidates(wish))}`.execute(db);
  return rows;
}

/** As `lookUp`; null when there are more than `most` to look at. */
export async function lookUpFew(db: Db, wish: Wish, candidates: Sql, most: number): Promise<Found[] | null> {
  const { rows } = await sql<Found & { seen: number }>`
    ${seen(wish)}, candidates as materialized (select id from (${candidates}) candidates limit ${most + 1})
    select page.*, counted.seen from (select count(*) as seen from candidates) counted
    left join (${pageOf(wish, ofCandidates(wish))}) page on true
    order by page.created_at desc, page.id desc`.execute(db);
  return pageUnlessMore(rows, most);
}

const ofCandidates = (wish: Wish): Sql => sql`
  select ${READ} from credentials
  where id in (select id from candidates) and safe_id is not null and deleted_at is null and ${isAfter(wish)}`;

/** Those whose names begin with the text, the exact name first, then by name; of the first `span` of them alone. */
export async function beginning(db: Db, wish: Wish, text: string, span: number): Promise<string[]> {
  const named = sql`
    select id, safe_id, ${NAME_KEY} as sort from credentials
    where user_id is null and deleted_at is null and ${nameBeginsWith(text)} order by ${NAME_KEY} limit ${span}`;
  const { rows } = await sql<{ id: string }>`
    ${seen(wish)} select credentials.id from (${named}) credentials where ${isSeen(wish)}
    order by credentials.sort limit ${wish.limit}`.execute(db);
  return rows.map(({ id }) => id);
}

function pageUnlessMore(rows: readonly (Found & { seen: number })[], most: number): Found[] | null {
  if (rows[0] !== undefined && rows[0].seen > most) return null;
  return placesIn(rows);
}

/** Where the page stands beside a count, and no row is one without an id. */
const placesIn = (rows: readonly Found[]): Found[] =>
  rows.filter(({ id }) => id !== null).map(({ id, created_at }) => ({ id, created_at }));

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
function seen({ actor, grantsInForce, conditions: { text }, named }: Wish): Sql {
  const words = wordsOf(text ?? "");
  const visible = seesEverySafe(actor)
    ? sql`select id as safe_id from safes where deleted_at is null`
    : sql`select safe_id from ${standingsOf(actor)} standing`;
  return sql`with visible as ${text === null && seesEverySafe(actor) ? sql`not materialized` : sql`materialized`} (${visible}),
    lent as materialized (select account_id from ${grantsInForce(actor)} lent),
    named as materialized (${
      named !== undefined
        ? sql`select * from unnest(${[...named.safes]}::uuid[], ${[...named.words]}::text[]) named (safe_id, word)`
        : sql`select visible.safe_id, words.word from visible join safes on safes.id = visible.safe_id
            join unnest(${words}::text[], ${words.map(containing)}::text[]) words (word, pattern)
              on lower(normalize(safes.name, nfkc)) like words.pattern`
    })`;
}

const isSeen = ({ actor }: Wish): Sql =>
  seesEverySafe(actor)
    ? sql`true`
    : sql`(credentials.safe_id in (select safe_id from visible) or credentials.id in (select account_id from lent))`;

/** Each word occurs in the account's own text or in the name of its safe. */
const textMatches = ({ conditions: { text } }: Wish): Sql =>
  sql.join(
    [
      sql`true`,
      ...wordsOf(text ?? "").map(
        (word) => sql`(credentials.search_text like ${containing(word)}
          or credentials.safe_id in (select safe_id from named where named.word = ${word}))`,
      ),
    ],
    sql` and `,
  );

const isAfter = ({ after }: Wish): Sql =>
  after === null ? sql`true` : sql`(credentials.created_at, credentials.id) < (${after.at}, ${after.id}::uuid)`;

/** The page of those rows that this person sees and that match. */
function pageOf(wish: Wish, rows: Sql): Sql {
  const { safeId, platformId, systemType, verification, status } = wish.conditions;
  const ofAccount = [
    ...(platformId === null ? [] : [sql`accounts.platform_id = ${platformId}`]),
    ...(systemType === null ? [] : [sql`accounts.system_type = ${systemType}`]),
    ...(status === "active" ? [sql`accounts.status = 'active'`] : []),
    ...(status === "rotation_due" ? [isRotationDue] : []),
  ];
  const matches = [
    isSeen(wish),
    ...(safeId === null ? [] : [sql`credentials.safe_id = ${safeId}`]),
    textMatches(wish),
    ...(verification === null ? [] : [isVerification(verification)]),
    ...ofAccount,
  ];
  const others = sql`join accounts on accounts.id = credentials.id join platforms on platforms.id = accounts.platform_id`;
  return sql`
    select credentials.id, credentials.created_at from (${rows}) credentials ${ofAccount.length === 0 ? sql`` : others}
    where ${sql.join(matches, sql` and `)}
    order by credentials.created_at desc, credentials.id desc limit ${wish.limit}`;
}

function isVerification({ status, isAwaited }: NonNullable<Conditions["verification"]>): Sql {
  const is = sql`credentials.verification_status = ${status}`;
  return isAwaited === null ? is : sql`(${is} and (credentials.verify_after is not null) = ${isAwaited})`;
}
