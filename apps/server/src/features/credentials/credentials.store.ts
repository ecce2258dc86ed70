// Credentials and their secret versions in the database.
import { everyWord } from "#kernel/db/containing.ts";
import type { Credential, SecretVersion, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type {
  ColumnType,
  Insertable,
  JSONColumnType,
  RawBuilder,
  Selectable,
  SelectQueryBuilder,
  SqlBool,
  Updateable,
} from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { TimePlace } from "#kernel/http/cursor.ts";
import { named } from "#kernel/db/named.ts";
import { sentWithNext } from "#kernel/db/shared-trips.ts";
import type { Tables } from "#kernel/db/tables.ts";
import { isFoundAndUsableBy, isThere, isUsableBy, requireOpenVault } from "./credentials.policy.ts";

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;
type NullableTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
type Defaulted<T> = ColumnType<T, T | undefined, T>;

export interface HostKey {
  type: string;
  fingerprint: string;
}

export interface CredentialsTable {
  id: ColumnType<string, string, never>;
  /** The person whose it is; null: it is an account and belongs to a safe. */
  user_id: ColumnType<string | null, string | null | undefined, never>;
  /** The safe of an account; null: it is a person's. */
  safe_id: Nullable<string>;
  name: string;
  type: string;
  username: Nullable<string>;
  host: Nullable<string>;
  port: Nullable<number>;
  status: Defaulted<string>;
  environment: string;
  database_name: Nullable<string>;
  schema_name: Nullable<string>;
  connection_string: Nullable<string>;
  ssl_enabled: boolean;
  additional_params: JSONColumnType<Credential["additional_params"]>;
  secret_version: number;
  /** The oldest version that may be sent to where the login goes now. */
  sendable_from: ColumnType<number, number | undefined, number>;
  login_revision: Defaulted<number>;
  verification_status: Defaulted<string>;
  verified_at: NullableTime;
  last_verification_attempt: NullableTime;
  verification_error: Nullable<string>;
  rejected_revision: Nullable<number>;
  host_key: ColumnType<HostKey | null, string | null | undefined, string | null>;
  offered_host_key: ColumnType<HostKey | null, string | null | undefined, string | null>;
  verify_after: NullableTime;
  expires_at: NullableTime;
  last_accessed_at: NullableTime;
  created_at: ColumnType<Date, Date, never>;
  updated_at: Date;
  deleted_at: NullableTime;
  search_text: string;
  search_keys: ColumnType<number[], number[], number[]>;
}

export interface SecretVersionsTable {
  credential_id: string;
  version: number;
  envelope: Buffer;
  created_at: Date;
  /** Null: the product's own doing. */
  created_by: string | null;
  reason: SecretVersion["reason"];
  retired_at: NullableTime;
  /** Made up for a rotation, and not proved to be in force. */
  is_candidate: Defaulted<boolean>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    credentials: CredentialsTable;
    secret_versions: SecretVersionsTable;
  }
}

/** Everything of a row but what only searching needs. */
export const COLUMNS = [
  "id",
  "user_id",
  "safe_id",
  "name",
  "type",
  "username",
  "host",
  "port",
  "status",
  "environment",
  "database_name",
  "schema_name",
  "connection_string",
  "ssl_enabled",
  "additional_params",
  "secret_version",
  "sendable_from",
  "login_revision",
  "verification_status",
  "verified_at",
  "last_verification_attempt",
  "verification_error",
  "rejected_revision",
  "host_key",
  "offered_host_key",
  "verify_after",
  "expires_at",
  "last_accessed_at",
  "created_at",
  "updated_at",
] as const;

export type CredentialRow = Pick<Selectable<CredentialsTable>, (typeof COLUMNS)[number]>;
type Who = Pick<Actor, "id">;
type Owner = Pick<Actor, "id" | "closure">;

/** The credential if this person may use it, else null. */
export async function readCredential(db: Db, actor: Who, id: string): Promise<CredentialRow | null> {
  const query = db.selectFrom("credentials").select(COLUMNS).where("id", "=", id).where(isFoundAndUsableBy(actor));
  const { rows } = await db.executeQuery(named("credentials.read", query.compile()));
  return rows[0] ?? null;
}

/** Like `readCredential`, and locks the row for use or change. Throws 403 while the vault is closed. */
export async function lockCredential(tx: Tx, actor: Owner, id: string): Promise<CredentialRow | null> {
  requireOpenVault(actor);
  const query = tx.selectFrom("credentials").select(COLUMNS).where("id", "=", id).where(isFoundAndUsableBy(actor));
  return (await query.forNoKeyUpdate().executeTakeFirst()) ?? null;
}

