// The accounts that somebody may ask for, with what their platforms demand.
import { containing } from "#kernel/db/containing.ts";
import type { ConnectionMethod, SystemType } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { bitOf, standingsOf } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Who } from "./shown-requests.store.ts";

export interface AskedAccount {
  account_id: string;
  name: string;
  hostname_ip: string;
  username: string;
  safe_id: string;
  safe_name: string;
  system_type: SystemType;
  connection_method: ConnectionMethod;
  /** Of whoever asks, in the safe. */
  permissions: Permissions;
  approvals_level_1: number;
  approvals_level_2: number;
  approve_extensions: boolean;
  reason_required: boolean;
  ticket_required: boolean;
  default_duration_minutes: number;
  max_duration_minutes: number;
  may_break_glass: boolean;
}

/** INVARIANT: only what can be lent: the account and its safe are active. */
const lendable = (viewer: Who, condition: RawBuilder<unknown>): RawBuilder<AskedAccount> => sql<AskedAccount>`
  select credentials.id as account_id, credentials.name, coalesce(credentials.host, '') as hostname_ip,
    coalesce(credentials.username, '') as username, credentials.safe_id, safes.name as safe_name, accounts.system_type,
    accounts.connection_method, coalesce(standing.permissions, 0) as permissions, platforms.approvals_level_1, platforms.approvals_level_2,
    platforms.approve_extensions, platforms.reason_required, platforms.ticket_required,
    platforms.default_duration_minutes, platforms.max_duration_minutes,
    exists (
      select from group_members mine join groups on groups.id = mine.group_id
      where mine.user_id = ${viewer.id} and groups.may_break_glass
    ) as may_break_glass
  from credentials
  join safes on safes.id = credentials.safe_id and safes.status = 'active'
  left join ${standingsOf(viewer)} standing on standing.safe_id = credentials.safe_id
  join accounts on accounts.id = credentials.id and accounts.status = 'active'
  join platforms on platforms.id = accounts.platform_id
  where credentials.deleted_at is null and ${condition}`;

const seen = sql`standing.permissions & ${sql.lit(bitOf("list"))} <> 0`;

/** Null when this person sees no such account. */
export async function readAsked(db: Db, viewer: Who, accountId: string): Promise<AskedAccount | null> {
  return (await lendable(viewer, sql`credentials.id = ${accountId} and ${seen}`).execute(db)).rows[0] ?? null;
}

/** Also when they see nothing of it: it may be lent to somebody from outside. */
export async function readLent(db: Db, viewer: Who, accountId: string): Promise<AskedAccount | null> {
  return (await lendable(viewer, sql`credentials.id = ${accountId}`).execute(db)).rows[0] ?? null;
}

/** By name, 20 at most. */
export async function findAsked(db: Db, viewer: Who, search: string | null): Promise<AskedAccount[]> {
  const pattern = containing(search ?? "");
  const found = sql`(credentials.name ilike ${pattern} or credentials.host ilike ${pattern}
    or credentials.username ilike ${pattern} or safes.name ilike ${pattern})`;
  const query = lendable(viewer, search === null ? seen : sql`${seen} and ${found}`);
  return (await sql<AskedAccount>`${query} order by lower(credentials.name), credentials.id limit 20`.execute(db)).rows;
}
