// Runs a command as root on a Unix host: as root itself, or through sudo with or without the login's password.
import { runCommand, type CommandResult } from "./run-command.ts";
import type { Session } from "./session.ts";

/** How a login runs commands as root. */
export type WayToRoot = "root" | "sudo" | "sudo-with-password";

/** sudo's prompt, distinct so that no other output is mistaken for it. */
const QUESTION = "strongroom-asks-for-sudo:";

/**
 * `command` consists only of our own words; `input` is its standard input. Null when the host runs no commands.
 *
 * INVARIANT: the input leaves in one SSH packet, whole or not at all. chpasswd accepts a truncated line as complete,
 * and would set half of a password.
 */
export function asRoot(
  { client, secret }: Session,
  way: WayToRoot,
  command: string,
  input: string,
): Promise<CommandResult | null> {
  if (way === "root") {
    return runCommand(client, `env LC_ALL=C PATH=/usr/sbin:/sbin:/usr/bin:/bin ${command}`, { input });
  }
  if (way === "sudo" || secret.kind !== "password") {
    return runCommand(client, `env LC_ALL=C sudo -n ${command}`, { input });
  }
  let isAnswered = false;
  return runCommand(client, `env LC_ALL=C sudo -k -S -p ${QUESTION} ${command}`, {
    talk: {
      onText: (text, { finish, giveUp }) => {
        if (!text.includes(QUESTION)) return;
        // A second prompt means a wrong password: do not send the rest of the input as a password.
        if (isAnswered) giveUp();
        else finish(`${secret.password}\n${input}`);
        isAnswered = true;
      },
    },
  });
}

/** True when sudo would allow it, but requires a password. */
export const wantsPassword = (result: CommandResult) =>
  /a password is required|terminal is required/i.test(result.stderr);
