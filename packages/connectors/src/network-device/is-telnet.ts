// Whether a device is reached over Telnet, which has no host key, or over SSH.
import type { Target } from "../connector.ts";

/** Without a protocol, the port decides. */
export function isTelnet({ additionalParams: { protocol }, port }: Pick<Target, "additionalParams" | "port">): boolean {
  return protocol === undefined ? port === 23 : typeof protocol === "string" && protocol.toLowerCase() === "telnet";
}
