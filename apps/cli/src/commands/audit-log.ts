// `audit checkpoint` and `audit key`: print what an auditor keeps elsewhere to verify the audit trail.
import { openTrail } from "@strongroom/server/features/audit/index.ts";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { print, printJson } from "../output.ts";
import { withKeys } from "../root-key.ts";
import { withContext } from "../command-context.ts";

export const auditCheckpoint = command({
  options: { json: { type: "boolean" } },
  operands: [0, 0],
  async run({ json }) {
    await withContext(async (context) => {
      const shown = await withKeys(context, (keys) => openTrail({ ...context, keys }).checkpoint());
      if (json) return printJson(shown);
      if (shown.checkpoint === null) throw new CommandError("No checkpoint yet. The server signs one while it runs.");
      // Byte for byte as signed; its signature has just been verified.
      process.stdout.write(shown.checkpoint);
    });
  },
});

export const auditKey = command({
  options: {},
  operands: [0, 0],
  async run() {
    await withContext(async (context) => {
      print(await withKeys(context, (keys) => openTrail({ ...context, keys }).verifierKey()));
    });
  },
});
