// Reads and writes the rows of users.
import { containing, everyWord } from "#kernel/db/containing.ts";
import type { Role, UserId, UserKind, UserSort } from "@strongroom/contract";
import type { Generated, Insertable } from "kysely";
import { sql } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { isAfter, orderTerms } from "#kernel/db/list-order.ts";
import type { Place } from "#kernel/db/list-order.ts";
import type { Tables } from "#kernel/db/tables.ts";
import { orderOf } from "./user-order.ts";

export interface UsersTable {
  id: UserId;
  email: string;
  name: string;
  role: Role;
  requested_role: Exclude<Role, "user"> | null;
  /** `pending` means that the user signed up and is waiting for activation. */
  status: "pending" | "active" | "disabled" | "deleted";
  password_hash: string;
  created_at: Date;
  last_signed_in_at: Date | null;
  /** Set while an invitation is open: the user must choose a password before they can sign in. */
  invited_at: Date | null;
  /** A machine identity acts only through API tokens: it has no password and no sessions. */
  kind: UserKind;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    users: Omit<UsersTable, "invited_at" | "kind"> & {
      invited_at: Generated<Date | null>;
      kind: Generated<UserKind>;
      admin_since: Generated<Date | null>;
      admin_until: Generated<Date | null>;
    };
  }
}

/** A user without the password hash. Deleted users are excluded. */
export interface Person extends Omit<UsersTable, "password_hash"> {
  status: "pending" | "active" | "disabled";
  /** When the user became an administrator; null for a user who is not one. */
  admin_since: Date | null;
  /** A former administrator is protected like an administrator until this time. */
  admin_until: Date | null;
}

const personColumns = [
  "id",
  "email",
  "name",
  "role",
  "requested_role",
  "status",
  "created_at",
  "last_signed_in_at",
  "invited_at",
  "kind",
  "admin_since",
  "admin_until",
] as const;

/** The only query that returns the password hash with a user. `email` must be in lower case. */
export const findUserByEmail = (db: Db, email: string): Promise<UsersTable | undefined> =>
  db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();

export async function findPasswordHash(db: Db, userId: string): Promise<string> {
  const row = db
    .selectFrom("users")
    .select("password_hash")
    .where("id", "=", userId as UserId);
  return (await row.executeTakeFirstOrThrow()).password_hash;
}

export const findUser = (db: Db, userId: string): Promise<Person | undefined> =>
  db
    .selectFrom("users")
    .select(personColumns)
    .$narrowType<{ status: Person["status"] }>()
    .where("id", "=", userId as UserId)
    .where("status", "<>", "deleted")
    .executeTakeFirst();

/**
 * Locks the row until the transaction ends, so that decisions about one user are serialised. Rows that only reference the user,
 * such as a check-out, can still be written: their transaction may hold a lock that the decision waits for.
 */
export const lockUser = (tx: Tx, userId: string): Promise<Person | undefined> =>
  tx
    .selectFrom("users")
    .select(personColumns)
    .$narrowType<{ status: Person["status"] }>()
    .where("id", "=", userId as UserId)
    .where("status", "<>", "deleted")
    .forNoKeyUpdate()
    .executeTakeFirst();

