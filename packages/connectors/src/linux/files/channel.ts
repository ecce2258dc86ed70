// Opens the channel of one command, and collects short texts from it.
import type { Client, ClientChannel } from "ssh2";
import type { Readable } from "node:stream";

const MAX_ERROR_BYTES = 256 * 1024;

/** Null when the host refuses to run the command, or the connection has ended. */
export function openChannel(client: Client, command: string): Promise<ClientChannel | null> {
  const { promise, resolve } = Promise.withResolvers<ClientChannel | null>();
  const lost = () => resolve(null);
  client.once("close", lost);
  try {
    client.exec(command, (error, channel) => {
      if (error !== undefined) {
        resolve(null);
        return;
      }
      channel.on("error", () => {});
      // Channels end before their connection.
      client.once("close", () => channel.destroy());
      resolve(channel);
    });
  } catch {
    // `exec` throws when the connection is already closed.
    resolve(null);
  }
  return promise.finally(() => client.removeListener("close", lost));
}

/** The text of a stream when it ends, at most `maxBytes` of it. Never rejects. */
export function textOf(stream: Readable, maxBytes: number = MAX_ERROR_BYTES): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const decoder = new TextDecoder();
  let text = "";
  const end = () => resolve(text);
  stream.on("data", (chunk: Buffer) => {
    if (text.length < maxBytes) text += decoder.decode(chunk, { stream: true });
  });
  stream.on("end", end).on("close", end).on("error", end);
  return promise;
}
