// `user reset-factors`: removes a user's second factors, for the last administrator who lost theirs.
import { resetFactorsOf } from "@strongroom/server/features/factors/index.ts";
import { revokeAllOf } from "@strongroom/server/features/tokens/index.ts";
import { command } from "../command.ts";
import { print } from "../output.ts";
import { withContext } from "../command-context.ts";

export const userResetFactors = command({
  options: {},
  operands: [1, 1],
  async run(_values, email = "") {
    const count = await withContext((context) => resetFactorsOf(context, email, revokeAllOf));
    print(
      `${count === 1 ? "1 second factor" : `${count} second factors`} of ${email} removed, and all sessions ended.`,
    );
  },
});
