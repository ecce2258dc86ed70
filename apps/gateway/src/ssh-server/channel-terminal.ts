// The terminal of a native SSH client, as a channel of its connection.
import type { ServerChannel } from "ssh2";
import type { SessionEnd } from "#gateway/core/ports.ts";
import type { Terminal } from "#gateway/core/terminal.ts";

/** The exit status of a session that the gateway ended. `ssh` reports connection errors with the same status. */
const FAILED = 255;
const DELIVERED_WITHIN_MS = 30_000;

export class ChannelTerminal implements Terminal {
  readonly #channel: ServerChannel;
  /** Whether a person reads the output: programs such as scp do not. */
  readonly #isInteractive: boolean;
  readonly #released = new Set<() => void>();
  #isClosed = false;

  constructor(channel: ServerChannel, isInteractive: boolean) {
    this.#channel = channel;
    this.#isInteractive = isInteractive;
    channel.once("close", () => this.#close());
    channel.on("error", () => this.#close());
  }

  get waitingBytes(): number {
    return this.#channel.writableLength;
  }

  write(bytes: Buffer, isError: boolean): Promise<void> {
    const stream = isError ? this.#channel.stderr : this.#channel;
    if (bytes.length === 0 || this.#isClosed || !stream.writable || stream.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const release = () => {
        stream.removeListener("drain", release);
        this.#released.delete(release);
        resolve();
      };
      this.#released.add(release);
      stream.once("drain", release);
    });
  }

  notice(text: string): void {
    if (this.#isInteractive) this.#say(text);
  }

  paused(reason: string | null): void {
    if (this.#isInteractive) this.#say(reason ?? "The session continues.");
  }

  watchers(count: number): void {
    if (this.#isInteractive) this.#say(count === 1 ? "1 person is watching." : `${count} people are watching.`);
  }

  resized(): void {
    // Only watchers see the size of another terminal.
  }

  end({ reason, detail }: SessionEnd, exitStatus: number | null): void {
    if (reason !== "logout" || detail !== null) this.#say(detail ?? `The session ended (${reason}).`);
    const isOver = reason === "target-closed" || (reason === "logout" && detail === null);
    this.#exit(exitStatus ?? FAILED, isOver);
  }

  /** The session did not begin. */
  refuse(detail: string): void {
    this.#say(detail);
    this.#exit(FAILED, true);
  }

  /** A program that has ended may still deliver its last output. Access that has ended is cut immediately. */
  #exit(status: number, isDelivered: boolean): void {
    const channel = this.#channel;
    if (this.#isClosed) return;
    channel.exit(status);
    if (!isDelivered) return channel.close();
    channel.end();
    const late = setTimeout(() => channel.close(), DELIVERED_WITHIN_MS);
    late.unref();
    channel.once("close", () => clearTimeout(late));
  }

  #say(text: string): void {
    // INVARIANT: control characters of a message do not reach the user's terminal.
    const plain = text.replace(/[\p{Cc}\p{Cf}]/gu, " ");
    if (!this.#isClosed && this.#channel.stderr.writable) this.#channel.stderr.write(`\r\nStrongroom: ${plain}\r\n`);
  }

  #close(): void {
    this.#isClosed = true;
    for (const release of this.#released) release();
  }
}
