// `user disable` and `user enable`: whether somebody may sign in. Disabling ends their sessions and their API tokens at once.
import { setUserStatus } from "@strongroom/server/features/sign-in/index.ts";
import { revokeAsDisabled } from "@strongroom/server/features/tokens/index.ts";
import { command } from "../command.ts";
import { say } from "../output.ts";
import { atWork } from "../workplace.ts";

const statusCommand = (status: "active" | "disabled", done: (email: string) => string) =>
  command({
    options: {},
    operands: [1, 1],
    async run(_values, email = "") {
      await atWork((workplace) => setUserStatus(workplace, email, status, revokeAsDisabled));
      say(done(email));
    },
  });

export const userDisable = statusCommand("disabled", (email) => `${email} is disabled and signed out everywhere.`);
export const userEnable = statusCommand("active", (email) => `${email} may sign in again.`);
