// The alarm for a dependent that was changed in the database: it is recorded once, reported by the health check and sent
// to administrators.
import { sql } from "kysely";
import type { Notify } from "#features/notifications/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Kernel, ProcessKernel } from "#kernel/kernel.ts";

const MISMATCH = "account.dependent-mismatch";
const TELL_JOB = "rotation.tell-dependent-mismatch";

/** The message of a dependent that was changed in the database. */
export const CHANGED =
  "This dependent was changed in the database, so it is not used. Contact an administrator, then remove it and add it again.";

interface Found {
  id: string;
  dependent: string;
  account_id: string;
  account_name: string;
}

/**
 * Records the alarm unless it is already recorded, and stops updates. Uses its own transaction, because the caller's
 * transaction may be rolled back, and does not make the caller wait for a second connection.
 */
export function raiseMismatch(kernel: ProcessKernel, id: string): void {
  recordMismatch(kernel, id).catch((error: unknown) => {
    kernel.log.error({ err: error, dependent: id }, "could not record a changed dependent");
  });
}

async function recordMismatch({ database, clock, jobs, log }: ProcessKernel, id: string): Promise<void> {
  const isNew = await database.transaction(async (tx) => {
    const at = clock.now();
    const { rows } = await sql<Found>`
      with found as (
        insert into dependent_mismatches (dependent_id, found_at)
        select id, ${at} from account_dependents where id = ${id}
        on conflict do nothing returning dependent_id
      ), stopped as (
        update account_dependents set state = 'attention', message = ${CHANGED}, next_at = null
        from found where account_dependents.id = found.dependent_id
      )
      select dependent.id, dependent.name as dependent, account.id as account_id, account.name as account_name
      from found
      join account_dependents dependent on dependent.id = found.dependent_id
      join credentials account on account.id = dependent.account_id`.execute(tx);
    const [found] = rows;
    if (found === undefined) return false;
    const target = { type: "account", id: found.account_id, name: found.account_name };
    const details = { dependent: id, name: found.dependent };
    const note = { target, result: "failure", severity: "critical", details } as const;
    await appendAudit(tx, [systemEntry(MISMATCH, "rotation", note, at)]);
    await jobs.enqueue(tx, TELL_JOB, found);
    return true;
  });
  if (isNew) log.error({ dependent: id }, "a dependent of an account was changed in the database");
}

export function defineAlarm({ jobs, database }: Kernel, notify: Notify): void {
  jobs.define<Found>(TELL_JOB, {}, async ({ data: { id, dependent, account_id, account_name } }) => {
    await database.transaction((tx) =>
      notify(tx, {
        to: { users: [], roles: ["admin"] },
        type: "security_alert",
        title: "A dependent was changed in the database",
        message: `"${dependent}" of "${account_name}" does not match its authenticated record. It is not used until it is removed and added again. Find out who can write to the database, and check the audit trail.`,
        severity: "critical",
        actionRequired: true,
        metadata: { account_id, dependent_id: id },
        link: `/accounts/${account_id}`,
        dedupeKey: id,
      }),
    );
  });
}

export function dependentHealth({ database }: Kernel): { name: string; problem: () => Promise<string | null> } {
  return {
    name: "dependents",
    problem: async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from dependent_mismatches`.execute(database.db);
      const { count } = rows[0]!;
      if (count === 0) return null;
      const what = count === 1 ? "A dependent of an account was" : `${count} dependents of accounts were`;
      return `${what} changed in the database. Search the audit trail for ${MISMATCH}, remove them and add them again.`;
    },
  };
}
