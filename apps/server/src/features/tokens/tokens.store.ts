// Reads and writes the rows of API tokens and the policy on their lifetime.
import type { Role, SafeId, ScopeChoice, TokenId, TokenPolicy, UserId, UserKind } from "@strongroom/contract";
import { sql } from "kysely";
import type { ColumnType, Generated, RawBuilder } from "kysely";
import type { Db, Tx } from "#kernel/db/database.ts";
import { named } from "#kernel/db/named.ts";

type LaterTime = ColumnType<Date | null, undefined, Date | null>;

export interface TokensTable {
  id: TokenId;
  user_id: UserId;
  name: string;
  begins: string;
  token_hash: Buffer;
  scopes: ScopeChoice[];
  safe_ids: SafeId[] | null;
  networks: string[];
  created_by: UserId;
  /** The token that created this one; null when a user created it in a session. */
  made_by: TokenId | null;
  created_at: Date;
  expires_at: Date;
  revoked_at: LaterTime;
  suspended_at: LaterTime;
  last_used_at: LaterTime;
  last_used_from: ColumnType<string | null, undefined, string | null>;
  refused_at: LaterTime;
  told_days: ColumnType<number | null, undefined, number | null>;
  /** The expiry that the last notice stated. */
  told_end: LaterTime;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    tokens: TokensTable;
    token_policy: TokenPolicy & { is_only: Generated<boolean> };
  }
}

/** A token with its holder and the current policies: everything that authenticating a call needs, in one row. */
export interface LiveToken extends TokenPolicy {
  id: TokenId;
  name: string;
  token_hash: Buffer;
  scopes: ScopeChoice[];
  safe_ids: SafeId[] | null;
  networks: string[];
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  suspended_at: Date | null;
  last_used_at: Date | null;
  user_id: UserId;
  kind: UserKind;
  email: string;
  holder: string;
  role: Role;
  status: "active" | "disabled" | "deleted";
  /** The allowed networks of the sign-in policy. */
  people_from: string[];
  /**
   * Whether the holder's role requires a second factor that the holder has neither in Strongroom nor at their provider.
   */
  lacks_factor: boolean;
  /** Null when the holder's vault is open. */
  vault_closed_at: Date | null;
  vault_opens_at: Date | null;
}

/** Uses one prepared statement for all concurrent calls. Returns tokens in the order of `hashes`. */
export async function findTokens(db: Db, hashes: readonly string[]): Promise<(LiveToken | undefined)[]> {
  const query = sql<LiveToken>`
    select token.id, token.name, token.token_hash, token.scopes, token.safe_ids, token.networks, token.created_at,
      token.expires_at, token.revoked_at, token.suspended_at, token.last_used_at, token.user_id,
      person.kind, person.email, person.name as holder, person.role, person.status,
      closure.closed_at as vault_closed_at, closure.opens_at as vault_opens_at,
      token_policy.person_days, token_policy.machine_days, sign_in_policy.allowed_networks as people_from,
      person.kind = 'person' and person.role = any(sign_in_policy.mfa_required_roles)
        and not exists (select from factors where factors.user_id = person.id)
        and not exists (select from identity_provider_people bound
                        where bound.user_id = person.id and bound.has_second_factor) as lacks_factor
    from tokens token join users person on person.id = token.user_id
      left join vault_closures closure on closure.user_id = token.user_id and closure.blocks_vault,
      token_policy, sign_in_policy
    where token.token_hash = any((select array_agg(decode(hash, 'hex')) from unnest(${hashes}::text[]) hash)::bytea[])`;
  const { rows } = await db.executeQuery(named("tokens.by-hash", query.compile(db)));
  const byHash = new Map(rows.map((row) => [row.token_hash.toString("hex"), row]));
  return hashes.map((hash) => byHash.get(hash));
}

/** Records the last use, in one statement for any number of calls, and never moves it backwards. */
export async function touchTokens(db: Db, uses: readonly { id: string; from: string }[], at: Date, ifBefore: Date) {
  const last = new Map(uses.map(({ id, from }) => [id, from]));
  const ids = [...last.keys()];
  await sql`
    with held as materialized (
      select id from tokens where id = any(${ids}::uuid[]) order by id for no key update)
    update tokens set last_used_at = ${at}, last_used_from = used.used_from
    from held join unnest(${ids}::uuid[], ${[...last.values()]}::text[]) used (id, used_from) on used.id = held.id
    where tokens.id = held.id and (last_used_at is null or last_used_at <= ${ifBefore})`.execute(db);
}

/** Returns false when a refused use was recorded recently. */
export async function recordRefusedUse(tx: Tx, id: string, at: Date, ifBefore: Date): Promise<boolean> {
  const update = tx
    .updateTable("tokens")
    .set({ refused_at: at })
    .where("id", "=", id as TokenId);
  const due = update.where((where) => where.or([where("refused_at", "is", null), where("refused_at", "<=", ifBefore)]));
  return (await due.executeTakeFirst()).numUpdatedRows === 1n;
}

export async function insertToken(
  tx: Tx,
  row: Omit<
    TokensTable,
    "revoked_at" | "suspended_at" | "last_used_at" | "last_used_from" | "refused_at" | "told_days" | "told_end"
  >,
): Promise<void> {
  await tx.insertInto("tokens").values(row).execute();
}

/**
 * Returns false when the token is revoked. Locks the token until the transaction ends, so that a later revocation sees
 * the tokens it creates.
 */
