// A terminal in a browser, as a WebSocket.
import type { WebSocket } from "ws";
import type { SessionEnd, Size } from "#gateway/core/ports.ts";
import type { Terminal } from "#gateway/core/terminal.ts";
import type { ServerFrame } from "./frames.ts";

/** Above this many waiting bytes, the target must wait for the network before it sends more. */
const ENOUGH_BYTES = 256 * 1024;
/** A browser that does not answer the close within this time is disconnected. */
const CLOSE_WITHIN_MS = 2000;

export class SocketTerminal implements Terminal {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  write(bytes: Buffer): Promise<void> {
    const socket = this.#socket;
    if (bytes.length === 0 || socket.readyState !== socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => {
      const isSlow = socket.bufferedAmount + bytes.length > ENOUGH_BYTES;
      // The callback is also called when the connection is lost.
      socket.send(bytes, { binary: true }, () => resolve());
      if (!isSlow) resolve();
    });
  }

  send(frame: ServerFrame): void {
    const socket = this.#socket;
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
  }

  notice(text: string): void {
    this.send({ t: "notice", text });
  }

  paused(reason: string | null): void {
    this.send(reason === null ? { t: "resumed" } : { t: "paused", reason });
  }

  watchers(n: number): void {
    this.send({ t: "watchers", n });
  }

  resized({ cols, rows }: Size): void {
    this.send({ t: "size", cols, rows });
  }

  end({ reason, detail }: SessionEnd, exitStatus: number | null): void {
    this.send({ t: "end", reason, detail, exit: exitStatus });
    this.close();
  }

  /** The session did not begin. */
  refuse(detail: string): void {
    this.send({ t: "end", reason: null, detail, exit: null });
    this.close();
  }

  close(): void {
    this.#socket.close(1000);
    // The answer to the close is read only then.
    this.#socket.resume();
    setTimeout(() => this.#socket.terminate(), CLOSE_WITHIN_MS).unref();
  }
}
