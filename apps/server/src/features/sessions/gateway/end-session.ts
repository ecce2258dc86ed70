// Records the end of a session, and ends those whose gateway has gone.
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { detailsOf, publishChange, targetOf } from "../session-context.ts";
import type { SessionContext } from "../session-context.ts";
import { markEnded } from "../sessions.store.ts";
import type { SessionCounts, SessionEnd } from "../sessions.store.ts";
import { closeAbandonedRecordings } from "../recordings/close-abandoned.ts";
import { deleteUnopened, findOrphans } from "./gateways.store.ts";

/** Ends that something other than the user or the clock caused. */
const UNEXPECTED = new Set(["recorder-failed", "database-lost", "gateway-lost", "failed"]);

/** Records the end with its audit entry; returns false when the session had ended before. */
export async function endSession(
  context: SessionContext,
  id: string,
  end: SessionEnd,
  counts: SessionCounts | null = null,
): Promise<boolean> {
  return context.kernel.database.transaction((tx) => recordEnd(context, tx, id, end, counts));
}

async function recordEnd(
  context: SessionContext,
  tx: Tx,
  id: string,
  end: SessionEnd,
  counts: SessionCounts | null,
): Promise<boolean> {
  const row = await markEnded(tx, id, end, counts);
  if (row === null) return false;
  const note = {
    target: targetOf(row),
    result: UNEXPECTED.has(end.reason) ? ("warning" as const) : ("success" as const),
    details: {
      ...detailsOf(row),
      how: end.reason,
      ...(end.detail === null ? {} : { message: end.detail }),
      input_bytes: row.input_bytes,
      output_bytes: row.output_bytes,
    },
  };
  await appendAudit(tx, [systemEntry("privileged-session.ended", "sessions", note, context.kernel.clock.now())]);
  await publishChange(context, tx, row, "completed");
  return true;
}

const AT_ONCE = 100;

/** Ends the sessions and recordings of gateways without a heartbeat, and deletes sessions that were never opened. */
export async function endOrphans(context: SessionContext): Promise<void> {
  const { database } = context.kernel;
  for (const id of await findOrphans(database.db, AT_ONCE)) {
    await endSession(context, id, {
      reason: "gateway-lost",
      detail: "The gateway stopped before it ended the session.",
    });
  }
  await closeAbandonedRecordings(context.kernel, AT_ONCE);
  await deleteUnopened(database.db);
}
