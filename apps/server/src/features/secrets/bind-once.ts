// Computes the MACs of rows that an earlier version stored: once per database, with an audit entry.
import { sql } from "kysely";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";

interface FirstBinding {
  /** The audit event of the binding. It is recorded once per database, so that MACs that were cleared later are never recomputed. */
  event: string;
  /** The part of the system that records the event. */
  part: string;
  /** The name of the bound rows in the log and in the audit entry. */
  rows: "secrets" | "dependents";
  /** The table and the column of the MACs. */
  macs: { table: string; column: string };
  /** Computes all MACs and returns their number. */
  bindAll(tx: Tx): Promise<number>;
}

/**
 * INVARIANT: it never computes MACs a second time: an attacker who clears MACs, or changes a row and clears its MAC, must
 * not get new ones.
 */
export async function bindOnce({ database, clock, log }: ProcessKernel, binding: FirstBinding): Promise<void> {
  const { event, part, rows, macs, bindAll } = binding;
  if (await wasBound(database.db, event)) return;
  await database.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${`strongroom.${event}`}))`.execute(tx);
    if (await wasBound(tx, event)) return;
    // If rows are bound but the audit entry is missing, the entry was deleted.
    const isFirst = !(await hasMacs(tx, macs));
    const count = isFirst ? await bindAll(tx) : 0;
    const note = isFirst
      ? ({ result: "info", details: { [rows]: count } } as const)
      : ({
          result: "failure",
          severity: "critical",
          reason: "The audit entry of the first binding is missing.",
        } as const);
    await appendAudit(tx, [systemEntry(event, part, note, clock.now())]);
    if (isFirst) log.info({ count }, `computed the MACs of all stored ${rows}`);
    else log.error(`the audit entry of the first binding of ${rows} is missing: they are not bound again`);
  });
}

async function hasMacs(tx: Tx, { table, column }: FirstBinding["macs"]): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} where ${sql.ref(column)} is not null limit 1`.execute(tx);
  return rows.length > 0;
}

/**
 * Whether the event was recorded in this database before. Also searches the canonical text of all entries, in case the
 * event column was changed.
 */
async function wasBound(db: Db, event: string): Promise<boolean> {
  const { rows } = await sql<{ is_known: boolean }>`
    select exists (select from audit_entries where event = ${event}) as is_known`.execute(db);
  if (rows[0]!.is_known) return true;
  const text = Buffer.from(`"event":"${event}"`);
  const { rows: read } = await sql<{ is_known: boolean }>`
    select exists (select from audit_entries where position(${text}::bytea in canonical) > 0) as is_known`.execute(db);
  return read[0]!.is_known;
}
