// The lines for `~/.ssh/config` and `~/.ssh/known_hosts` with which OpenSSH connects to the session gateways.
import type { SshAccess } from "./sessions.ts";

/** All gateways have one host key, so one line of known_hosts is enough for them. */
const KEY_ALIAS = "strongroom-gateway";

type Reachable = Pick<SshAccess, "gateways" | "host_key">;

/** One `Host` block for each gateway: `strongroom`, `strongroom-2` and so on. Empty without a gateway. */
export function sshConfigOf({ gateways }: Reachable): string {
  return gateways
    .map(({ host, port, zone }, index) =>
      [
        `Host ${index === 0 ? "strongroom" : `strongroom-${index + 1}`}`,
        ...(zone === null ? [] : [`    # Zone: ${zone.replace(/[^\x20-\x7e]/g, "?")}`]),
        `    HostName ${host}`,
        `    Port ${port}`,
        `    HostKeyAlias ${KEY_ALIAS}`,
        "    StrictHostKeyChecking yes",
        "    ServerAliveInterval 30",
      ].join("\n"),
    )
    .join("\n\n");
}

/** The line that trusts the gateways' host key; empty while there is none. */
export const knownHostsLineOf = ({ host_key }: Reachable): string =>
  host_key === null ? "" : `${KEY_ALIAS} ${host_key}`;
