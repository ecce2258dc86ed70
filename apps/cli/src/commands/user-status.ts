// `user disable` and `user enable`: block or allow a user's sign-in. Disabling ends their sessions and API tokens at
// once.
import { setUserStatus } from "@strongroom/server/features/sign-in/index.ts";
import { revokeAsDisabled } from "@strongroom/server/features/tokens/index.ts";
import { command } from "../command.ts";
import { print } from "../output.ts";
import { withContext } from "../command-context.ts";

const statusCommand = (status: "active" | "disabled", done: (email: string) => string) =>
  command({
    options: {},
    operands: [1, 1],
    async run(_values, email = "") {
      await withContext((context) => setUserStatus(context, email, status, revokeAsDisabled));
      print(done(email));
    },
  });

export const userDisable = statusCommand("disabled", (email) => `${email} is disabled and signed out everywhere.`);
export const userEnable = statusCommand("active", (email) => `${email} can sign in again.`);
