// `audit checkpoint`: the newest signed checkpoint, to be kept where nobody of this Strongroom can change it.
import { openTrail } from "@strongroom/server/features/audit/index.ts";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { sayJson } from "../output.ts";
import { withKeys } from "../root-key.ts";
import { atWork } from "../workplace.ts";

export const auditCheckpoint = command({
  options: { json: { type: "boolean" } },
  operands: [0, 0],
  async run({ json }) {
    await atWork(async (workplace) => {
      const shown = await withKeys(workplace, (keys) => openTrail({ ...workplace, keys }).checkpoint());
      if (json) return sayJson(shown);
      if (shown.checkpoint === null)
        throw new CommandError("Nothing is signed yet: the server does that while it runs.");
      // As it was signed, to the byte; its signature was checked just now.
      process.stdout.write(shown.checkpoint);
    });
  },
});
