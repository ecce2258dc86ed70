// `policy open-networks`: lets people come from anywhere again, when the list of allowed networks keeps everybody out.
import { openNetworks } from "@strongroom/server/features/users/index.ts";
import { command } from "../command.ts";
import { say } from "../output.ts";
import { COMMAND_LINE } from "../record.ts";
import { atWork } from "../workplace.ts";

export const policyOpenNetworks = command({
  options: {},
  operands: [0, 0],
  async run() {
    const before = await atWork((workplace) => openNetworks(workplace, COMMAND_LINE));
    say(
      before.length === 0
        ? "People could come from anywhere already."
        : `People may come from anywhere again. It was: ${before.join(", ")}`,
    );
  },
});
