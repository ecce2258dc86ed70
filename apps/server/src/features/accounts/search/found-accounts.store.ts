// Finds the ids of a page of accounts: by reading the next accounts, all visible ones, or candidates from an index.
import { containing, wordsOf } from "#kernel/db/containing.ts";
import type { SystemType, VerificationStatusFilter } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { NAME_KEY, hasVerificationStatus, nameBeginsWith } from "#features/secrets/index.ts";
import { seesEverySafe, effectivePermissionsOf } from "#features/safes/index.ts";
import { HOST_KEY } from "./account-order.ts";
import { isAfter, orderTerms, pageTerms } from "#kernel/db/list-order.ts";
import type { Place } from "#kernel/db/list-order.ts";
import type { AccountOrder } from "./account-order.ts";
import { dueSince, isRotationDue } from "../rotation.ts";
import type { GrantsInForce } from "../shown-accounts.store.ts";

type Who = Pick<Actor, "id" | "role">;
type Sql = RawBuilder<unknown>;

/** The conditions on each account of the list. Null matches any value. */
export interface Conditions {
  safeId: string | null;
  /** Case-folded: NFKC and lower case. */
  text: string | null;
  platformId: string | null;
  systemType: SystemType | null;
  verification: VerificationStatusFilter | null;
  status: "rotation_due" | "active" | null;
  tag: string | null;
  /** In lower case. */
  host: string | null;
  /** Days since the secret was stored or rotated. */
  secretAge: number | null;
}

export interface AccountQuery {
  actor: Who;
  grantsInForce: GrantsInForce;
  conditions: Conditions;
  order: AccountOrder;
  limit: number;
  after: Place | null;
  /** The visible safes whose names contain a word of the text, if already known. */
  named?: NamedSafes;
}

/** Parallel arrays with one row per safe and word in its name. */
export interface NamedSafes {
  safes: readonly string[];
  words: readonly string[];
}

/** An account with its key in the order of the list. */
export type Found = Place;

/** Finds matches among the next `span` accounts of the list. Stops reading when the page is full. */
export async function walk(db: Db, query: AccountQuery, span: number | null): Promise<Found[]> {
  const { safeId } = query.conditions;
  const next = sql`
    select ${read(query)}
    where ${safeId === null ? sql`credentials.safe_id is not null` : sql`credentials.safe_id = ${safeId}`}
      and credentials.deleted_at is null and ${isFurther(query)}
    ${inOrder(query)} ${span === null ? sql`` : sql`limit ${span}`}`;
  return (await sql<Found>`${seen(query)} ${pageOf(query, next)}`.execute(db)).rows;
}

/**
 * Reads all accounts in the safes that this user may see, at most `most`, and returns the page. Returns null when there are more.
 * Without conditions, reads no more of a safe than fits on the page.
 */
export async function scanVisible(
  db: Db,
  query: AccountQuery,
  most: number,
  isNarrowed: boolean,
): Promise<Found[] | null> {
  const ofOne = sql`
    select ${read(query)}
    where credentials.safe_id = visible.safe_id and credentials.deleted_at is null and ${isFurther(query)}
    ${inOrder(query)} ${isNarrowed ? sql`` : sql`limit ${query.limit}`}`;
  const mine = sql`
    (select mine.* from visible cross join lateral (${ofOne}) mine limit ${most + 1})
    union all
    select ${read(query)}
    where credentials.id in (select account_id from active_grant)
      and credentials.safe_id not in (select safe_id from visible)
      and credentials.deleted_at is null and ${isFurther(query)}`;
  const { rows } = await sql<Found & { seen: number }>`
    ${seen(query)}, mine as materialized (${mine})
    select page.*, counted.seen from (select count(*) as seen from mine) counted
    left join (${pageOf(query, sql`select * from mine`)}) page on true
    order by ${pageTerms(query.order)}`.execute(db);
  return pageUnlessMore(rows, most);
}

export interface Probe {
  rows: Found[];
  /** The number of accounts read that match the text, whether visible or not: zero if the text is rare. */
  matching: number;
  named: NamedSafes;
}

