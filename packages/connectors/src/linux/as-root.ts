// Runs a command as root on a Unix host: as root itself, or through sudo with or without the password of the log-in.
import { runCommand, type CommandResult } from "./run-command.ts";
import type { Session } from "./session.ts";

/** How a log-in gets to run commands as root. */
export type WayToRoot = "root" | "sudo" | "sudo-with-password";

/** What sudo asks with, so that nothing else is taken for its question. */
const QUESTION = "strongroom-asks-for-sudo:";

/**
 * `command` is all of our own words; `input` is what it reads. Null when the host runs no commands.
 *
 * INVARIANT: the input leaves in one SSH packet, whole or not at all. chpasswd takes a line that breaks off for all of it,
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
        // Asked again, it was the wrong one: what follows must not be offered as a password.
        if (isAnswered) giveUp();
        else finish(`${secret.password}\n${input}`);
        isAnswered = true;
      },
    },
  });
}

/** True when sudo would let the log-in do it, and wants a password for it. */
export const wantsPassword = (result: CommandResult) =>
  /a password is required|terminal is required/i.test(result.stderr);
