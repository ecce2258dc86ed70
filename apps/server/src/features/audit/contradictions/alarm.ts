// Raises the alarm about changed or removed entries, in the log and in the trail itself.
import type { Finding } from "@strongroom/auditlog";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Clock } from "#kernel/clock.ts";
import type { Database } from "#kernel/db/database.ts";
import type { Log } from "#kernel/log.ts";

export const TAMPERING_FOUND = "audit.tampering-found";

/** The entry lists only the first findings; the log has their number. */
const MOST_IN_ENTRY = 20;

export type RaiseAlarm = (findings: readonly Finding[]) => Promise<void>;

export function createAlarm(parts: { database: Database; clock: Clock; log: Log }): RaiseAlarm {
  const { database, clock, log } = parts;
  return async (findings) => {
    const [first] = findings;
    if (first === undefined) return;
    log.error(
      { count: findings.length, findings: findings.slice(0, MOST_IN_ENTRY) },
      `the audit trail was tampered with: ${first.message}`,
    );
    const details = {
      count: findings.length,
      findings: findings.slice(0, MOST_IN_ENTRY).map(({ kind, index, message }) => ({ kind, index, message })),
    };
    const note = { result: "failure", reason: first.message, details } as const;
    await database.transaction((tx) => appendAudit(tx, [systemEntry(TAMPERING_FOUND, "audit", note, clock.now())]));
  };
}
