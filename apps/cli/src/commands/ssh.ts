// `ssh`: opens a shell on an account's target, or runs a command there, through the gateway.
import { command } from "../command.ts";
import { nativeOptions, runNatively } from "../native-session.ts";

export const sshCommand = command({
  options: nativeOptions,
  operands: [1, Infinity],
  run: (options, account = "", ...words) =>
    runNatively("ssh", account, options, ({ host, port, loginName }) => [
      "-p",
      String(port),
      "-l",
      loginName,
      "--",
      host,
      ...words,
    ]),
});