/** Like `walk`, but also counts the matches of the text. */
export async function probe(db: Db, query: AccountQuery, span: number): Promise<Probe> {
  const { rows } = await sql<Found & NamedSafes & { matching: number }>`
    ${seen(query)}, next as materialized (
      select ${read(query)}
      where credentials.safe_id is not null and credentials.deleted_at is null and ${isFurther(query)}
      ${inOrder(query)} limit ${span})
    select page.*, counted.*, named_safes.* from (
      select count(*) as matching
      from next credentials where ${textMatches(query)}
    ) counted
    cross join (
      select coalesce(array_agg(safe_id), '{}') as safes, coalesce(array_agg(word), '{}') as words from named
    ) named_safes
    left join (${pageOf(query, sql`select * from next`)}) page on true
    order by ${pageTerms(query.order)}`.execute(db);
  const { matching, safes, words } = rows[0]!;
  return { rows: placesIn(rows), matching, named: { safes, words } };
}

/** Finds all candidates through an index, and returns the newest that match. */
export async function lookUp(db: Db, query: AccountQuery, candidates: RawBuilder<unknown>): Promise<Found[]> {
  const { rows } = await sql<Found>`
    ${seen(query)}, candidates as materialized (${candidates}) ${pageOf(query, ofCandidates(query))}`.execute(db);
  return rows;
}

/** Like `lookUp`, but returns null when there are more than `most` candidates. */
export async function lookUpFew(db: Db, query: AccountQuery, candidates: Sql, most: number): Promise<Found[] | null> {
  const { rows } = await sql<Found & { seen: number }>`
    ${seen(query)}, candidates as materialized (select id from (${candidates}) candidates limit ${most + 1})
    select page.*, counted.seen from (select count(*) as seen from candidates) counted
    left join (${pageOf(query, ofCandidates(query))}) page on true
    order by ${pageTerms(query.order)}`.execute(db);
  return pageUnlessMore(rows, most);
}

const ofCandidates = (query: AccountQuery): Sql => sql`
  select ${read(query)}
  where credentials.id in (select id from candidates) and credentials.safe_id is not null
    and credentials.deleted_at is null and ${isFurther(query)}`;

/**
 * Finds accounts whose names begin with the text, sorted by name, so that an exact match comes first. Considers only the first
 * `span` names.
 */
