// `user reset`: prints the single-use link with which a user sets a new password.
import { createResetLink } from "@strongroom/server/features/sign-in/index.ts";
import { command } from "../command.ts";
import { printLink } from "../reset-link.ts";
import { withContext } from "../command-context.ts";

export const userReset = command({
  options: { json: { type: "boolean" } },
  operands: [1, 1],
  async run({ json }, email = "") {
    await withContext(async (context) => printLink(await createResetLink(context, email), json));
  },
});
