// The user's end of a forwarded connection: bytes only, no messages.
import type { ServerChannel } from "ssh2";
import type { Terminal } from "#gateway/core/terminal.ts";

/** The channel is accepted only when the target has connected. */
export class ForwardTerminal implements Terminal {
  #channel: ServerChannel | null = null;

  attach(channel: ServerChannel): void {
    this.#channel = channel;
    channel.on("error", () => channel.close());
  }

  get waitingBytes(): number {
    return this.#channel?.writableLength ?? 0;
  }

  write(bytes: Buffer): Promise<void> {
    const channel = this.#channel;
    if (channel === null || !channel.writable || channel.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const release = () => {
        channel.removeListener("drain", release);
        channel.removeListener("close", release);
        resolve();
      };
      channel.once("drain", release);
      channel.once("close", release);
    });
  }

  end({ reason }: Parameters<Terminal["end"]>[0]): void {
    // A connection that the destination closed may still deliver its last bytes.
    if (reason === "target-closed") this.#channel?.end();
    else this.#channel?.close();
  }

  notice(): void {}
  paused(): void {}
  watchers(): void {}
  resized(): void {}
}
