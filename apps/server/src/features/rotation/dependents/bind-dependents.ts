// Binds the dependents of an older database once, with an audit entry, and checks all dependents every hour.
import { sql } from "kysely";
import { bindOnce } from "#features/secrets/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel, ProcessKernel } from "#kernel/kernel.ts";
import { DEPENDENT_KEYS, canCheck, checkDependent, dependentsAreBound, macOrNull } from "./dependent-mac.ts";
import { listAfter } from "./dependents.store.ts";

const FIRST = "00000000-0000-0000-0000-000000000000";

/** Call this after every unsealing, before anything uses a dependent. */
export async function bindExisting(kernel: ProcessKernel): Promise<void> {
  if (kernel.keys.isSealed) return;
  await bindOnce(kernel, {
    event: "account.dependents-bound",
    part: "rotation",
    rows: "dependents",
    macs: { table: "account_dependents", column: "mac" },
    bindAll: (tx) => bindAll(kernel, tx),
  });
  dependentsAreBound(kernel.keys);
}

async function bindAll({ keys }: ProcessKernel, tx: Tx): Promise<number> {
  const kek = await keys.kekFor(DEPENDENT_KEYS);
  await sql`lock table account_dependents in share row exclusive mode`.execute(tx);
  let count = 0;
  for (let after = FIRST; ;) {
    const rows = await listAfter(tx, after);
    const macs = rows.map((row) => macOrNull(kek, row));
    await sql`
      update account_dependents set mac = bound.mac
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${macs}::bytea[]) as bound (id, mac)
      where account_dependents.id = bound.id`.execute(tx);
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined) return count;
    after = last.id;
  }
}

/** Detects changes to dependents that are not in use. */
export async function checkDependents(kernel: Kernel, signal: AbortSignal): Promise<void> {
  for (let after: string | undefined = FIRST; after !== undefined;) {
    const rows = await listAfter(kernel.database.db, after);
    for (const row of rows) {
      if (signal.aborted || !canCheck(kernel.keys)) return;
      await checkDependent(kernel, row);
    }
    after = rows.at(-1)?.id;
  }
}
