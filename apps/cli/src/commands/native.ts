// `ssh` and `scp`: open a shell, run a command or copy files on an account's target, through the gateway.
import { command } from "../command.ts";
import { nativeOptions, runNatively } from "../native-session.ts";
import { UsageError } from "../command-error.ts";

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

export const scpCommand = command({
  options: { ...nativeOptions, recursive: { type: "boolean", short: "r" } },
  operands: [2, 2],
  async run({ recursive, ...options }, from = "", to = "") {
    const [source, destination] = [remoteOf(from), remoteOf(to)];
    const remote = source ?? destination;
    if (remote === null || (source !== null && destination !== null)) {
      throw new UsageError("Name one remote file as ACCOUNT:PATH and one local file.");
    }
    return await runNatively("scp", remote.account, options, ({ host, port, loginName }) => {
      const there = `${loginName}@${host.includes(":") ? `[${host}]` : host}:${remote.path}`;
      const files = source === null ? [from, there] : [there, to];
      return ["-P", String(port), ...(recursive === true ? ["-r"] : []), "--", ...files];
    });
  },
});

/** `ACCOUNT:PATH`; null for a local file, which has a slash before any colon or no colon. */
function remoteOf(text: string): { account: string; path: string } | null {
  const [, account = "", path = ""] = /^([^/:][^/:]*):(.*)$/s.exec(text) ?? [];
  return account === "" ? null : { account, path };
}
