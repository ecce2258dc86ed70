// The steps of the graph of accounts, keys and systems, for many nodes in one query, within the targets that the
// caller can see.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { visibleTargets } from "../targets/targets.store.ts";
import type { SeenPrivilege } from "./privileges.store.ts";

export interface AccountPlace {
  target_id: string;
  identity: string;
}

/** One key of one account: an opened account, or a reader of the private key (null: every account). */
export interface KeyStep {
  fingerprint: string;
  target_id: string;
  identity: string | null;
  place: string;
  is_encrypted: boolean | null;
  options: string[];
}

export interface PrivilegeStep extends SeenPrivilege {
  target_id: string;
  identity: string;
  is_full: boolean;
}

/** The maximum number of steps of one query. */
const MOST_STEPS = sql.lit(5000);

const seen = (actor: Actor) => sql`with seen as materialized ${visibleTargets(actor)}`;

const places = (list: readonly AccountPlace[]) => sql`
  jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as place (target_id uuid, identity text)`;

const keySteps = (db: Db, actor: Actor, from: RawBuilder<unknown>, condition: RawBuilder<unknown>) =>
  sql<KeyStep>`
    ${seen(actor)}
    select item.fingerprint, item.target_id, item.identity, item.place, item.is_encrypted, item.options
    from ${from} join seen on seen.id = item.target_id
    where item.fingerprint is not null and ${condition}
    order by item.target_id, item.position limit ${MOST_STEPS}`.execute(db);

/** Accounts that the keys open, or accounts that can read their private halves. */
export async function accountsOfKeys(
  db: Db,
  actor: Actor,
  relation: "opens" | "held",
  fingerprints: readonly string[],
): Promise<KeyStep[]> {
  const condition = sql`item.relation = ${relation} and item.fingerprint = any(${[...fingerprints]}::text[])`;
  return (await keySteps(db, actor, sql`discovered_keys item`, condition)).rows;
}

/** Keys that open the accounts, or whose private halves they can read. */
export async function keysOfAccounts(
  db: Db,
  actor: Actor,
  relation: "opens" | "held",
  accounts: readonly AccountPlace[],
): Promise<KeyStep[]> {
  const own = await keySteps(
    db,
    actor,
    sql`${places(accounts)} join discovered_keys item using (target_id, identity)`,
    sql`item.relation = ${relation}`,
  );
  if (relation === "opens") return own.rows;
  const ofEveryone = await keySteps(
    db,
    actor,
    sql`discovered_keys item`,
    sql`item.relation = 'held' and item.identity is null
      and item.target_id = any(${[...new Set(accounts.map(({ target_id }) => target_id))]}::uuid[])`,
  );
  return [...own.rows, ...ofEveryone.rows];
}

/** All private keys on the systems. */
export async function keysOnSystems(db: Db, actor: Actor, targets: readonly string[]): Promise<KeyStep[]> {
  const condition = sql`item.relation = 'held' and item.target_id = any(${[...targets]}::uuid[])`;
  return (await keySteps(db, actor, sql`discovered_keys item`, condition)).rows;
}

const privilegeSteps = (db: Db, actor: Actor, from: RawBuilder<unknown>, condition: RawBuilder<unknown>) =>
  sql<PrivilegeStep>`
    ${seen(actor)}
    select item.target_id, item.identity, item.kind, item.becomes, item.path, item.detail, item.needs_password,
      item.is_full
    from ${from} join seen on seen.id = item.target_id
    where ${condition} order by item.target_id, item.identity, item.position limit ${MOST_STEPS}`.execute(db);

/** The privileges of the accounts with which they control their system or become other accounts. */
export async function privilegesOfAccounts(
  db: Db,
  actor: Actor,
  accounts: readonly AccountPlace[],
): Promise<PrivilegeStep[]> {
  const from = sql`${places(accounts)} join discovered_privileges item using (target_id, identity)`;
  return (await privilegeSteps(db, actor, from, sql`(item.is_full or item.kind = 'sudo-as')`)).rows;
}

/** The privileges with which other accounts become these. */
export async function privilegesToAccounts(
  db: Db,
  actor: Actor,
  accounts: readonly AccountPlace[],
): Promise<PrivilegeStep[]> {
  const from = sql`${places(accounts)} join discovered_privileges item
    on item.target_id = place.target_id and item.becomes = place.identity`;
  return (await privilegeSteps(db, actor, from, sql`item.kind = 'sudo-as'`)).rows;
}

/** The privileges with which accounts control these systems. */
export async function controllersOf(db: Db, actor: Actor, targets: readonly string[]): Promise<PrivilegeStep[]> {
  const condition = sql`item.is_full and item.target_id = any(${[...targets]}::uuid[])`;
  return (await privilegeSteps(db, actor, sql`discovered_privileges item`, condition)).rows;
}

export interface SystemNames {
  id: string;
  hostname: string;
  accounts: number;
}

export async function readSystems(db: Db, actor: Actor, targets: readonly string[]): Promise<SystemNames[]> {
  const { rows } = await sql<SystemNames>`
    ${seen(actor)}
    select target.id, target.hostname, (select count(*) from discovered_accounts found
      where found.target_id = target.id and found.missing_since is null)::integer as accounts
    from discovery_targets target join seen on seen.id = target.id
    where target.id = any(${[...targets]}::uuid[])`.execute(db);
  return rows;
}

export async function accountIds(
  db: Db,
  actor: Actor,
  accounts: readonly AccountPlace[],
): Promise<{ id: string; target_id: string; identity: string; account_name: string }[]> {
  const { rows } = await sql<{ id: string; target_id: string; identity: string; account_name: string }>`
    ${seen(actor)}
    select found.id, found.target_id, found.identity, found.account_name
    from ${places(accounts)} join discovered_accounts found using (target_id, identity)
    join seen on seen.id = found.target_id`.execute(db);
  return rows;
}

/** Comments of keys, for labels. */
export async function keyComments(db: Db, actor: Actor, fingerprints: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ fingerprint: string; comment: string }>`
    ${seen(actor)}
    select item.fingerprint, min(item.comment) as comment
    from discovered_keys item join seen on seen.id = item.target_id
    where item.fingerprint = any(${[...fingerprints]}::text[]) and item.comment is not null
    group by item.fingerprint`.execute(db);
  return new Map(rows.map(({ fingerprint, comment }) => [fingerprint, comment]));
}
