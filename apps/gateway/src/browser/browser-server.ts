// Serves terminals in browsers on a private unix socket. The server has checked the caller, and forwards the connection.
import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import type { Log } from "@strongroom/server/kernel/log.ts";
import type { Gateway } from "#gateway/core/gateway.ts";
import type { LiveSession } from "#gateway/core/live-session.ts";
import type { FileAudit } from "#gateway/store/file-audit.ts";
import { createSftpLog } from "#gateway/ssh-server/sftp-log.ts";
import { OpenFrame, ResizeFrame, WatchFrame, parseFrame } from "./frames.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { SocketTerminal } from "./socket-terminal.ts";

export interface BrowserServerOptions {
  gateway: Gateway;
  /** Audits what users do with files. */
  files: Pick<FileAudit, "add">;
  /** The path of the socket. Its folder is private to this user. */
  path: string;
  log: Log;
}

export interface BrowserServer {
  /** Serves a connection that did not come through the socket. Its other end must be a server of this installation. */
  accept(connection: Duplex): void;
  stop(): Promise<void>;
}

/** Set by the server: the address of the browser. */
const CLIENT_ADDRESS_HEADER = "x-strongroom-client-address";

/** A paste arrives in one message. */
const LARGEST_MESSAGE = 1024 * 1024;
const FIRST_MESSAGE_WITHIN_MS = 10_000;
const PING_EVERY_MS = 15_000;
/** The maximum number of connections waiting to present a ticket. */
const MOST_WAITING = 200;
/** The maximum per client address: one client must not use every slot. */
const MOST_WAITING_OF_ADDRESS = 20;

const PATH = /^\/api\/v1\/sessions\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/(terminal|watch)$/;

const UNREADABLE = "The gateway did not understand the browser. Reload the page.";

