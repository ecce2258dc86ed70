// `status`: shows the status of a running server. Exits with 0 only when it is healthy, for use in scripts.
import { readHealth, readSeal } from "@strongroom/contract";
import { command } from "../command.ts";
import { print, printJson } from "../output.ts";
import { DEFAULT_URL, callServer, serverUrl } from "../server.ts";

export const status = command({
  options: { url: { type: "string", default: DEFAULT_URL }, json: { type: "boolean" } },
  operands: [0, 0],
  async run({ url: given, json }) {
    const url = serverUrl(given);
    const health = await callServer(url, readHealth);
    const seal = await callServer(url, readSeal);
    if (json) printJson({ ...health, seal });
    else {
      print(`${health.status}: ${health.summary}`);
      print(`Strongroom ${health.version} at ${url.origin}, up for ${duration(health.uptime)}`);
      print(`Vault: ${seal.is_sealed ? "sealed" : "unsealed"} (${seal.provider})`);
      for (const { name, state, message } of health.checks) print(`- ${name}: ${message ?? state}`);
    }
    return health.status === "healthy" ? 0 : 1;
  },
});

/** The two largest units: `3 d 4 h`, `5 min 12 s`. */
function duration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([number]) => number > 0);
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2);
  return shown.map(([number, unit]) => `${number} ${unit}`).join(" ");
}