/** For the product's own work, whoever the owner is. Null when there is none, or it was deleted. */
export async function lockAnyCredential(tx: Tx, id: string): Promise<CredentialRow | null> {
  const query = tx.selectFrom("credentials").select(COLUMNS).where("id", "=", id).where(isThere).forNoKeyUpdate();
  return (await tx.executeQuery(named("credentials.lock-any", query.compile()))).rows[0] ?? null;
}

/** Holds several until the transaction ends, in the order of their ids. Answers those that exist. */
export async function lockAnyCredentials(tx: Tx, ids: readonly string[]): Promise<CredentialRow[]> {
  const query = tx.selectFrom("credentials").select(COLUMNS).where("id", "in", ids).where(isThere).orderBy("id");
  return await query.forNoKeyUpdate().execute();
}

/** How many of these credentials exist and may be used by this person. */
export async function countUsable(db: Db, actor: Who, ids: readonly string[]): Promise<number> {
  const query = db.selectFrom("credentials").where("id", "in", ids).where(isFoundAndUsableBy(actor));
  return (await query.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
}

export async function insertCredential(tx: Tx, row: Insertable<CredentialsTable>): Promise<CredentialRow> {
  return await tx.insertInto("credentials").values(row).returning(COLUMNS).executeTakeFirstOrThrow();
}

export async function updateCredential(
  tx: Tx,
  id: string,
  changes: Updateable<CredentialsTable>,
): Promise<CredentialRow> {
  const query = tx.updateTable("credentials").set(changes).where("id", "=", id);
  return await query.returning(COLUMNS).executeTakeFirstOrThrow();
}

/**
 * The next scheduled verification of those credentials that have been proved or failed before, some of them at a time, so
 * that it comes as often as their owner has it; a secret that its target refused stays unscheduled. `hours` null: never.
 * Answers how many changed.
 */
export async function rescheduleSome(tx: Tx, ids: RawBuilder<unknown>, hours: number | null): Promise<number> {
  const next = sql`last_verification_attempt + make_interval(hours => ${hours}::integer)`;
  const { numAffectedRows } = await sql`
    update credentials set verify_after = ${next}
    where id in (
      select id from credentials
      where id in (${ids}) and deleted_at is null and verification_status <> 'pending'
        and rejected_revision is distinct from login_revision and verify_after is distinct from ${next}
      order by id limit 500 for no key update skip locked)`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Hides the row, and takes every envelope out of the database. Null when this person has no such credential. */
export const deleteCredential = (tx: Tx, actor: Who, id: string, at: Date): Promise<CredentialRow | null> =>
  hide(tx, id, at, isFoundAndUsableBy(actor));

/** The same for the product's own work, whoever the owner is. Null when there is none, or it was deleted before. */
export const deleteAnyCredential = (tx: Tx, id: string, at: Date): Promise<CredentialRow | null> =>
  hide(tx, id, at, isThere);

/** Hides everything of a person, and takes every envelope of theirs out of the database. */
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

async function hide(tx: Tx, id: string, at: Date, condition: RawBuilder<SqlBool>): Promise<CredentialRow | null> {
  const hidden = await tx
    .updateTable("credentials")
    .set({ deleted_at: at, search_text: "", search_keys: [] })
    .where("id", "=", id)
    .where(condition)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (hidden === undefined) return null;
  await tx.deleteFrom("secret_versions").where("credential_id", "=", id).execute();
  return hidden;
}

/** Stores a sealed secret as the version in force; the earlier ones stay as history. */
export async function insertSecretVersion(tx: Tx, version: Insertable<SecretVersionsTable>): Promise<void> {
  await tx
    .updateTable("secret_versions")
    .set({ retired_at: version.created_at })
    .where("credential_id", "=", version.credential_id)
    .where("retired_at", "is", null)
    .where("is_candidate", "=", false)
    .execute();
  await tx.insertInto("secret_versions").values(version).execute();
}

/** Stores a sealed secret that may come into force; the one in force stays. */
export async function insertCandidate(
  tx: Tx,
  version: Omit<Insertable<SecretVersionsTable>, "reason" | "is_candidate" | "retired_at">,
): Promise<void> {
  const row = { ...version, reason: "rotated" as const, is_candidate: true };
  const query = tx.insertInto("secret_versions").values(row).compile();
  await tx.executeQuery(sentWithNext("credentials.insert-candidate", query));
}

/** Whether this version was stored to come into force and has not. */
export async function isCandidate(db: Db, id: string, version: number): Promise<boolean> {
  const query = db.selectFrom("secret_versions").select("is_candidate").where("credential_id", "=", id);
  return (await query.where("version", "=", version).executeTakeFirst())?.is_candidate ?? false;
}

/** What the next version is called: candidates have their numbers too. The row in `credentials` is held. */
export async function nextVersion(tx: Tx, id: string): Promise<number> {
  const query = tx.selectFrom("secret_versions").where("credential_id", "=", id);
  const { latest } = await query.select(({ fn }) => fn.max("version").as("latest")).executeTakeFirstOrThrow();
  return latest + 1;
}

/** The envelope of the version in force. Null when the credential was deleted meanwhile. */
export async function readEnvelope(db: Db, id: string, version: number): Promise<Buffer | null> {
  const query = db
    .selectFrom("secret_versions")
    .select("envelope")
    .where("credential_id", "=", id)
    .where("version", "=", version);
  return (await db.executeQuery(named("credentials.envelope", query.compile()))).rows[0]?.envelope ?? null;
}

/** Whether a credential of one's own is production's. */
export async function isProduction(db: Db, owner: UserId, id: string): Promise<boolean> {
  const own = db.selectFrom("credentials").select("id").where("id", "=", id).where("user_id", "=", owner);
  return (await own.where("environment", "=", "production").executeTakeFirst()) !== undefined;
}

export interface Held {
  id: string;
  user_id: string;
  name: string;
  version: number;
  envelope: Buffer;
}

/**
 * The envelopes of those of the asked credentials that exist and may be used by who asks, and notes the access. Holds
 * the rows until the transaction ends, so that no reveal is recorded after the deletion of its secret; locked in the
 * order of ids, so that groups of several processes cannot wait for each other in a circle.
 */
export async function holdEnvelopes(
  tx: Tx,
  asked: readonly { id: string; actor: Who }[],
  at: Date,
): Promise<readonly Held[]> {
  const ids = asked.map((each) => each.id);
  const actors = asked.map((each) => each.actor.id);
  // The rule of credentials.policy.ts, for many actors at once. One look-up by id for each, whatever the planner knows of
  // the table; and each array stands behind a `select`, because PostgreSQL plans a statement anew at every call, at twice
  // its cost, as long as it may hope to gain from knowing their lengths.
  const query = sql<Held>`
    with held as materialized (
      select credentials.id
      from (
        select * from unnest((select ${ids}::uuid[]), (select ${actors}::uuid[])) as asked (id, actor_id) order by id
      ) asked
      cross join lateral (
        select credentials.id from credentials
        where credentials.id = asked.id and credentials.user_id is not distinct from asked.actor_id and ${isThere}
        for no key update
      ) credentials
    )
    update credentials set last_accessed_at = ${at}
    from held join secret_versions on secret_versions.credential_id = held.id
    where credentials.id = held.id and secret_versions.version = credentials.secret_version
    returning credentials.id, credentials.user_id, credentials.name, secret_versions.version, secret_versions.envelope
  `.compile(tx);
  return (await tx.executeQuery(named("credentials.hold-envelopes", query))).rows;
}

export interface Page {
  limit: number;
  /** What comes after it is older. */
  after: TimePlace | null;
}

/** What each match must be, as it is stored. */
export interface Conditions {
  /** Folded; null matches any. */
  text: string | null;
  types: readonly string[] | null;
  environment: string | null;
  verificationStatus: string | null;
}

export async function listNewest(db: Db, actor: Who, page: Page): Promise<CredentialRow[]> {
  return await newestFirst(db.selectFrom("credentials"), actor, page).select(COLUMNS).limit(page.limit).execute();
}

/** Matches among the `span` credentials that come next in the list; stops reading when the page is full. */
export async function walkNewest(
  db: Db,
  actor: Who,
  page: Page,
  conditions: Conditions,
  span: number,
): Promise<CredentialRow[]> {
  const next = newestFirst(db.selectFrom("credentials"), actor, page)
    .select([...COLUMNS, "search_text"])
    .limit(span);
  return await db
    .selectFrom(next.as("next"))
    .select(COLUMNS)
    .where(matches(conditions))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

/** All matches by their search keys, then the newest of them. */
export async function lookUp(
  db: Db,
  actor: Who,
  page: Page,
  conditions: Conditions,
  keys: readonly number[],
): Promise<CredentialRow[]> {
  // The keys are of this owner alone. Not naming the owner here, and the offset, leave one way to read: the keys' index,
  // whatever the planner knows or guesses of a table that has just been filled.
  const keyed = db
    .selectFrom("credentials")
    .select([...COLUMNS, "deleted_at"])
    .where("deleted_at", "is", null)
    .where(sql<boolean>`search_keys @> ${[...keys]}::integer[]`)
    .where(matches(conditions))
    .offset(0);
  return await newestFirst(db.selectFrom(keyed.as("credentials")) as FromCredentials, actor, page)
    .select(COLUMNS)
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
    ...(verificationStatus === null ? [] : [sql`verification_status = ${verificationStatus}`]),
  ];
  return sql<boolean>`(${sql.join(parts, sql` and `)})`;
}
