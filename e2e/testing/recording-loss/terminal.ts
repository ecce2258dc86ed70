// A user's terminal on a session, which notes when it received each byte.
import { once } from "node:events";
import { WebSocket } from "undici";

const SIZE = { cols: 120, rows: 40 };

interface Received {
  at: number;
  bytes: Buffer;
}

export interface SessionTerminal {
  /** The output that this connection received. */
  received: readonly Received[];
  /** Lets the user resume the session on a new connection. */
  resumeSecret(): string;
  type(text: string): void;
  /** Resolves when the connection is closed. */
  gone: Promise<void>;
  close(): void;
}

/** Rejects when the gateway refuses the ticket or cannot be reached. `url` is the path for which the ticket was issued. */
export async function openTerminal(
  url: URL,
  token: string,
  first: { t: "ticket"; ticket: string } | { t: "resume"; secret: string },
): Promise<SessionTerminal> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  socket.binaryType = "arraybuffer";
  const received: Received[] = [];
  const gone = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<string>();
  let detail = "the connection was closed";
  socket.addEventListener("message", ({ data }: { data: unknown }) => {
    if (data instanceof ArrayBuffer) {
      received.push({ at: performance.now(), bytes: Buffer.from(data) });
      return;
    }
    const frame = JSON.parse(String(data)) as { t: string; secret?: string; detail?: string };
    if (frame.t === "ready") ready.resolve(frame.secret ?? "");
    if (frame.t === "end") detail = frame.detail ?? detail;
  });
  socket.addEventListener("error", () => {});
  socket.addEventListener("close", () => {
    ready.reject(new Error(`the terminal did not open: ${detail}`));
    gone.resolve();
  });
  ready.promise.catch(() => undefined);
  await Promise.race([once(socket, "open"), gone.promise]);
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ ...first, ...SIZE }));
  const secret = await ready.promise;
  return {
    received,
    resumeSecret: () => secret,
    type(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(Buffer.from(text));
    },
    gone: gone.promise,
    close: () => socket.close(),
  };
}
