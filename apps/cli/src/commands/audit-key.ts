// `audit key`: the public key that an auditor is given, by which they verify everything else.
import { openTrail } from "@strongroom/server/features/audit/index.ts";
import { command } from "../command.ts";
import { say } from "../output.ts";
import { withKeys } from "../root-key.ts";
import { atWork } from "../workplace.ts";

export const auditKey = command({
  options: {},
  operands: [0, 0],
  async run() {
    await atWork(async (workplace) => {
      say(await withKeys(workplace, (keys) => openTrail({ ...workplace, keys }).verifierKey()));
    });
  },
});
