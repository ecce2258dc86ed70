// The credentials of a vault in the database.
import type { UserId, VerificationStatusFilter } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder, SelectQueryBuilder } from "kysely";
import { NAME_KEY, SECRET_COLUMNS, hasVerificationStatus, nameBeginsWith } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { everyWord } from "#kernel/db/containing.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { isAfter, orderTerms } from "#kernel/db/list-order.ts";
import type { ListOrder, Place } from "#kernel/db/list-order.ts";
import { named } from "#kernel/db/named.ts";
import type { Tables } from "#kernel/db/tables.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { isFoundAndUsableBy, isUsableBy, requireOpenVault } from "./vault.policy.ts";

type Who = Pick<Actor, "id">;
type Owner = Pick<Actor, "id" | "closure">;

/** Returns the credential if this user may use it, otherwise null. */
export async function readCredential(db: Db, actor: Who, id: string): Promise<SecretRow | null> {
  const query = db
    .selectFrom("credentials")
    .select(SECRET_COLUMNS)
    .where("id", "=", id)
    .where(isFoundAndUsableBy(actor));
  const { rows } = await db.executeQuery(named("credentials.read", query.compile()));
  return rows[0] ?? null;
}

/** Like `readCredential`, and locks the row for use or change. Throws 403 while the vault is closed. */
export async function lockCredential(tx: Tx, actor: Owner, id: string): Promise<SecretRow | null> {
  requireOpenVault(actor);
  const query = tx
    .selectFrom("credentials")
    .select(SECRET_COLUMNS)
    .where("id", "=", id)
    .where(isFoundAndUsableBy(actor));
  return (await query.forNoKeyUpdate().executeTakeFirst()) ?? null;
}

/** Returns the number of these credentials that exist and that this user may use. */
export async function countOwnCredentials(db: Db, actor: Who, ids: readonly string[]): Promise<number> {
  const query = db.selectFrom("credentials").where("id", "in", ids).where(isFoundAndUsableBy(actor));
  return (await query.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
}

/** Hides all credentials of a user and deletes all their envelopes. */
export async function deleteVault(tx: Tx, userId: string, at: Date): Promise<void> {
  await sql`
    delete from secret_versions where credential_id in (select id from credentials where user_id = ${userId})`.execute(
    tx,
  );
  await tx
    .updateTable("credentials")
    .set({ deleted_at: at, search_text: "", search_keys: [] })
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .execute();
}

/** Whether a credential of this user belongs to production. */
export async function isProduction(db: Db, owner: UserId, id: string): Promise<boolean> {
  const own = db.selectFrom("credentials").select("id").where("id", "=", id).where("user_id", "=", owner);
  return (await own.where("environment", "=", "production").executeTakeFirst()) !== undefined;
}

/** The user's own credentials whose names begin with the text, sorted by name, so the exact name comes first. */
export const readNamed = (db: Db, actor: Who, text: string, limit: number): Promise<SecretRow[]> =>
  db
    .selectFrom("credentials")
    .select(SECRET_COLUMNS)
    .where(isUsableBy(actor))
    .where(nameBeginsWith(text))
    .orderBy(NAME_KEY)
    .limit(limit)
    .execute();

/** Returns those of these credentials that belong to the user. */
export const readOwn = (db: Db, actor: Who, ids: readonly string[]): Promise<SecretRow[]> =>
  db.selectFrom("credentials").select(SECRET_COLUMNS).where("id", "in", ids).where(isFoundAndUsableBy(actor)).execute();

export interface Page {
  limit: number;
  /** Only rows older than this position are returned. */
  after: TimePlace | null;
}

/** The stored values that each match must have. */
export interface Conditions {
  /** The case-folded text to find; null matches any text. */
  text: string | null;
  types: readonly string[] | null;
  environment: string | null;
  verificationStatus: VerificationStatusFilter | null;
}

export async function listNewest(db: Db, actor: Who, page: Page): Promise<SecretRow[]> {
  return await newestFirst(db.selectFrom("credentials"), actor, page)
    .select(SECRET_COLUMNS)
    .limit(page.limit)
    .execute();
}

export interface SortedPage {
  order: ListOrder;
  limit: number;
  after: Place | null;
}

/** Returns the matches in this order, each with its key. */
export async function listSorted(
  db: Db,
  actor: Who,
  { order, limit, after }: SortedPage,
  conditions: Conditions,
): Promise<(SecretRow & Place)[]> {
  return await db
    .selectFrom("credentials")
    .select(SECRET_COLUMNS)
    .select(sql<Date | string>`${order.key}`.as("key"))
    .where(isUsableBy(actor))
    .where(matches(conditions))
    .where(isAfter(order, after, sql`credentials.id`))
    .orderBy(orderTerms(order, sql`credentials.id`))
    .limit(limit)
    .execute();
}

/** Returns the matches among the next `span` credentials of the list; stops reading when the page is full. */
export async function walkNewest(
  db: Db,
  actor: Who,
  page: Page,
  conditions: Conditions,
  span: number,
): Promise<SecretRow[]> {
  const next = newestFirst(db.selectFrom("credentials"), actor, page).select(SECRET_COLUMNS).limit(span);
  return await db
    .selectFrom(next.as("credentials"))
    .select(SECRET_COLUMNS)
    .where(matches(conditions))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

/** Finds all matches by their search keys, and returns the newest. */
export async function lookUp(
  db: Db,
  actor: Who,
  page: Page,
  conditions: Conditions,
  keys: readonly number[],
): Promise<SecretRow[]> {
  // The keys are specific to this owner. Without a condition on the owner, and with the offset, the planner can use
  // only the index on the keys, whatever it estimates for a table that was just filled.
  const keyed = db
    .selectFrom("credentials")
    .select([...SECRET_COLUMNS, "deleted_at"])
    .where("deleted_at", "is", null)
    .where(sql<boolean>`search_keys @> ${[...keys]}::integer[]`)
    .where(matches(conditions))
    .offset(0);
  return await newestFirst(db.selectFrom(keyed.as("credentials")) as FromCredentials, actor, page)
    .select(SECRET_COLUMNS)
    .limit(page.limit)
    .execute();
}

type FromCredentials = SelectQueryBuilder<Tables, "credentials", object>;

function newestFirst(from: FromCredentials, actor: Who, page: Page): FromCredentials {
  const all = from.where(isUsableBy(actor)).orderBy("created_at", "desc").orderBy("id", "desc");
  if (page.after === null) return all;
  const { at, id } = page.after;
  return all.where(({ eb, refTuple, tuple }) => eb(refTuple("created_at", "id"), "<", tuple(at, id)));
}

function matches({ text, types, environment, verificationStatus }: Conditions): RawBuilder<boolean> {
  const parts = [
    ...(text === null ? [] : [everyWord(text, (pattern) => sql`search_text like ${pattern}`)]),
    ...(types === null ? [] : [sql`type = any(${[...types]}::text[])`]),
    ...(environment === null ? [] : [sql`environment = ${environment}`]),
    ...(verificationStatus === null ? [] : [hasVerificationStatus(verificationStatus)]),
  ];
  return parts.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(parts, sql` and `)})`;
}
