// Records a command's actions in the audit trail.
import { appendAudit } from "@strongroom/server/kernel/audit/append.ts";
import { systemEntry } from "@strongroom/server/kernel/audit/entry.ts";
import type { AuditNote } from "@strongroom/server/kernel/audit/entry.ts";
import type { Database } from "@strongroom/server/kernel/db/database.ts";

export const COMMAND_LINE = "command line";

/** The entry is durable when this returns: data leaves only after that. */
export async function record(database: Database, event: string, note: AuditNote = {}): Promise<void> {
  await database.transaction((tx) => appendAudit(tx, [systemEntry(event, COMMAND_LINE, note, new Date())]));
}
