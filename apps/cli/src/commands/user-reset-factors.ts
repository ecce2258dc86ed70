// `user reset-factors`: takes away somebody's second factors, for the last administrator who lost theirs.
import { resetFactorsOf } from "@strongroom/server/features/factors/index.ts";
import { revokeAllOf } from "@strongroom/server/features/tokens/index.ts";
import { command } from "../command.ts";
import { say } from "../output.ts";
import { atWork } from "../workplace.ts";

export const userResetFactors = command({
  options: {},
  operands: [1, 1],
  async run(_values, email = "") {
    const count = await atWork((workplace) => resetFactorsOf(workplace, email, revokeAllOf));
    say(`${count === 1 ? "1 second factor" : `${count} second factors`} of ${email} removed, and every session ended.`);
  },
});
