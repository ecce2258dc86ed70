// A browser's side of a terminal, for tests: a WebSocket over the gateway's unix socket, or to a server.
import { once } from "node:events";
import { WebSocket } from "ws";
import type { ServerFrame } from "../src/browser/frames.ts";

type FrameOf<T extends ServerFrame["t"]> = Extract<ServerFrame, { t: T }>;

export interface Browser {
  socket: WebSocket;
  send(frame: object): void;
  type(text: string): void;
  /** Everything shown so far. */
  shown(): string;
  /** Resolves when `pattern` is shown. */
  sees(pattern: RegExp): Promise<string>;
  /** The next control message of this kind. */
  told<T extends ServerFrame["t"]>(kind: T): Promise<FrameOf<T>>;
  /** Resolves when the connection is closed. */
  gone: Promise<void>;
}

export const openBrowser = (path: string, url: string, address?: string): Promise<Browser> =>
  openBrowserAt(`ws+unix:${path}:${url}`, address === undefined ? {} : { "x-strongroom-client-address": address });

export async function openBrowserAt(url: string, headers: Record<string, string>): Promise<Browser> {
  const socket = new WebSocket(url, { headers });
  const output: Buffer[] = [];
  const frames: ServerFrame[] = [];
  const waiting = new Set<() => boolean>();
  const gone = Promise.withResolvers<void>();
  let isGone = false;
  const look = () => {
    for (const check of waiting) if (check()) waiting.delete(check);
  };
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (isBinary) output.push(data);
    else frames.push(JSON.parse(data.toString("utf8")) as ServerFrame);
    look();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isGone = true;
    gone.resolve();
    look();
  });
  await once(socket, "open");
  const shown = () => Buffer.concat(output).toString("utf8");

  function until<T>(what: string, find: () => T | null): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = find();
        if (found !== null) resolve(found);
        else if (isGone) reject(new Error(`the connection was closed before ${what}; shown: ${shown()}`));
        return found !== null || isGone;
      };
      if (!check()) waiting.add(check);
    });
  }
  return {
    socket,
    send: (frame) => socket.send(JSON.stringify(frame)),
    type: (text) => socket.send(Buffer.from(text)),
    shown,
    sees: (pattern) => until(String(pattern), () => (pattern.test(shown()) ? shown() : null)),
    told: <T extends ServerFrame["t"]>(kind: T) =>
      until(kind, () => {
        const at = frames.findIndex(({ t }) => t === kind);
        return at === -1 ? null : (frames.splice(at, 1)[0] as FrameOf<T>);
      }),
    gone: gone.promise,
  };
}