/** Resolves when the server listens. */
export async function startBrowserServer({ gateway, files, path, log }: BrowserServerOptions): Promise<BrowserServer> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE, perMessageDeflate: false });
  /** The addresses of the connections waiting to present a ticket. */
  const waiting: (string | null)[] = [];

  async function serve(socket: WebSocket, request: IncomingMessage, sessionId: string, kind: string): Promise<void> {
    const [terminal, inbox] = [new SocketTerminal(socket), createInbox(socket)];
    const lost = new AbortController();
    socket.on("error", (error) => log.debug({ err: error, session: sessionId }, "a browser's connection failed"));
    socket.once("close", () => lost.abort());
    keepAlive(socket);
    const sourceAddress = addressOf(request);
    waiting.push(sourceAddress);
    const first = await inbox
      .first(FIRST_MESSAGE_WITHIN_MS)
      .finally(() => waiting.splice(waiting.indexOf(sourceAddress), 1));
    if (first === null) return terminal.refuse(UNREADABLE);
    const caller = { gateway, files, socket, inbox, terminal, sessionId, sourceAddress, signal: lost.signal };
    await (kind === "watch" ? watch(caller, first) : use(caller, first));
  }

  const server = createServer((_request, reply) => reply.writeHead(426).end());
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [, sessionId = "", kind = ""] = PATH.exec(new URL(request.url ?? "/", "http://gateway").pathname) ?? [];
    const address = addressOf(request);
    const isFull =
      waiting.length >= MOST_WAITING ||
      (address !== null && waiting.filter((each) => each === address).length >= MOST_WAITING_OF_ADDRESS);
    if (sessionId === "" || isFull) {
      const status = sessionId === "" ? "404 Not Found" : "503 Service Unavailable";
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      serve(opened, request, sessionId, kind).catch((error: unknown) => {
        log.error({ err: error, session: sessionId }, "a terminal in a browser failed");
        opened.terminate();
      });
    });
  });
  await listen(server, path);
  return {
    accept: (connection) => void server.emit("connection", connection),
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Null when the server did not say. */
function addressOf({ headers }: IncomingMessage): string | null {
  const header = headers[CLIENT_ADDRESS_HEADER];
  return typeof header === "string" ? header : null;
}

interface Caller {
  gateway: Gateway;
  files: BrowserServerOptions["files"];
  socket: WebSocket;
  inbox: Inbox;
  terminal: SocketTerminal;
  sessionId: string;
  sourceAddress: string | null;
  signal: AbortSignal;
}

/** The user's own terminal: begins the session, or resumes it. */
async function use(caller: Caller, first: string): Promise<void> {
  const { gateway, files, terminal, sessionId, sourceAddress, signal } = caller;
  const frame = parseFrame(OpenFrame, first);
  if (frame === null) return terminal.refuse(UNREADABLE);
  const size = { cols: frame.cols, rows: frame.rows };
  if (frame.t === "ticket") {
    const isSftp = frame.program === "sftp";
    const opened = await gateway.open({
      ticket: { ticket: frame.ticket, sessionId, sourceAddress },
      terminal,
      program: {
        kind: frame.program,
        command: null,
        terminal: isSftp ? null : { ...size, type: "xterm-256color" },
      },
      ...(isSftp ? { log: createSftpLog((file) => files.add(sessionId, file)) } : {}),
      size,
      signal,
    });
    if ("failure" in opened) return terminal.refuse(opened.failure);
    sayReady(opened.live, terminal);
    attach(opened.live, caller, isSftp);
    opened.live.start();
    return;
  }
  const live = gateway.resume(sessionId, frame.secret, terminal);
  if (live === null) return terminal.refuse("This session has ended. Connect again.");
  sayReady(live, terminal);
  live.replay(terminal);
  live.resize(terminal, size);
  attach(live, caller, false);
}

function attach(live: LiveSession, { socket, inbox, terminal }: Caller, endsWithSocket: boolean): void {
  inbox.consume(async (data, isBinary) => {
    if (isBinary) return live.input(terminal, data);
    const size = parseFrame(ResizeFrame, data.toString("utf8"));
    if (size === null) return socket.terminate();
    live.resize(terminal, size);
  });
  whenClosed(socket, () => {
    // The packets that are lost with the connection cannot be sent again.
    if (endsWithSocket) live.end({ reason: "logout", detail: "The browser disconnected." });
    else live.detach(terminal);
  });
}

function sayReady(live: LiveSession, terminal: SocketTerminal): void {
  const { session, recordsInput: input, watcherCount: watchers, resumeSecret: secret } = live;
  terminal.send({ t: "ready", session: session.id, recorded: true, input, watchers, secret });
  if (live.heldBecause !== null) terminal.paused(live.heldBecause);
}

async function watch(
  { gateway, socket, inbox, terminal, sessionId, sourceAddress }: Caller,
  first: string,
): Promise<void> {
  const frame = parseFrame(WatchFrame, first);
  if (frame === null) return terminal.refuse(UNREADABLE);
  const opened = await gateway.openWatch({ ticket: frame.ticket, sessionId, sourceAddress });
  if ("failure" in opened) return terminal.refuse(opened.failure);
  const { live } = opened;
  terminal.send({ t: "watching", session: live.session.id, user: live.session.userName });
  if (!live.watch(terminal)) return terminal.refuse("This session has too many watchers.");
  // Watchers only read.
  inbox.consume(async () => socket.terminate());
  whenClosed(socket, () => live.unwatch(terminal));
}

function whenClosed(socket: WebSocket, act: () => void): void {
  socket.once("close", act);
  if (socket.readyState !== socket.OPEN) act();
}

/** A browser that vanished without closing its connection is noticed within half a minute. */
function keepAlive(socket: WebSocket): void {
  let isAnswered = true;
  socket.on("pong", () => (isAnswered = true));
  const timer = setInterval(() => {
    // While the socket is paused, its answers are not read.
    if (!isAnswered && !socket.isPaused) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, PING_EVERY_MS);
  socket.once("close", () => clearInterval(timer));
}

async function listen(server: Server, path: string): Promise<void> {
  // A killed process may have left its socket behind.
  rmSync(path, { force: true });
  // INVARIANT: only this user's processes reach the socket, from the moment it exists.
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
}