export async function lockCreator(tx: Tx, id: TokenId): Promise<boolean> {
  const held = tx.selectFrom("tokens").select("revoked_at").where("id", "=", id).forShare();
  return (await held.executeTakeFirst())?.revoked_at === null;
}

export interface RevokedToken {
  id: TokenId;
  name: string;
  user_id: UserId;
  holder: string;
}

/** Revokes these tokens and all that they created, recursively; returns those that were not already revoked. */
export async function revokeWithCreated(tx: Tx, ids: readonly string[], at: Date): Promise<RevokedToken[]> {
  const revoked: RevokedToken[] = [];
  for (;;) {
    const { rows } = await sql<RevokedToken>`
      with recursive family as (
        select id from tokens where id = any(${[...ids]}::uuid[])
        union select made.id from tokens made join family on made.made_by = family.id
      ), held as materialized (
        select id from tokens where id in (select id from family) and revoked_at is null order by id for no key update)
      update tokens set revoked_at = ${at}
      where id in (select id from held) and revoked_at is null
      returning id, name, user_id, (select users.name from users where users.id = user_id) as holder`.execute(tx);
    // Repeat: while this statement waited for a lock, one of the tokens may have created another.
    if (rows.length === 0) return revoked;
    revoked.push(...rows);
  }
}

/** Returns holders of either kind: users and machine identities. */
export async function activeTokensOf(db: Db, userId: string): Promise<string[]> {
  const active = db.selectFrom("tokens").select("id").where("revoked_at", "is", null);
  return (await active.where("user_id", "=", userId as UserId).execute()).map(({ id }) => id);
}

export async function deleteTokensOf(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom("tokens")
    .where("user_id", "=", userId as UserId)
    .execute();
}

/**
 * Deletes tokens that ended before the period that lists show. INVARIANT: the ancestors of an active token are kept, so
 * that revoking any of them also revokes it.
 */
export async function sweepTokens(tx: Tx, { now, before }: { now: Date; before: Date }): Promise<void> {
  await sql`
    with recursive needed as (
      select id, made_by from tokens where made_by is not null and revoked_at is null and expires_at > ${now}
      union select maker.id, maker.made_by from tokens maker join needed on needed.made_by = maker.id)
    delete from tokens where least(revoked_at, expires_at) < ${before} and id not in (select id from needed)`.execute(
    tx,
  );
}

export interface ShownToken extends Omit<
  LiveToken,
  keyof TokenPolicy | "token_hash" | "people_from" | "lacks_factor" | "email" | "vault_closed_at" | "vault_opens_at"
> {
  begins: string;
  last_used_from: string | null;
  created_by_name: string;
  safes: { id: SafeId; name: string }[] | null;
  /** Whether the viewer is responsible for the machine identity that holds the token. */
  is_responsible: boolean;
}

/** The machine identities that a user is responsible for, directly or through a group. */
export const machinesManagedBy = (userId: string): RawBuilder<unknown> => sql`
  (select user_id from token_machines where responsible_user_id = ${userId} or responsible_group_id in (
    select group_id from group_members where group_members.user_id = ${userId}))`;

function shown(condition: RawBuilder<unknown>, viewer: string): RawBuilder<ShownToken> {
  return sql<ShownToken>`
    select token.id, token.name, token.begins, token.scopes, token.safe_ids, token.networks, token.created_at,
      token.expires_at, token.revoked_at, token.suspended_at, token.last_used_at, token.last_used_from, token.user_id,
      person.kind, person.name as holder, person.role, person.status, maker.name as created_by_name,
      (select coalesce(jsonb_agg(jsonb_build_object('id', safes.id, 'name', safes.name) order by lower(safes.name)), '[]')
       from safes where safes.id = any(token.safe_ids) and safes.deleted_at is null) as safes,
      token.user_id in ${machinesManagedBy(viewer)} as is_responsible
    from tokens token join users person on person.id = token.user_id join users maker on maker.id = token.created_by
    where ${condition} order by token.id desc limit 500`;
}

/** The viewer's own tokens and those of machine identities they are responsible for, newest first. */
export async function listTokensFor(db: Db, viewer: string): Promise<ShownToken[]> {
  const mine = sql`(token.user_id = ${viewer} or token.user_id in ${machinesManagedBy(viewer)})`;
  return (await shown(mine, viewer).execute(db)).rows;
}

export async function listTokensHeldBy(db: Db, holder: string, viewer: string): Promise<ShownToken[]> {
  return (await shown(sql`token.user_id = ${holder}`, viewer).execute(db)).rows;
}

/** Locks the token until the transaction ends. */
export async function lockToken(tx: Tx, id: string, viewer: string): Promise<ShownToken | undefined> {
  await sql`select from tokens where id = ${id} for no key update`.execute(tx);
  return (await shown(sql`token.id = ${id}`, viewer).execute(tx)).rows[0];
}

/** Counts a holder's tokens that are neither revoked nor expired. */
export async function countActiveTokens(db: Db, holder: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from tokens
    where user_id = ${holder} and revoked_at is null and expires_at > ${now}`.execute(db);
  return rows[0]!.count;
}

export const readTokenPolicy = (db: Db): Promise<TokenPolicy> =>
  db.selectFrom("token_policy").select(["person_days", "machine_days"]).executeTakeFirstOrThrow();

export async function writeTokenPolicy(tx: Tx, policy: TokenPolicy): Promise<void> {
  await tx.updateTable("token_policy").set(policy).execute();
}
