// The messages of a WebSocket, one at a time: while one is being handled, nothing more is read from the network.
import type { RawData, WebSocket } from "ws";

type Handle = (data: Buffer, isBinary: boolean) => Promise<void>;

export interface Inbox {
  /** The first message; null when it is not text or does not arrive in time. Further messages wait for `consume`. */
  first(withinMs: number): Promise<string | null>;
  /** Handles all further messages. `handle` must not reject. */
  consume(handle: Handle): void;
}

/** Messages that arrived together with another one. Reading from the network stops only after them. */
const MOST_WAITING = 1000;

export function createInbox(socket: WebSocket): Inbox {
  const waiting: { data: Buffer; isBinary: boolean }[] = [];
  let arrived = () => {};

  socket.on("message", (data: RawData, isBinary: boolean) => {
    if (waiting.length >= MOST_WAITING) return socket.terminate();
    waiting.push({ data: bytesOf(data), isBinary });
    socket.pause();
    arrived();
  });

  return {
    first: (withinMs) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(late);
          socket.removeListener("close", end);
          arrived = () => {};
          const message = waiting.shift();
          resolve(message === undefined || message.isBinary ? null : message.data.toString("utf8"));
        };
        const late = setTimeout(end, withinMs);
        socket.once("close", end);
        if (waiting.length > 0) end();
        else arrived = end;
      }),
    consume(handle) {
      let isHandling = false;
      const handleAll = async (): Promise<void> => {
        if (isHandling) return;
        isHandling = true;
        for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
          await handle(message.data, message.isBinary);
        }
        isHandling = false;
        if (socket.readyState === socket.OPEN) socket.resume();
      };
      arrived = () => void handleAll();
      arrived();
    },
  };
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
