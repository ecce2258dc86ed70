// The sealed keys of the SSH user CA in the database.
import { SSH_CA_KEY_STATUSES } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";

type Status = (typeof SSH_CA_KEY_STATUSES)[number];

export interface CaKeyRow {
  id: string;
  sealed: Buffer;
  status: Status;
  created_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    ssh_ca_keys: CaKeyRow;
  }
}

/** The signing key first, then the newest. */
export async function readCaKeys(db: Db): Promise<CaKeyRow[]> {
  const rows = await db.selectFrom("ssh_ca_keys").selectAll().orderBy("created_at", "desc").orderBy("id").execute();
  const rank = (row: CaKeyRow) => SSH_CA_KEY_STATUSES.indexOf(row.status);
  return rows.toSorted((one, other) => rank(one) - rank(other));
}

/** Changes of the CA run one after another. */
export async function lockCaKeys(tx: Tx): Promise<CaKeyRow[]> {
  return await tx.selectFrom("ssh_ca_keys").selectAll().orderBy("id").forUpdate().execute();
}

export async function readActiveCaKey(db: Db): Promise<CaKeyRow | null> {
  return (await db.selectFrom("ssh_ca_keys").selectAll().where("status", "=", "active").executeTakeFirst()) ?? null;
}

export async function insertCaKey(tx: Tx, row: CaKeyRow): Promise<void> {
  await tx.insertInto("ssh_ca_keys").values(row).execute();
}

export async function setCaKeyStatus(tx: Tx, id: string, status: Status): Promise<void> {
  await tx.updateTable("ssh_ca_keys").set({ status }).where("id", "=", id).execute();
}

export async function deleteCaKeyRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("ssh_ca_keys").where("id", "=", id).execute();
}
