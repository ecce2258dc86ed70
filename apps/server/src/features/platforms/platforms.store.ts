// Stores platforms.
import type { NewPlatform, PasswordRules, Platform, SafeId, SystemType } from "@strongroom/contract";
import { everyWord } from "#kernel/db/containing.ts";
import { sql } from "kysely";
import type { ColumnType, Insertable, RawBuilder, Selectable, Updateable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

type RotationWindow = NonNullable<Platform["rotation_window"]>;

/** Stored as JSON. */
type JsonField = "rotation_window" | "password_rules" | "reconcile_hosts" | "reconcile_safe_ids";

export interface PlatformsTable extends Omit<NewPlatform, JsonField | "reconcile_account_id"> {
  id: ColumnType<string, string, never>;
  rotation_window: ColumnType<RotationWindow | null, string | null, string | null>;
  password_rules: ColumnType<PasswordRules, string, string>;
  reconcile_hosts: ColumnType<string[], string, string>;
  reconcile_safe_ids: ColumnType<SafeId[], string, string>;
  reconcile_account_id: string | null;
  /** The result of the last check of the reconcile account; null if it was never checked. */
  reconcile_is_ready: ColumnType<boolean | null, undefined, boolean | null>;
  reconcile_message: ColumnType<string | null, undefined, string | null>;
  reconcile_checked_at: ColumnType<Date | null, undefined, Date | null>;
  created_at: ColumnType<Date, Date, never>;
  updated_at: Date;
  deleted_at: ColumnType<Date | null, undefined, Date>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    platforms: PlatformsTable;
  }
}

export type PlatformRow = Selectable<PlatformsTable>;
export type ShownPlatform = PlatformRow & { account_count: number };

const shown = (condition: RawBuilder<unknown>) => sql<ShownPlatform>`
  select platforms.*, (
    select count(*)::integer from accounts join credentials on credentials.id = accounts.id
    where accounts.platform_id = platforms.id and credentials.deleted_at is null
  ) as account_count
  from platforms where deleted_at is null and ${condition}
  order by lower(name), id`;

/** Filters by name; null matches any name. */
export async function listPlatforms(db: Db, systemType: SystemType | null, isActive: boolean | null) {
  const conditions = [
    ...(systemType === null ? [] : [sql`system_type = ${systemType}`]),
    ...(isActive === null ? [] : [sql`is_active = ${isActive}`]),
  ];
  return (await shown(sql.join([sql`true`, ...conditions], sql` and `)).execute(db)).rows;
}

/** Sorted by name, without counts. */
export async function searchPlatforms(db: Db, wanted: { text: string } | { ids: readonly string[] }, limit: number) {
  const query = db.selectFrom("platforms").select(["id", "name", "description", "system_type", "connection_method"]);
  const ofThese =
    "ids" in wanted
      ? sql<boolean>`id = any(${[...wanted.ids]}::uuid[])`
      : everyWord(
          wanted.text,
          (pattern) => sql`(name ilike ${pattern} or description ilike ${pattern} or system_type ilike ${pattern})`,
        );
  return query
    .where("deleted_at", "is", null)
    .where(ofThese)
    .orderBy(sql`lower(name)`)
    .limit(limit)
    .execute();
}

/** Null when the platform does not exist or was deleted. */
export async function readPlatform(db: Db, id: string): Promise<ShownPlatform | null> {
  return (await shown(sql`id = ${id}`).execute(db)).rows[0] ?? null;
}

/**
 * Locks the platform: `update` to change or delete it, `share` to assign it to an account. Null when it does not exist
 * or was deleted.
 */
export async function lockPlatform(tx: Tx, id: string, strength: "share" | "update"): Promise<PlatformRow | null> {
  const query = tx.selectFrom("platforms").selectAll().where("id", "=", id).where("deleted_at", "is", null);
  const locked = strength === "share" ? query.forShare() : query.forUpdate();
  return (await locked.executeTakeFirst()) ?? null;
}

export async function isNameTaken(db: Db, name: string, besides: string | null): Promise<boolean> {
  const { rows } = await sql`
    select from platforms where lower(name) = lower(${name}) and deleted_at is null
      and id is distinct from ${besides}::uuid`.execute(db);
  return rows.length > 0;
}

/** Returns false and changes nothing when the name is taken. */
export async function insertPlatform(tx: Tx, row: Insertable<PlatformsTable>): Promise<boolean> {
  const inserted = tx.insertInto("platforms").values(row);
  const { numInsertedOrUpdatedRows } = await inserted.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function updatePlatform(tx: Tx, id: string, changes: Updateable<PlatformsTable>): Promise<void> {
  await tx.updateTable("platforms").set(changes).where("id", "=", id).execute();
}

export async function accountExists(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from credentials where id = ${id} and safe_id is not null and deleted_at is null`.execute(db);
  return rows.length > 0;
}

const NAMES_LOCK = 7_305_808_881;

/** Serializes name changes, so that two platforms cannot take the same name. */
export async function lockNames(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(NAMES_LOCK)})`.execute(tx);
}
