// `setup-link`: the one-time link by which the first administrator registers.
import { setupLink } from "@strongroom/server/features/sign-in/index.ts";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { note, say } from "../output.ts";
import { record } from "../record.ts";
import { atWork } from "../workplace.ts";

export const setupLinkCommand = command({
  options: {},
  operands: [0, 0],
  async run() {
    await atWork(async (workplace) => {
      const link = await setupLink(workplace);
      if (link === null) throw new CommandError('There is a user already. "strongroom user add" makes another.');
      await record(workplace.database, "setup.link-issued");
      say(link);
      if (workplace.config.setupToken === null) note("It works once. The link that the server printed no longer does.");
    });
  },
});
