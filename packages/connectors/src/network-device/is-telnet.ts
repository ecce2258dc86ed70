// Whether a device is reached over Telnet, which shows no host key, or over SSH.
import type { Target } from "../connector.ts";

/** Without a word on the protocol the port tells. */
export function isTelnet({ additionalParams: { protocol }, port }: Pick<Target, "additionalParams" | "port">): boolean {
  return protocol === undefined ? port === 23 : typeof protocol === "string" && protocol.toLowerCase() === "telnet";
}
