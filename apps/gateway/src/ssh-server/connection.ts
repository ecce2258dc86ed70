// One authenticated or unauthenticated connection of a native SSH client, and the programs that it runs.
import type { Duplex } from "node:stream";
import type { NativeAccess } from "@strongroom/server/features/sessions/index.ts";
import { Refusal } from "@strongroom/server/kernel/http/refuse.ts";
import type { Log } from "@strongroom/server/kernel/log.ts";
import type { Connection, PseudoTtyInfo, ServerChannel, Session } from "ssh2";
import type { Gateway } from "#gateway/core/gateway.ts";
import type { LiveSession } from "#gateway/core/live-session.ts";
import { OrderedReader } from "#gateway/core/ordered-reader.ts";
import type { Program, SessionEnd, Size, TrafficLog } from "#gateway/core/ports.ts";
import type { Terminal } from "#gateway/core/terminal.ts";
import type { FileAudit } from "#gateway/store/file-audit.ts";
import { ChannelTerminal } from "./channel-terminal.ts";
import { ForwardTerminal } from "./forward-terminal.ts";
import { createSftpLog } from "./sftp-log.ts";
import { Login, type Admission } from "./login.ts";

export interface ConnectionOptions {
  gateway: Gateway;
  access: NativeAccess;
  files: FileAudit;
  log: Log;
  address: string;
  agent: string;
  pages: string;
  /** Called once, when the client is authenticated. */
  onAuthenticated: () => void;
}

/** The concurrent programs of one connection, like OpenSSH's MaxSessions. */
const MOST_PROGRAMS = 10;
const USUAL_SIZE: Size = { cols: 80, rows: 24 };
const LARGEST_SIDE = 1000;

const isDestination = (host: string, port: number): boolean =>
  host.length > 0 && host.length <= 253 && port >= 1 && port <= 65_535;

export function serveConnection(client: Connection, options: ConnectionOptions): void {
  const { access, address, agent, pages, log } = options;
  const lost = new AbortController();
  const login = new Login({ access, address, agent, pages, signal: lost.signal });
  let programs = 0;
  client.once("close", () => {
    lost.abort();
    login.leave().catch((error: unknown) => log.warn({ err: error }, "a sign-in of an SSH client could not be ended"));
  });
  client.on("authentication", (context) => {
    login.answer(context).then(
      (mayGoOn) => mayGoOn || client.end(),
      (error: unknown) => {
        log.error({ err: error }, "the login of an SSH client failed");
        client.end();
      },
    );
  });
  client.once("ready", () => options.onAuthenticated());
  client.on("tcpip", (accept, reject, { destIP, destPort }) => {
    if (programs >= MOST_PROGRAMS || !isDestination(destIP, destPort)) return reject();
    programs += 1;
    const started = forward(accept, reject, destIP, destPort, {
      ...options,
      admission: login.admission!,
      signal: lost.signal,
    });
    started
      .catch((error: unknown) => {
        log.error({ err: error }, "a forwarded connection failed");
        reject();
      })
      .finally(() => (programs -= 1));
  });
  client.on("session", (accept, reject) => {
    if (programs >= MOST_PROGRAMS) return reject();
    programs += 1;
    const session = accept();
    session.once("close", () => (programs -= 1));
    serveSession(session, client, { ...options, admission: login.admission!, signal: lost.signal });
  });
}

const NOTHING_SHOWN: TrafficLog = { input: () => [], output: () => [], end: () => [] };

/**
 * Each forwarded connection (RFC 4254 §7.2) is a separate session. Its recording names the destination and has no
 * content. Only connections from the client's side: the gateway opens no ports for targets.
 */
async function forward(
  accept: () => ServerChannel,
  reject: () => void,
  host: string,
  port: number,
  options: SessionOptions,
) {
  const ticket = await ticketOf(options);
  if ("failure" in ticket) return reject();
  const terminal = new ForwardTerminal();
  const opened = await options.gateway.open({
    ticket: { ...ticket, sourceAddress: options.address },
    terminal,
    program: { kind: "forward", command: null, terminal: null, destination: { host, port } },
    size: USUAL_SIZE,
    log: NOTHING_SHOWN,
    signal: options.signal,
  });
  if ("failure" in opened) return reject();
  const { live } = opened;
  if (options.signal.aborted) return live.end(LEFT);
  const channel = accept();
  terminal.attach(channel);
  carryInput(live, terminal, channel, options.signal);
  live.start();
  await live.closed;
}

interface SessionOptions extends ConnectionOptions {
  admission: Admission;
  /** Aborted when the connection is lost. */
  signal: AbortSignal;
}

