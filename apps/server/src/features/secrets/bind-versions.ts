// Binds the active versions of an older database once, with an audit entry, and checks all active versions every hour.
import { sql } from "kysely";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel, ProcessKernel } from "#kernel/kernel.ts";
import { activeError, bindActive, versionsAreBound } from "./active-version.ts";
import type { Binding, Claim } from "./active-version.ts";
import { bindOnce } from "./bind-once.ts";
import { keyOfOwner } from "./owner-keys.ts";

const AT_ONCE = 1000;
const CHECK_JOB = "credentials.check-active-versions";

/** Call this after every unsealing, before anything uses a secret. */
export async function bindExisting(kernel: ProcessKernel): Promise<void> {
  if (kernel.keys.isSealed) return;
  await bindOnce(kernel, {
    event: "credential.versions-bound",
    part: "credentials",
    rows: "secrets",
    macs: { table: "credentials", column: "active_mac" },
    bindAll: (tx) => bindAll(kernel, tx),
  });
  versionsAreBound(kernel.keys);
}

async function bindAll({ keys }: Pick<Kernel, "keys">, tx: Tx): Promise<number> {
  for (let count = 0; ;) {
    const { rows } = await sql<Claim>`
      select id, user_id, safe_id, secret_version, active_count, active_mac from credentials
      where active_mac is null and deleted_at is null order by id limit ${AT_ONCE} for no key update`.execute(tx);
    const bindings: (Binding & { id: string })[] = [];
    for (const row of rows) {
      const kek = await keys.kekFor(keyOfOwner(row));
      bindings.push({ id: row.id, ...bindActive(kek, row.id, row.secret_version, row) });
    }
    await storeBindings(tx, bindings);
    count += rows.length;
    if (rows.length < AT_ONCE) return count;
  }
}

/** The rows must be locked. Does not change which version is active. */
export async function storeBindings(tx: Tx, bindings: readonly (Binding & { id: string })[]): Promise<void> {
  const column = <T>(pick: (binding: Binding & { id: string }) => T): T[] => bindings.map(pick);
  await sql`
    update credentials set active_count = bound.count, active_mac = bound.mac
    from unnest(${column((each) => each.id)}::uuid[], ${column((each) => each.active_count)}::integer[],
      ${column((each) => each.active_mac)}::bytea[]) as bound (id, count, mac)
    where credentials.id = bound.id`.execute(tx);
}

/** Detects changes to secrets that are not in use. */
export function defineCheck(kernel: Kernel): void {
  kernel.jobs.define(CHECK_JOB, { schedule: "23 * * * *", policy: "exclusive" }, ({ signal }) =>
    checkAll(kernel, signal),
  );
}

export async function checkAll(kernel: Kernel, signal: AbortSignal): Promise<void> {
  let after: string | null = "00000000-0000-0000-0000-000000000000";
  while (after !== null && !signal.aborted && !kernel.keys.isSealed) after = await checkPage(kernel, after);
}

/** Returns the id after which the next page starts. Skips locked rows: each change is checked separately. */
function checkPage(kernel: Kernel, after: string): Promise<string | null> {
  return kernel.database.transaction(async (tx) => {
    const { rows } = await sql<Claim>`
      select id, user_id, safe_id, secret_version, active_count, active_mac from credentials
      where id > ${after} and deleted_at is null order by id limit ${AT_ONCE} for share skip locked`.execute(tx);
    for (const row of rows) await activeError(kernel, row);
    return rows.at(-1)?.id ?? null;
  });
}
