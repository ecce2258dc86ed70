// `audit contradictions` and `audit accept`: list contradictions in the audit trail, and accept them so that signing resumes.
import { openTrail } from "@strongroom/server/features/audit/index.ts";
import { appendAudit } from "@strongroom/server/kernel/audit/append.ts";
import { systemEntry } from "@strongroom/server/kernel/audit/entry.ts";
import { userInfo } from "node:os";
import { command } from "../command.ts";
import { UsageError } from "../command-error.ts";
import { count, note, print, printJson } from "../output.ts";
import { COMMAND_LINE } from "../record.ts";
import { withKeys } from "../root-key.ts";
import { withContext } from "../command-context.ts";

/** Exits with 0 when no contradiction is open, else with 1. */
export const auditContradictions = command({
  options: { json: { type: "boolean" } },
  operands: [0, 0],
  async run({ json }) {
    return withContext((context) =>
      withKeys(context, async (keys) => {
        const shown = await openTrail({ ...context, keys }).contradictions();
        if (json) printJson(shown);
        else if (shown.open.length === 0) print("No contradictions in the audit trail.");
        else {
          print(`${count(shown.open.length, "contradiction")}, oldest first:`);
          for (const { id, message, found_at, stops_signing } of shown.open) {
            print(`- ${message}`);
            print(`  found ${found_at}${stops_signing ? ", stops signing" : ""}; id ${id}`);
          }
          note("The evidence is in audit/contradictions in the data folder. Read it before you run audit accept.");
        }
        return shown.open.length === 0 ? 0 : 1;
      }),
    );
  },
});

/** The ids are required so that operators do not accept contradictions they have not read. */
export const auditAccept = command({
  options: { reason: { type: "string" } },
  operands: [1, 1000],
  async run({ reason }, ...ids) {
    const why = reason?.trim() ?? "";
    if (why === "") throw new UsageError("--reason is required. It is recorded in the audit trail.");
    await withContext((context) =>
      withKeys(context, async (keys) => {
        const trail = openTrail({ ...context, keys });
        const { checkpoint } = await trail.contradictions();
        const by = `${COMMAND_LINE}, as ${userInfo().username}`;
        const { accepted } = await context.database.transaction(async (tx) => {
          const decided = await trail.accept(tx, { ids, checkpoint, by, reason: why });
          const findings = decided.accepted
            .slice(0, 20)
            .map(({ source, kind, message }) => ({ source, kind, message }));
          const details = { count: decided.accepted.length, findings, base: decided.base };
          const said = { result: "warning", severity: "critical", reason: why, details } as const;
          await appendAudit(tx, [systemEntry("audit.contradiction-accepted", COMMAND_LINE, said, context.clock.now())]);
          return decided;
        });
        print(`Accepted ${count(accepted.length, "contradiction")}. Running servers continue within a second.`);
      }),
    );
  },
});
