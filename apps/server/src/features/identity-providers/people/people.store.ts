// Reads and writes the bindings of users to identity providers.
import type { IdentityProviderId, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { Generated, Insertable } from "kysely";
import type { UsersTable } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";

interface PeopleTable {
  provider_id: IdentityProviderId;
  subject: string;
  user_id: UserId;
  bound_at: Date;
  /** Confirmed by the provider at the user's last sign-in. */
  has_second_factor: Generated<boolean>;
  /** When the user last signed out of Strongroom. */
  signed_out_at: Generated<Date | null>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    identity_provider_people: PeopleTable;
  }
}

/** The user whom the provider identifies by `subject`. */
export const findBound = (db: Db, providerId: IdentityProviderId, subject: string): Promise<UsersTable | undefined> =>
  db
    .selectFrom("identity_provider_people")
    .innerJoin("users", "users.id", "identity_provider_people.user_id")
    .selectAll("users")
    .where("provider_id", "=", providerId)
    .where("subject", "=", subject)
    .executeTakeFirst();

/** Ordered by id, so that all transactions lock in the same order. */
export async function findPeopleOf(db: Db, providerId: IdentityProviderId): Promise<UserId[]> {
  const people = db.selectFrom("identity_provider_people").select("user_id").where("provider_id", "=", providerId);
  return (await people.orderBy("user_id").execute()).map((row) => row.user_id);
}

/** Ordered by id, with the addresses that the audit trail uses as names. */
export const findBoundPeople = (db: Db, providerId: IdentityProviderId): Promise<{ id: UserId; email: string }[]> =>
  db
    .selectFrom("identity_provider_people")
    .innerJoin("users", "users.id", "identity_provider_people.user_id")
    .select(["users.id", "users.email"])
    .where("provider_id", "=", providerId)
    .orderBy("users.id")
    .execute();

/**
 * The provider that a user signs in through; undefined for a user with a local password, or without any sign-in yet.
 */
export const findProviderOf = (db: Db, userId: string): Promise<{ id: IdentityProviderId; name: string } | undefined> =>
  db
    .selectFrom("identity_provider_people")
    .innerJoin("identity_providers", "identity_providers.id", "identity_provider_people.provider_id")
    .select(["identity_providers.id", "identity_providers.name"])
    .where("user_id", "=", userId as UserId)
    .executeTakeFirst();

/** The names of the providers that these users sign in through, by user id. */
export async function findProvidersOf(db: Db, userIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ user_id: string; name: string }>`
    select bound.user_id, provider.name from identity_provider_people bound
    join identity_providers provider on provider.id = bound.provider_id
    where bound.user_id = any(${[...userIds]}::uuid[])`.execute(db);
  return new Map(rows.map(({ user_id, name }) => [user_id, name]));
}

/** The subjects of these users at providers of one kind. */
export async function findBoundIn(db: Db, kind: "oidc" | "ldap", userIds: readonly string[]): Promise<BoundPerson[]> {
  const { rows } = await sql<BoundPerson>`
    select bound.user_id, bound.provider_id, bound.subject from identity_provider_people bound
    join identity_providers provider on provider.id = bound.provider_id
    where provider.kind = ${kind} and bound.user_id = any(${[...userIds]}::uuid[])`.execute(db);
  return rows;
}

export type BoundPerson = Pick<PeopleTable, "provider_id" | "subject" | "user_id">;

/** Returns false, without a change, when the subject or the user is already bound. */
export async function bindPerson(tx: Tx, row: Insertable<PeopleTable>): Promise<boolean> {
  const insert = tx.insertInto("identity_provider_people").values(row);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** The OpenID Connect provider that a user signs in through, if it is enabled. */
export const findOpenidProviderOf = (
  db: Db,
  userId: string,
): Promise<{ id: IdentityProviderId; name: string } | undefined> =>
  db
    .selectFrom("identity_provider_people")
    .innerJoin("identity_providers", "identity_providers.id", "identity_provider_people.provider_id")
    .select(["identity_providers.id", "identity_providers.name"])
    .where("user_id", "=", userId as UserId)
    .where("kind", "=", "oidc")
    .where("is_enabled", "=", true)
    .executeTakeFirst();

/** When the user with this `subject` last signed out of Strongroom; null for never, or for an unknown subject. */
export async function findSignedOutAt(db: Db, providerId: IdentityProviderId, subject: string): Promise<Date | null> {
  const people = db.selectFrom("identity_provider_people").select("signed_out_at");
  const row = await people.where("provider_id", "=", providerId).where("subject", "=", subject).executeTakeFirst();
  return row?.signed_out_at ?? null;
}

/** Sets the time of the last sign-out; null clears it. */
export async function writeSignedOutAt(tx: Tx, userId: string, at: Date | null): Promise<void> {
  await tx
    .updateTable("identity_provider_people")
    .set({ signed_out_at: at })
    .where("user_id", "=", userId as UserId)
    .execute();
}

export async function recordSecondFactor(tx: Tx, userId: UserId, hasOne: boolean): Promise<void> {
  await tx
    .updateTable("identity_provider_people")
    .set({ has_second_factor: hasOne })
    .where("user_id", "=", userId)
    .where("has_second_factor", "<>", hasOne)
    .execute();
}

/** Clears the confirmed second factors of all users of a provider, until their next sign-in. */
export async function clearSecondFactorsOf(tx: Tx, providerId: IdentityProviderId): Promise<void> {
  const people = tx.updateTable("identity_provider_people").set({ has_second_factor: false });
  await people.where("provider_id", "=", providerId).where("has_second_factor", "=", true).execute();
}

export async function unbindPerson(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom("identity_provider_people")
    .where("user_id", "=", userId as UserId)
    .execute();
}