/** A session channel (RFC 4254 §6), which runs one program. */
function serveSession(session: Session, client: Connection, options: SessionOptions): void {
  let pty: (Size & { type: string }) | null = null;
  let offersAgent = false;
  let running: Running | null = null;
  const run = (channel: ServerChannel, program: Program) => {
    running = { terminal: new ChannelTerminal(channel, pty !== null), channel, live: null };
    const agent = offersAgent ? { agent: () => openAgent(client) } : {};
    runProgram(running, { ...program, ...agent }, options).catch((error: unknown) => {
      options.log.error({ err: error }, "a program of an SSH client failed");
      channel.close();
    });
  };
  session.on("pty", (accept, _reject, info) => {
    pty = { ...sizeOf(info), type: termOf(info) };
    accept?.();
  });
  session.on("window-change", (accept, _reject, info) => {
    const size = sizeOf(info);
    if (pty !== null) pty = { ...pty, ...size };
    if (running?.live) running.live.resize(running.terminal, size);
    accept?.();
  });
  // Whether the target may use it is decided with the ticket.
  session.on("auth-agent", (accept) => {
    offersAgent = true;
    accept?.();
  });
  session.on("env", (accept) => accept?.());
  session.once("shell", (accept) => run(accept(), { kind: "shell", command: null, terminal: pty }));
  session.once("subsystem", (accept, reject, { name }) => {
    if (name === "sftp") run(accept(), { kind: "sftp", command: null, terminal: null });
    else reject?.();
  });
  session.once("exec", (accept, _reject, { command }) => run(accept(), { kind: "exec", command, terminal: pty }));
}

type AgentConnection = Connection & {
  /** Added by the patch of ssh2. */
  openssh_authAgent?: (done: (error: Error | undefined, channel: Duplex) => void) => void;
};

function openAgent(client: AgentConnection): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    if (client.openssh_authAgent === undefined) return reject(new Error("ssh2 is not patched"));
    client.openssh_authAgent((error, channel) => (error === undefined ? resolve(channel) : reject(error)));
  });
}

interface Running {
  terminal: ChannelTerminal;
  channel: ServerChannel;
  /** Null until the session has begun. */
  live: LiveSession | null;
}

async function runProgram(running: Running, program: Program, options: SessionOptions): Promise<void> {
  const { terminal, channel } = running;
  // Data that arrives before the target is ready waits in the channel.
  channel.pause();
  const ticket = await ticketOf(options);
  if ("failure" in ticket) return terminal.refuse(ticket.failure);
  const closed = new AbortController();
  channel.once("close", () => closed.abort());
  const opened = await options.gateway.open({
    ticket: { ...ticket, sourceAddress: options.address },
    terminal,
    program,
    size: program.terminal ?? USUAL_SIZE,
    ...(program.kind === "sftp" ? { log: createSftpLog((file) => options.files.add(ticket.sessionId, file)) } : {}),
    signal: AbortSignal.any([closed.signal, options.signal]),
  });
  if ("failure" in opened) return terminal.refuse(opened.failure);
  const { live } = opened;
  running.live = live;
  if (closed.signal.aborted) return live.end(LEFT);
  carryInput(live, terminal, channel, options.signal);
  live.start();
  channel.resume();
}

const LEFT: SessionEnd = { reason: "logout", detail: "The client disconnected." };

/** Passes the client's bytes on, and ends the session with its channel or connection. */
function carryInput(live: LiveSession, terminal: Terminal, channel: ServerChannel, signal: AbortSignal): void {
  const leave = () => live.end(LEFT);
  channel.once("close", leave);
  signal.addEventListener("abort", leave);
  void live.closed.then(() => signal.removeEventListener("abort", leave));
  if (signal.aborted) return leave();
  const reader = new OrderedReader();
  reader.read(channel, (bytes) => live.input(terminal, bytes));
  // The end can arrive together with the last data.
  channel.once("end", () => void reader.settled.then(() => live.finishInput(terminal)));
}

async function ticketOf(options: SessionOptions): Promise<{ ticket: string; sessionId: string } | { failure: string }> {
  const { access, admission } = options;
  if (admission.kind === "refused") return { failure: admission.reason };
  if (admission.kind === "ticket") return admission.held;
  try {
    return await access.start(admission.actor, admission.accountId, admission.given, options);
  } catch (error) {
    if (error instanceof Refusal) return { failure: error.message };
    throw error;
  }
}

const sizeOf = ({ cols, rows }: Pick<PseudoTtyInfo, "cols" | "rows">): Size => ({
  cols: sideOf(cols, USUAL_SIZE.cols),
  rows: sideOf(rows, USUAL_SIZE.rows),
});

const sideOf = (given: number, usual: number): number =>
  given >= 1 ? Math.min(Math.trunc(given), LARGEST_SIDE) : usual;

/** The type of the client's terminal (`TERM`), if it is an ordinary name. */
function termOf({ term }: PseudoTtyInfo): string {
  return /^[\w.+-]{1,64}$/.test(term) ? term : "xterm-256color";
}
