// `policy open-networks`: clears the list of allowed networks, when it locks everyone out.
import { openNetworks } from "@strongroom/server/features/users/index.ts";
import { command } from "../command.ts";
import { print } from "../output.ts";
import { COMMAND_LINE } from "../record.ts";
import { withContext } from "../command-context.ts";

export const policyOpenNetworks = command({
  options: {},
  operands: [0, 0],
  async run() {
    const before = await withContext((context) => openNetworks(context, COMMAND_LINE));
    print(
      before.length === 0
        ? "No networks were configured: sign-in is allowed from anywhere."
        : `Sign-in is allowed from anywhere again. Previously allowed networks: ${before.join(", ")}`,
    );
  },
});
