// `setup-link`: prints the one-time link for registering the first administrator.
import { setupLink } from "@strongroom/server/features/sign-in/index.ts";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { note, print } from "../output.ts";
import { record } from "../record.ts";
import { withContext } from "../command-context.ts";

export const setupLinkCommand = command({
  options: {},
  operands: [0, 0],
  async run() {
    await withContext(async (context) => {
      const link = await setupLink(context);
      if (link === null) throw new CommandError('A user already exists. To add another, run "strongroom user add".');
      await record(context.database, "setup.link-issued");
      print(link);
      if (context.config.setupToken === null)
        note("The link works once. The link printed by the server no longer works.");
    });
  },
});
