// `restored`: marks a database that was restored by other means (pg_restore, a snapshot), so that servers treat it as restored.
import { markRestored } from "@strongroom/server/kernel/embedded/restore-mark.ts";
import { command } from "../command.ts";
import { note, print } from "../output.ts";
import { record } from "../record.ts";
import { withContext } from "../command-context.ts";

export const restored = command({
  options: {},
  operands: [0, 0],
  async run() {
    await withContext(async ({ database }) => {
      await record(database, "restore.marked", { result: "info" });
      await markRestored(database.pool, { found_by: "command", backup_made_at: null, is_authenticated: null });
      print("Marked the database as restored.");
      note(
        "Running servers end all sessions, links and grants and suspend API tokens within 10 seconds, other servers when they start.",
      );
      note("An administrator then reviews the restore in the Admin Console.");
    });
  },
});
