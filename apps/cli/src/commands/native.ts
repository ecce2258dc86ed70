// `ssh`, `scp` and `ssh-config`: work on an account's target through the gateway, with this program or with OpenSSH alone.
import { knownHostsLineOf, sshConfigOf } from "@strongroom/contract";
import { command } from "../command.ts";
import { nativeOptions, readGatewaysAt, runNatively } from "../native-session.ts";
import { UsageError } from "../command-error.ts";
import { print } from "../output.ts";

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

export const sshConfigCommand = command({
  options: { url: { type: "string" }, "known-hosts": { type: "boolean" } },
  operands: [0, 0],
  async run({ url, "known-hosts": isKnownHosts }) {
    const access = await readGatewaysAt(url);
    const text = isKnownHosts === true ? knownHostsLineOf(access) : sshConfigOf(access);
    for (const line of text.split("\n")) print(line);
  },
});

/** `ACCOUNT:PATH`; null for a local file, which has a slash before any colon or no colon. */
function remoteOf(text: string): { account: string; path: string } | null {
  const [, account = "", path = ""] = /^([^/:][^/:]*):(.*)$/s.exec(text) ?? [];
  return account === "" ? null : { account, path };
}
