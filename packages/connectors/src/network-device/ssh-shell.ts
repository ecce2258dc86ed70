// An interactive shell on an SSH connection, with a terminal so wide that no device wraps or pages our lines.
import type { Client, ClientChannel } from "ssh2";

/** Null when the device gives none. */
export function openShell(client: Client): Promise<ClientChannel | null> {
  return new Promise((resolve) => {
    client.once("close", () => resolve(null));
    client.shell({ term: "dumb", cols: 500, rows: 1000, width: 0, height: 0 }, (error, channel) => {
      if (error !== undefined) {
        resolve(null);
        return;
      }
      channel.stderr.on("data", () => {});
      resolve(channel);
    });
  });
}
