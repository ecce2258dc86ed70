// Reads and writes machine identities: their user rows, their own columns, and the users or groups responsible for
// them.
import type { Role, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { everyWord } from "#kernel/db/containing.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NamePlace, NamedRow } from "#kernel/http/cursor.ts";

interface MachinesTable {
  user_id: UserId;
  description: string | null;
  responsible_user_id: string | null;
  responsible_group_id: string | null;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    token_machines: MachinesTable;
  }
}

export interface MachineRow extends MachinesTable, NamedRow {
  name: string;
  email: string;
  role: Role;
  status: "active" | "disabled";
  created_at: Date;
  responsible_name: string | null;
  active_tokens: number;
  last_used_at: Date | null;
}

const shown = (condition: RawBuilder<unknown>, now: Date): RawBuilder<MachineRow> => sql<MachineRow>`
  select person.id, person.name, lower(person.name) as sort, person.email, person.role, person.status, person.created_at,
    machine.user_id, machine.description, machine.responsible_user_id, machine.responsible_group_id,
    coalesce(answering.name, groups.name) as responsible_name,
    (select count(*)::integer from tokens
     where tokens.user_id = person.id and revoked_at is null and expires_at > ${now}) as active_tokens,
    (select max(last_used_at) from tokens where tokens.user_id = person.id) as last_used_at
  from token_machines machine
  join users person on person.id = machine.user_id and person.status <> 'deleted'
  left join users answering on answering.id = machine.responsible_user_id
  left join groups on groups.id = machine.responsible_group_id
  where ${condition}`;

export interface MachineQuery {
  search: string;
  limit: number;
  after: NamePlace | null;
}

/** Sorted by name; returns one row more than `limit` when there is a next page. */
export async function listMachines(db: Db, { search, limit, after }: MachineQuery, now: Date): Promise<MachineRow[]> {
  const found = everyWord(
    search,
    (pattern) => sql`(person.name ilike ${pattern} or machine.description ilike ${pattern})`,
  );
  const place = after === null ? sql`true` : sql`(lower(person.name), person.id) > (${after.name}, ${after.id}::uuid)`;
  const page = sql<MachineRow>`${shown(sql`${found} and ${place}`, now)} order by sort, id limit ${limit + 1}`;
  return (await page.execute(db)).rows;
}

export async function readMachine(db: Db, id: string, now: Date): Promise<MachineRow | undefined> {
  return (await shown(sql`person.id = ${id}`, now).execute(db)).rows[0];
}

/** The machine identities among these ids. */
export const readMachines = async (db: Db, ids: readonly string[], now: Date): Promise<MachineRow[]> =>
  (await shown(sql`person.id = any(${[...ids]}::uuid[])`, now).execute(db)).rows;

export interface NewMachine {
  id: UserId;
  email: string;
  name: string;
  role: Role;
  at: Date;
}

/** Returns false and changes nothing when a machine identity with that name already has the address. */
export async function insertMachine(tx: Tx, { id, email, name, role, at }: NewMachine): Promise<boolean> {
  const { rows } = await sql`
    insert into users (id, email, name, role, kind, status, password_hash, created_at)
    values (${id}, ${email}, ${name}, ${role}, 'machine', 'active', '', ${at})
    on conflict (email) do nothing returning id`.execute(tx);
  return rows.length === 1;
}

/** Returns false and changes nothing when another machine identity has the name. */
export async function renameMachine(tx: Tx, id: string, name: string, email: string): Promise<boolean> {
  const { rows } = await sql`
    update users set name = ${name}, email = ${email} where id = ${id} and kind = 'machine'
      and not exists (select from users other where other.email = ${email} and other.id <> ${id}) returning id`.execute(
    tx,
  );
  return rows.length === 1;
}

export async function writeMachine(tx: Tx, row: MachinesTable): Promise<void> {
  const insert = tx.insertInto("token_machines").values(row);
  await insert.onConflict((conflict) => conflict.column("user_id").doUpdateSet(row)).execute();
}

/** The name of the group, which is locked until the transaction ends; undefined when it does not exist. */
export async function lockGroupShared(tx: Tx, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from groups where id = ${id} for key share`.execute(tx);
  return rows[0]?.name;
}

/** When a user is deleted, responsibility passes to the user who deletes them. */
export async function transferMachines(tx: Tx, from: string, to: string): Promise<void> {
  await sql`update token_machines set responsible_user_id = ${to} where responsible_user_id = ${from}`.execute(tx);
}

export async function deleteMachineRow(tx: Tx, id: string): Promise<void> {
  await sql`delete from token_machines where user_id = ${id}`.execute(tx);
}
