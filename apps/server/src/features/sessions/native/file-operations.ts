// Audits what users did with files in sessions.
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { detailsOf, targetOf } from "../session-context.ts";
import { readSession } from "../sessions.store.ts";

/** An operation on the target, as the gateway's log of the file transfer describes it. */
interface FileOperation {
  action: string;
  path: string;
  to?: string;
  bytes?: number;
  failure?: number;
}

export async function recordFileOperations(
  { database, clock }: Pick<ProcessKernel, "database" | "clock">,
  sessionId: string,
  operations: readonly FileOperation[],
): Promise<void> {
  await database.transaction(async (tx) => {
    const session = await readSession(tx, sessionId);
    if (session === null) return;
    const details = { ...detailsOf(session), operations: operations.map((operation) => ({ ...operation })) };
    const note = { target: targetOf(session), result: "info" as const, details };
    await appendAudit(tx, [systemEntry("privileged-session.files-used", "sessions", note, clock.now())]);
  });
}
