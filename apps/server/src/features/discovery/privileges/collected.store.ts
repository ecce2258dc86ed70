// Stores why accounts are privileged, the keys that open them, and facts of their systems.
import type { PrivilegeKind } from "@strongroom/connectors";
import { sql } from "kysely";
import type { ColumnType } from "kysely";
import type { Tx } from "#kernel/db/database.ts";
import type { JsonColumn } from "#kernel/db/tables.ts";
import { storableJson } from "../storable-json.ts";

export interface PrivilegeRow {
  target_id: string;
  identity: string;
  position: number;
  kind: PrivilegeKind;
  becomes: string | null;
  path: JsonColumn<string[]>;
  detail: JsonColumn<string[]>;
  needs_password: boolean | null;
  is_full: boolean;
}

export interface KeyRow {
  target_id: string;
  position: number;
  relation: "opens" | "held";
  identity: string | null;
  fingerprint: string | null;
  key_type: string | null;
  place: string;
  comment: string | null;
  options: JsonColumn<string[]>;
  is_encrypted: boolean | null;
  read_by: string | null;
}

export interface SystemRow {
  target_id: string;
  facts: JsonColumn<Record<string, unknown>>;
  seen_at: ColumnType<Date>;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    discovered_privileges: PrivilegeRow;
    discovered_keys: KeyRow;
    discovered_systems: SystemRow;
  }
}

type Plain<Row> = Omit<Row, "target_id" | "path" | "detail" | "options">;

export type NewPrivilege = Plain<PrivilegeRow> & { path: readonly string[]; detail: readonly string[] };
export type NewKey = Plain<KeyRow> & { options: readonly string[] };

/** Replaces the privileges of the target, and the strongest one that each stored account shows. */
export async function savePrivileges(tx: Tx, targetId: string, rows: readonly NewPrivilege[]): Promise<void> {
  await tx.deleteFrom("discovered_privileges").where("target_id", "=", targetId).execute();
  await addPrivileges(tx, targetId, rows);
}

/** Keeps those that are already stored. */
export async function addPrivileges(tx: Tx, targetId: string, rows: readonly NewPrivilege[]): Promise<void> {
  await sql`
    insert into discovered_privileges (
      target_id, identity, position, kind, becomes, path, detail, needs_password, is_full)
    select ${targetId}::uuid, row.identity, row.position, row.kind, row.becomes, row.path, row.detail,
      row.needs_password, row.is_full
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as row (
      identity text, position smallint, kind text, becomes text, path jsonb, detail jsonb,
      needs_password boolean, is_full boolean)
    on conflict do nothing`.execute(tx);
  await sql`
    update discovered_accounts account set privilege = now.kind
    from discovered_accounts old
    left join discovered_privileges now
      on now.target_id = old.target_id and now.identity = old.identity and now.position = 0
    where old.id = account.id and old.target_id = ${targetId} and old.missing_since is null
      and old.privilege is distinct from now.kind`.execute(tx);
}

export async function saveKeys(tx: Tx, targetId: string, rows: readonly NewKey[]): Promise<void> {
  await tx.deleteFrom("discovered_keys").where("target_id", "=", targetId).execute();
  await sql`
    insert into discovered_keys (
      target_id, position, relation, identity, fingerprint, key_type, place, comment, options, is_encrypted, read_by)
    select ${targetId}::uuid, row.position, row.relation, row.identity, row.fingerprint, row.key_type, row.place,
      row.comment, row.options, row.is_encrypted, row.read_by
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as row (
      position integer, relation text, identity text, fingerprint text, key_type text, place text, comment text,
      options jsonb, is_encrypted boolean, read_by text)`.execute(tx);
}

export async function saveSystem(tx: Tx, targetId: string, facts: object, at: Date): Promise<void> {
  await sql`
    insert into discovered_systems (target_id, facts, seen_at) values (${targetId}, ${storableJson(facts)}::jsonb, ${at})
    on conflict (target_id) do update set facts = excluded.facts, seen_at = excluded.seen_at`.execute(tx);
}
