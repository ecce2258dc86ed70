// Reads privileges and keys of discovered accounts, as far as the caller can see their targets.
import type { PrivilegeKind } from "@strongroom/connectors";
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import { containing } from "#kernel/db/containing.ts";
import type { Db } from "#kernel/db/database.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import { visibleTargets } from "../targets/targets.store.ts";

export interface SeenAccount {
  id: string;
  target_id: string;
  identity: string;
  account_name: string;
  /** The name to log in with. */
  login_name: string;
  hostname: string;
  is_locked: boolean;
}

/** Null when the account does not exist or this user cannot see its target. */
export async function readSeenAccount(db: Db, actor: Actor, id: string): Promise<SeenAccount | null> {
  const { rows } = await sql<SeenAccount>`
    select found.id, found.target_id, found.identity, found.account_name, found.hostname, found.is_locked,
      coalesce(found.login_name, found.account_name) as login_name
    from discovered_accounts found join ${visibleTargets(actor)} seen on seen.id = found.target_id
    where found.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

export interface SeenPrivilege {
  kind: PrivilegeKind;
  becomes: string | null;
  path: string[];
  detail: string[];
  needs_password: boolean | null;
}

/** Call it for an account that the user can see. The strongest first. */
export function privilegesOf(db: Db, { target_id, identity }: SeenAccount): Promise<SeenPrivilege[]> {
  return db
    .selectFrom("discovered_privileges")
    .select(["kind", "becomes", "path", "detail", "needs_password"])
    .where("target_id", "=", target_id)
    .where("identity", "=", identity)
    .orderBy("position")
    .execute();
}

export interface OpeningKeyRow {
  fingerprint: string;
  type: string | null;
  comment: string | null;
  place: string;
  options: string[];
  opens: number;
  holders: {
    account_name: string | null;
    hostname: string;
    place: string;
    read_by: "owner" | "group" | "everyone";
    is_encrypted: boolean;
  }[];
}

const MOST_KEYS = sql.lit(100);
const MOST_HOLDERS = sql.lit(20);

/** The keys that open the account. Counts and holders cover the targets that this user can see. */
export async function keysOpening(
  db: Db,
  actor: Actor,
  { target_id, identity }: SeenAccount,
): Promise<OpeningKeyRow[]> {
  const { rows } = await sql<OpeningKeyRow>`
    with seen as materialized ${visibleTargets(actor)},
    own as (
      select fingerprint, key_type as type, comment, place, options, position from discovered_keys
      where target_id = ${target_id} and identity = ${identity} and relation = 'opens'
      order by position limit ${MOST_KEYS})
    select own.fingerprint, own.type, own.comment, own.place, own.options,
      (select count(distinct (other.target_id, other.identity)) from discovered_keys other
        join seen on seen.id = other.target_id
        where other.fingerprint = own.fingerprint and other.relation = 'opens')::integer as opens,
      coalesce((select jsonb_agg(holder) from (
        select held.identity as account_name, target.hostname, held.place, held.read_by, held.is_encrypted
        from discovered_keys held join seen on seen.id = held.target_id
        join discovery_targets target on target.id = held.target_id
        where held.fingerprint = own.fingerprint and held.relation = 'held'
        order by target.hostname, held.identity limit ${MOST_HOLDERS}) holder), '[]') as holders
    from own order by own.position`.execute(db);
  return rows;
}

export interface HeldKeyRow {
  fingerprint: string | null;
  type: string | null;
  place: string;
  read_by: "owner" | "group" | "everyone";
  is_encrypted: boolean;
  opens: number;
}

export async function keysHeld(db: Db, actor: Actor, { target_id, identity }: SeenAccount): Promise<HeldKeyRow[]> {
  const { rows } = await sql<HeldKeyRow>`
    with seen as materialized ${visibleTargets(actor)}
    select held.fingerprint, held.key_type as type, held.place, held.read_by, held.is_encrypted,
      (select count(distinct (opened.target_id, opened.identity)) from discovered_keys opened
        join seen on seen.id = opened.target_id
        where opened.fingerprint = held.fingerprint and opened.relation = 'opens')::integer as opens
    from discovered_keys held
    where held.target_id = ${target_id} and (held.identity = ${identity} or held.identity is null)
      and held.relation = 'held'
    order by held.position limit ${MOST_KEYS}`.execute(db);
  return rows;
}

export interface ManagedRow {
  id: string;
  safe_id: string;
  safe_name: string;
}

/** Accounts in the user's safes with this login on this host. */
export async function managedLogins(db: Db, actor: Actor, account: SeenAccount): Promise<ManagedRow[]> {
  const { rows } = await sql<ManagedRow>`
    select credentials.id, safes.id as safe_id, safes.name as safe_name
    from credentials
    join ${effectivePermissionsOf(actor)} mine on mine.safe_id = credentials.safe_id
    join safes on safes.id = credentials.safe_id
    where credentials.user_id is null and credentials.deleted_at is null
      and (mine.permissions & ${sql.lit(bitOf("list"))}) <> 0
      and lower(credentials.host) = lower(${account.hostname})
      and lower(credentials.username) = lower(${account.login_name})
    order by safes.name, credentials.id limit 20`.execute(db);
  return rows;
}

export interface KeyRowShown {
  fingerprint: string;
  type: string | null;
  comment: string | null;
  opens: number;
  systems: number;
  opens_full: number;
  found_private: number;
  is_unprotected: boolean;
}

/** Keys that open an account of a visible target, by the number of accounts that they open. */
export async function listKeys(
  db: Db,
  actor: Actor,
  { text, limit }: { text: string | null; limit: number },
): Promise<KeyRowShown[]> {
  const matches =
    text === null
      ? sql`true`
      : sql`(opened.fingerprint ilike ${containing(text)} or opened.comment ilike ${containing(text)})`;
  const { rows } = await sql<KeyRowShown>`
    with seen as materialized ${visibleTargets(actor)},
    counted as (
      select opened.fingerprint, count(distinct (opened.target_id, opened.identity))::integer as opens,
        count(distinct opened.target_id)::integer as systems,
        min(opened.key_type) as type, min(opened.comment) as comment
      from discovered_keys opened join seen on seen.id = opened.target_id
      where opened.relation = 'opens' and opened.fingerprint is not null and ${matches}
      group by opened.fingerprint),
    page as (
      select * from counted order by counted.opens desc, counted.fingerprint limit ${limit})
    select page.*,
      (select count(distinct (opened.target_id, opened.identity))::integer
        from discovered_keys opened join seen on seen.id = opened.target_id
        join discovered_privileges privilege on privilege.target_id = opened.target_id
          and privilege.identity = opened.identity and privilege.position = 0 and privilege.is_full
        where opened.fingerprint = page.fingerprint and opened.relation = 'opens') as opens_full,
      held.found_private, held.is_unprotected
    from page cross join lateral (
      select count(distinct (held.target_id, held.place))::integer as found_private,
        coalesce(bool_or(not held.is_encrypted), false) as is_unprotected
      from discovered_keys held join seen on seen.id = held.target_id
      where held.fingerprint = page.fingerprint and held.relation = 'held') held
    order by page.opens desc, page.fingerprint`.execute(db);
  return rows;
}
