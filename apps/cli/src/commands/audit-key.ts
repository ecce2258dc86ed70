// `audit key`: prints the public key with which an auditor verifies everything else.
import { openTrail } from "@strongroom/server/features/audit/index.ts";
import { command } from "../command.ts";
import { print } from "../output.ts";
import { withKeys } from "../root-key.ts";
import { withContext } from "../command-context.ts";

export const auditKey = command({
  options: {},
  operands: [0, 0],
  async run() {
    await withContext(async (context) => {
      print(await withKeys(context, (keys) => openTrail({ ...context, keys }).verifierKey()));
    });
  },
});
