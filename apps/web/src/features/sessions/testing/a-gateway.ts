// A WebSocket server in place of a session gateway. Each test sends the gateway's messages explicitly.
import type { AddressInfo } from "node:net";
import { vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

/** One connection of a browser. */
interface Guest {
  /** The messages so far: parsed JSON, or text of binary messages. */
  received: unknown[];
  send: (frame: object | Buffer) => void;
  /** Ends the connection without a message. */
  cut: () => void;
}

export interface TestGateway {
  url: string;
  /** The connections so far. */
  guests: Guest[];
  close: () => Promise<void>;
}

const guestOf = (socket: WebSocket): Guest => {
  const received: unknown[] = [];
  socket.on("message", (data: Buffer, isBinary) => {
    const text = data.toString("utf8");
    received.push(isBinary ? text : JSON.parse(text));
  });
  return {
    received,
    send: (frame) => socket.send(Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
    cut: () => socket.terminate(),
  };
};

/** Like a browser's: an error without a listener is not thrown. */
class BrowserSocket extends WebSocket {
  constructor(url: string) {
    super(url);
    this.on("error", () => {});
  }
}

export async function startGateway(): Promise<TestGateway> {
  // The test environment has a WebSocket whose events its own document does not accept.
  vi.stubGlobal("WebSocket", BrowserSocket);
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  const guests: Guest[] = [];
  server.on("connection", (socket) => void guests.push(guestOf(socket)));
  await new Promise<void>((resolve) => server.once("listening", resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    guests,
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => resolve());
      }),
  };
}

export const READY = { t: "ready", session: "x", recorded: true, input: false, watchers: 0, secret: "secret-1" };