export async function hasAnyUser(db: Db): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Returns false, without a change, when the address is taken. */
export async function insertUser(tx: Tx, user: Insertable<Tables["users"]>): Promise<boolean> {
  const admin_since = user.role === "admin" ? user.created_at : null;
  const insert = tx.insertInto("users").values({ ...user, admin_since });
  const result = await insert.onConflict((conflict) => conflict.column("email").doNothing()).executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** The advisory lock for all changes that affect the set of administrators; no other code may use it. */
const ADMINISTRATORS_LOCK = 7_305_808_882;

/**
 * The ids of the administrators who can sign in, with a local password or through an enabled provider that keeps their role.
 * INVARIANT: every change of a role, a status or a provider calls this before it locks any row. A single lock covers all
 * administrators, active or not: row locks on only the active ones led to deadlocks, because the set of active rows changes while
 * transactions wait.
 */
export async function lockActiveAdmins(tx: Tx): Promise<string[]> {
  await sql`select pg_advisory_xact_lock(${sql.lit(ADMINISTRATORS_LOCK)})`.execute(tx);
  // This is a separate statement, so that it sees what the previous holder of the lock committed.
  const { rows } = await sql<{ id: string }>`
    select id from users where role = 'admin' and status = 'active' and kind = 'person' and invited_at is null
      and (password_hash <> '' or exists (
      select from identity_provider_people bound join identity_providers provider on provider.id = bound.provider_id
      where bound.user_id = users.id and provider.is_enabled
        and (provider.role_mappings = '[]' or provider.role_mappings @> '[{"role": "admin"}]')))
    order by id`.execute(tx);
  return rows.map((row) => row.id);
}

/** How long a former administrator is protected like an administrator: see `admin_until`. */
const ADMIN_AFTERWARDS = "7 days";

export async function setRole(tx: Tx, userId: string, role: Role, at: Date): Promise<void> {
  await sql`
    update users set role = ${role}, requested_role = null,
      admin_since = case when ${role} = 'admin' then coalesce(admin_since, ${at}) end,
      admin_until = case when role = 'admin' and ${role} <> 'admin' then ${at}::timestamptz + ${ADMIN_AFTERWARDS}::interval
        else admin_until end
    where id = ${userId}`.execute(tx);
}

/** Those of the given users who are pending, locked until the transaction ends. */
export const findPending = (tx: Tx, userIds: readonly string[]): Promise<Pick<Person, "id" | "email">[]> =>
  tx
    .selectFrom("users")
    .select(["id", "email"])
    .where("id", "=", sql<UserId>`any(${[...userIds]}::uuid[])`)
    .where("status", "=", "pending")
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();

export async function isAnyonePending(db: Db): Promise<boolean> {
  return (await sql`select from users where status = 'pending' limit 1`.execute(db)).rows.length > 0;
}

export async function isPending(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`select from users where id = ${userId} and status = 'pending'`.execute(db);
  return rows.length > 0;
}

export async function clearRoleRequest(tx: Tx, userId: string): Promise<void> {
  await updateUser(tx, userId, { requested_role: null });
}

/** Keeps the row, because other rows reference it. The user can no longer sign in, and their address can be used again. */
export async function eraseUser(tx: Tx, userId: string): Promise<void> {
  const email = `deleted-${userId}@invalid`;
  await updateUser(tx, userId, {
    email,
    name: "Deleted user",
    role: "user",
    requested_role: null,
    status: "deleted",
    password_hash: "",
    last_signed_in_at: null,
    invited_at: null,
  });
}

export async function setStatus(tx: Tx, userId: string, status: UsersTable["status"]): Promise<void> {
  await updateUser(tx, userId, { status });
}

export async function renameUser(tx: Tx, userId: string, name: string): Promise<void> {
  await updateUser(tx, userId, { name });
}

/** Choosing a password also accepts an open invitation. */
export async function setPasswordHash(tx: Tx, userId: string, hash: string): Promise<void> {
  await updateUser(tx, userId, { password_hash: hash, invited_at: null });
}

/**
 * Records a sign-in and stores the password hash. Returns false, without a change, when the password, role or status changed
 * since `user` was read, because the proof is then no longer valid.
 */
export async function markSignedIn(tx: Tx, user: UsersTable, at: Date, hash: string): Promise<boolean> {
  const result = await tx
    .updateTable("users")
    .set({ last_signed_in_at: at, password_hash: hash, invited_at: null })
    .where("id", "=", user.id)
    .where("password_hash", "=", user.password_hash)
    .where("role", "=", user.role)
    .where("status", "in", ["pending", "active"])
    .where("kind", "=", "person")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Locks the row until the transaction ends. Returns false when the password, role or status changed since `user` was read. */
export async function lockUnchanged(tx: Tx, user: UsersTable): Promise<boolean> {
  const row = tx.selectFrom("users").select("id").where("id", "=", user.id);
  const open = row.where("status", "in", ["pending", "active"]);
  const same = open.where("password_hash", "=", user.password_hash).where("role", "=", user.role);
  return (await same.forNoKeyUpdate().executeTakeFirst()) !== undefined;
}

/** Replaces a known password hash. Returns false, without a change, when the hash has changed in the meantime. */
export async function replacePasswordHash(tx: Tx, userId: string, before: string, hash: string): Promise<boolean> {
  const update = tx
    .updateTable("users")
    .set({ password_hash: hash })
    .where("id", "=", userId as UserId);
  return (await update.where("password_hash", "=", before).executeTakeFirst()).numUpdatedRows === 1n;
}

async function updateUser(tx: Tx, userId: string, change: Partial<UsersTable>): Promise<void> {
  await tx
    .updateTable("users")
    .set(change)
    .where("id", "=", userId as UserId)
    .execute();
}

export interface PageQuery {
  limit: number;
  sort?: UserSort | undefined;
  /** The last row of the previous page. */
  after: Place | null;
  search: string | null;
  role?: Role | null;
  /** `invited`: users with an open invitation. */
  status?: Person["status"] | "invited" | null;
  /** Only users with an open role request. */
  withRoleRequest: boolean;
}

/** Users in this order, each with its key. */
export function listPage(db: Db, wish: PageQuery): Promise<(Person & Place)[]> {
  const order = orderOf(wish.sort);
  let query = db
    .selectFrom("users")
    .select(personColumns)
    .select(sql<Date | string>`${order.key}`.as("key"))
    .$narrowType<{ status: Person["status"] }>()
    .where("status", "<>", "deleted")
    .where("kind", "=", "person")
    .where(isAfter(order, wish.after, sql`users.id`));
  if (wish.role != null) query = query.where("role", "=", wish.role);
  if (wish.status != null) {
    query = query.where("status", "=", wish.status === "invited" ? "active" : wish.status);
    if (wish.status === "invited") query = query.where("invited_at", "is not", null);
    if (wish.status === "active") query = query.where("invited_at", "is", null);
  }
  if (wish.withRoleRequest) query = query.where("requested_role", "is not", null);
  if (wish.search !== null) {
    query = query.where(everyWord(wish.search, (pattern) => sql`(email ilike ${pattern} or name ilike ${pattern})`));
  }
  return query
    .orderBy(orderTerms(order, sql`users.id`))
    .limit(wish.limit)
    .execute();
}

/** Those of the given users who exist. */
export const findUsers = (db: Db, userIds: readonly string[]): Promise<Person[]> =>
  db
    .selectFrom("users")
    .select(personColumns)
    .$narrowType<{ status: Person["status"] }>()
    .where("id", "=", sql<UserId>`any(${[...userIds]}::uuid[])`)
    .where("status", "<>", "deleted")
    .execute();

export async function markInvited(tx: Tx, userId: string, at: Date): Promise<void> {
  await updateUser(tx, userId, { invited_at: at });
}

/** Addresses by id; unknown ids are omitted. */
export async function emailsOf(db: Db, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map();
  const query = db
    .selectFrom("users")
    .select(["id", "email"])
    .where("id", "=", sql<UserId>`any(${userIds}::uuid[])`);
  return new Map((await query.execute()).map((row) => [row.id, row.email]));
}

/** The ids of users whose address contains the text, without deleted users. */
export async function idsByEmail(db: Db, text: string): Promise<string[]> {
  const query = db.selectFrom("users").select("id").where("email", "ilike", containing(text));
  return (await query.where("status", "<>", "deleted").limit(1000).execute()).map(({ id }) => id);
}

/** The number of active users by role. */
export async function countActiveByRole(db: Db): Promise<Record<Role, number>> {
  const counted = db.selectFrom("users").select(["role", sql<number>`count(*)`.as("count")]);
  const active = counted.where("status", "=", "active").where("kind", "=", "person");
  const rows = await active.groupBy("role").execute();
  const counts: Record<Role, number> = { user: 0, manager: 0, admin: 0 };
  for (const row of rows) counts[row.role] = row.count;
  return counts;
}
