// Reads and writes the rows of identity providers.
import type {
  IdentityProvider,
  IdentityProviderId,
  OidcSettings,
  ProviderKind,
  RoleMapping,
} from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Selectable } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";

export interface ProvidersTable {
  id: ColumnType<IdentityProviderId, IdentityProviderId, never>;
  kind: ColumnType<ProviderKind, ProviderKind, never>;
  name: string;
  is_enabled: boolean;
  creates_people: boolean;
  links_by_email: boolean;
  without_group: IdentityProvider["without_group"];
  role_mappings: ColumnType<RoleMapping[], string, string>;
  domains: string[];
  settings: ColumnType<IdentityProvider["settings"], string, string>;
  sealed_secret: Buffer | null;
  secret_version: number;
  created_at: ColumnType<Date, Date, never>;
  updated_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    identity_providers: ProvidersTable;
  }
}

export type ProviderRow = Selectable<ProvidersTable>;
/** An OpenID Connect provider. */
export type OidcRow = Omit<ProviderRow, "settings"> & { settings: OidcSettings };
export type ShownProvider = ProviderRow & { people: number };

/** Sorted by creation time. */
export const findProviders = (db: Db): Promise<ShownProvider[]> => withPeople(db).orderBy("id").execute();

export const findShownProvider = (db: Db, id: string): Promise<ShownProvider | undefined> =>
  withPeople(db)
    .where("id", "=", id as IdentityProviderId)
    .executeTakeFirst();

const withPeople = (db: Db) =>
  db
    .selectFrom("identity_providers")
    .selectAll()
    .select(
      sql<number>`(select count(*)::integer from identity_provider_people where provider_id = identity_providers.id)`.as(
        "people",
      ),
    );

export const findEnabled = (db: Db, kind: ProviderKind): Promise<ProviderRow[]> =>
  db
    .selectFrom("identity_providers")
    .selectAll()
    .where("kind", "=", kind)
    .where("is_enabled", "=", true)
    .orderBy("id")
    .execute();

export const findProvider = (db: Db, id: string): Promise<ProviderRow | undefined> =>
  db
    .selectFrom("identity_providers")
    .selectAll()
    .where("id", "=", id as IdentityProviderId)
    .executeTakeFirst();

export const lockProvider = (tx: Tx, id: string): Promise<ProviderRow | undefined> =>
  tx
    .selectFrom("identity_providers")
    .selectAll()
    .where("id", "=", id as IdentityProviderId)
    .forUpdate()
    .executeTakeFirst();

/** Returns the row and locks it against changes until the transaction ends. */
export const lockProviderShared = (tx: Tx, id: IdentityProviderId): Promise<ProviderRow | undefined> =>
  tx.selectFrom("identity_providers").selectAll().where("id", "=", id).forShare().executeTakeFirst();

export async function isNameTaken(db: Db, name: string, exceptId: string): Promise<boolean> {
  const same = db
    .selectFrom("identity_providers")
    .select("id")
    .where(sql`lower(name)`, "=", name.toLowerCase());
  return (await same.where("id", "<>", exceptId as IdentityProviderId).executeTakeFirst()) !== undefined;
}

type Written = Omit<ProviderRow, "role_mappings" | "settings"> & { role_mappings: string; settings: string };

export async function insertProvider(tx: Tx, row: Written): Promise<void> {
  await tx.insertInto("identity_providers").values(row).execute();
}

export async function updateProvider(
  tx: Tx,
  id: IdentityProviderId,
  change: Omit<Written, "id" | "kind" | "created_at">,
): Promise<void> {
  await tx.updateTable("identity_providers").set(change).where("id", "=", id).execute();
}

export async function deleteProvider(tx: Tx, id: IdentityProviderId): Promise<void> {
  await tx.deleteFrom("identity_providers").where("id", "=", id).execute();
}