export async function findByPrefix(db: Db, query: AccountQuery, text: string, span: number): Promise<string[]> {
  const named = sql`
    select id, safe_id, ${NAME_KEY} as sort from credentials
    where user_id is null and deleted_at is null and ${nameBeginsWith(text)} order by ${NAME_KEY} limit ${span}`;
  const { rows } = await sql<{ id: string }>`
    ${seen(query)} select credentials.id from (${named}) credentials where ${isSeen(query)}
    order by credentials.sort limit ${query.limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The hosts that begin with the text, by name. Considers only the accounts of the first `span` ones. */
export async function findHostsByPrefix(db: Db, query: AccountQuery, text: string, span: number): Promise<HostFound[]> {
  const next = sql`
    select id, safe_id, ${HOST_KEY} as host from credentials
    where safe_id is not null and deleted_at is null and ${HOST_KEY} >= ${text} and ${HOST_KEY} < ${`${text}\u{10ffff}`}
    order by ${HOST_KEY} limit ${span}`;
  const { rows } = await sql<HostFound>`
    ${seen(query)} select credentials.host, count(*)::integer as accounts from (${next}) credentials
    where ${isSeen(query)} group by credentials.host order by credentials.host limit ${query.limit}`.execute(db);
  return rows;
}

export interface HostFound {
  host: string;
  /** How many of the accounts that were considered are on the host. */
  accounts: number;
}

function pageUnlessMore(rows: readonly (Found & { seen: number })[], most: number): Found[] | null {
  if (rows[0] !== undefined && rows[0].seen > most) return null;
  return placesIn(rows);
}

/** Drops the empty row that the outer join adds when a count comes with an empty page. */
const placesIn = (rows: readonly Found[]): Found[] =>
  rows.filter(({ id }) => id !== null).map(({ id, key }) => ({ id, key }));

/** For `lookUp`: candidates found by search keys, or in a safe whose name matches. */
export const byKeys = (keys: readonly number[], isSearch: boolean): Sql => sql`
  (select id from credentials
   where deleted_at is null and search_keys @> ${[...keys]}::integer[] offset 0)
  ${isSearch ? sql`union all select id from credentials where safe_id in (select safe_id from named) and deleted_at is null` : sql``}`;

export const byPlatform = (id: string): Sql => sql`select id from accounts where platform_id = ${id}`;

export const bySystem = (type: SystemType): Sql => sql`select id from accounts where system_type = ${type}`;

export const byHost = (host: string): Sql => sql`
  select id from credentials where ${HOST_KEY} = ${host} and safe_id is not null and deleted_at is null`;

/** For `lookUp`: accounts with the tag. The condition on all tags lets the planner use the index. */
export const byTag = (tag: string): Sql =>
  sql`select id from accounts where tags @> array[${tag}]::text[] and tags <> '{}'`;

/** This query is cheap, because there are few platforms and each has an index by age. */
export const byRotation = (): Sql => sql`
  select id from accounts where rotation_wanted_at is not null
  union all
  select due.id from platforms cross join lateral (
    select accounts.id from accounts
    where accounts.platform_id = platforms.id and accounts.rotated_at <= ${dueSince()}
  ) due where platforms.rotate_every_days is not null`;

const READ = sql.raw(
  ["id", "safe_id", "search_text", "host", "verification_status", "verify_after"]
    .map((column) => `credentials.${column}`)
    .join(", "),
);

const read = ({ order }: AccountQuery): Sql => sql`${READ}, ${order.key} as key from ${order.from}`;

const ID = sql`credentials.id`;
const inOrder = ({ order }: AccountQuery): Sql => sql`order by ${orderTerms(order, ID)}`;
const isFurther = ({ after, order }: AccountQuery): Sql => isAfter(order, after, ID);

/** The safes and grants through which this user can see accounts, and the safes whose names match. */
function seen({ actor, grantsInForce, conditions: { text }, named }: AccountQuery): Sql {
  const words = wordsOf(text ?? "");
  const visible = seesEverySafe(actor)
    ? sql`select id as safe_id from safes where deleted_at is null`
    : sql`select safe_id from ${effectivePermissionsOf(actor)} standing`;
  return sql`with visible as ${text === null && seesEverySafe(actor) ? sql`not materialized` : sql`materialized`} (${visible}),
    active_grant as materialized (select account_id from ${grantsInForce(actor)} active_grant),
    named as materialized (${
      named !== undefined
        ? sql`select * from unnest(${[...named.safes]}::uuid[], ${[...named.words]}::text[]) named (safe_id, word)`
        : sql`select visible.safe_id, words.word from visible join safes on safes.id = visible.safe_id
            join unnest(${words}::text[], ${words.map(containing)}::text[]) words (word, pattern)
              on lower(normalize(safes.name, nfkc)) like words.pattern`
    })`;
}

const isSeen = ({ actor }: AccountQuery): Sql =>
  seesEverySafe(actor)
    ? sql`true`
    : sql`(credentials.safe_id in (select safe_id from visible) or credentials.id in (select account_id from active_grant))`;

/** Whether each word occurs in the account's own text or in the name of its safe. */
const textMatches = ({ conditions: { text } }: AccountQuery): Sql =>
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

const rotatedBefore = (days: number): Sql => sql`access_time() - make_interval(days => ${days}::integer)`;

/** A page of the given rows, limited to matches that this user may see. */
function pageOf(query: AccountQuery, rows: Sql): Sql {
  const { safeId, platformId, systemType, verification, status, tag, secretAge, host } = query.conditions;
  const { direction } = query.order;
  const ofAccount = [
    ...(platformId === null ? [] : [sql`accounts.platform_id = ${platformId}`]),
    ...(systemType === null ? [] : [sql`accounts.system_type = ${systemType}`]),
    ...(status === "active" ? [sql`accounts.status = 'active'`] : []),
    ...(status === "rotation_due" ? [isRotationDue] : []),
    ...(tag === null ? [] : [sql`accounts.tags @> array[${tag}]::text[]`]),
    ...(secretAge === null ? [] : [sql`accounts.rotated_at <= ${rotatedBefore(secretAge)}`]),
  ];
  const matches = [
    isSeen(query),
    ...(safeId === null ? [] : [sql`credentials.safe_id = ${safeId}`]),
    textMatches(query),
    ...(verification === null ? [] : [hasVerificationStatus(verification)]),
    ...(host === null ? [] : [sql`${HOST_KEY} = ${host}`]),
    ...ofAccount,
  ];
  const others = sql`join accounts on accounts.id = credentials.id join platforms on platforms.id = accounts.platform_id`;
  return sql`
    select credentials.id, credentials.key from (${rows}) credentials ${ofAccount.length === 0 ? sql`` : others}
    where ${sql.join(matches, sql` and `)}
    order by credentials.key ${direction}, credentials.id ${direction} limit ${query.limit}`;
}
