// The alarm for a secret whose active version is not authentic: it is recorded once, reported by the health check and
// sent to administrators.
import { sql } from "kysely";
import type { Notify } from "#features/notifications/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel, ProcessKernel } from "#kernel/kernel.ts";

const MISMATCH = "credential.version-mismatch";
const TELL_JOB = "credentials.tell-version-mismatch";

interface MismatchesTable {
  credential_id: string;
  found_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    active_version_mismatches: MismatchesTable;
  }
}

interface Found {
  id: string;
  name: string;
  user_id: string | null;
}

/**
 * Records the alarm unless it is already recorded. Uses its own transaction, because the caller's transaction may be
 * rolled back, and does not make the caller wait for a second connection.
 */
export function raiseMismatch(kernel: ProcessKernel, id: string): void {
  recordMismatch(kernel, id).catch((error: unknown) => {
    kernel.log.error({ err: error, credential: id }, "could not record a changed active version");
  });
}

async function recordMismatch({ database, clock, jobs, log }: ProcessKernel, id: string): Promise<void> {
  const isNew = await database.transaction(async (tx) => {
    const at = clock.now();
    const { rows } = await sql<Found>`
      with found as (
        insert into active_version_mismatches (credential_id, found_at) values (${id}, ${at})
        on conflict do nothing returning credential_id
      )
      select id, name, user_id from credentials join found on found.credential_id = credentials.id`.execute(tx);
    const [found] = rows;
    if (found === undefined) return false;
    const target = { type: found.user_id === null ? "account" : "credential", id, name: found.name };
    const note = { target, result: "failure", severity: "critical" } as const;
    await appendAudit(tx, [systemEntry(MISMATCH, "credentials", note, at)]);
    await jobs.enqueue(tx, TELL_JOB, found);
    return true;
  });
  if (isNew) log.error({ credential: id }, "the active version of a stored secret was changed in the database");
}

/** Clears the alarm once a new secret has been stored with a MAC. */
export async function forgetMismatch(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("active_version_mismatches").where("credential_id", "=", id).execute();
}

async function countMismatches(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from active_version_mismatches mismatch
    join credentials on credentials.id = mismatch.credential_id and credentials.deleted_at is null`.execute(db);
  return rows[0]!.count;
}

const WHAT_TO_DO =
  "It is not used until the correct value is stored again. Find out who can write to the database, and check the audit trail.";

export function defineAlarm({ jobs, database }: Kernel, notify: Notify): void {
  jobs.define<Found>(TELL_JOB, {}, async ({ data: { id, name, user_id } }) => {
    await database.transaction((tx) =>
      notify(tx, {
        to: { users: user_id === null ? [] : [user_id], roles: ["admin"] },
        type: "security_alert",
        title: "A stored secret was changed in the database",
        message: `The active version of "${name}" does not match its authenticated record. ${WHAT_TO_DO}`,
        severity: "critical",
        actionRequired: true,
        metadata: { credential_id: id },
        link: user_id === null ? `/accounts/${id}` : "/audit-logs",
        dedupeKey: id,
      }),
    );
  });
}

export function versionHealth({ database }: Kernel): { name: string; problem: () => Promise<string | null> } {
  return {
    name: "active versions",
    problem: async () => {
      const count = await countMismatches(database.db);
      if (count === 0) return null;
      const what =
        count === 1 ? "The active version of a stored secret was" : `Active versions of ${count} secrets were`;
      return `${what} changed in the database. Search the audit trail for ${MISMATCH} and store the correct values again.`;
    },
  };
}
