// The baseline for the benchmark of scans: one bare SSH command with the same script, whose output is only collected.
import { Client } from "ssh2";
import { COLLECTION_COMMAND, COLLECTION_SCRIPT } from "../../src/linux/collection-script.ts";
import type { UnixHost } from "../targets/unix-host.ts";

/** Resolves with the number of bytes. */
export function collectBare({ host, port, scanner }: Pick<UnixHost, "host" | "port" | "scanner">): Promise<number> {
  return new Promise((resolve, reject) => {
    const client = new Client();
    client.on("error", reject);
    client.on("ready", () => {
      client.exec(COLLECTION_COMMAND, (error, channel) => {
        if (error !== undefined) return reject(error);
        let size = 0;
        channel.on("data", (chunk: Buffer) => (size += chunk.length));
        channel.on("close", () => {
          client.end();
          resolve(size);
        });
        channel.end(COLLECTION_SCRIPT);
      });
    });
    client.connect({ host, port, username: scanner.username, password: scanner.password });
  });
}
