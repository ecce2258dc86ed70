// One authenticated or unauthenticated connection of a native SSH client, and the programs that it runs.
import type { NativeAccess } from "@strongroom/server/features/sessions/index.ts";
import { Refusal } from "@strongroom/server/kernel/http/refuse.ts";
import type { Log } from "@strongroom/server/kernel/log.ts";
import type { Connection, PseudoTtyInfo, ServerChannel, Session } from "ssh2";
import type { Gateway } from "#gateway/core/gateway.ts";
import type { LiveSession } from "#gateway/core/live-session.ts";
import type { Program, Size } from "#gateway/core/ports.ts";
import type { FileAudit } from "#gateway/store/file-audit.ts";
import { ChannelTerminal } from "./channel-terminal.ts";
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

/** Programs of one connection at a time, as OpenSSH's MaxSessions. */
const MOST_PROGRAMS = 10;
const USUAL_SIZE: Size = { cols: 80, rows: 24 };
const LARGEST_SIDE = 1000;

export function serveConnection(client: Connection, options: ConnectionOptions): void {
  const { access, address, agent, pages, log } = options;
  const login = new Login({ access, address, agent, pages });
  const lost = new AbortController();
  let programs = 0;
  client.once("close", () => lost.abort());
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
  client.on("session", (accept, reject) => {
    if (programs >= MOST_PROGRAMS) return reject();
    programs += 1;
    const session = accept();
    session.once("close", () => (programs -= 1));
    serveSession(session, { ...options, admission: login.admission!, signal: lost.signal });
  });
}

interface SessionOptions extends ConnectionOptions {
  admission: Admission;
  /** Aborted when the connection is lost. */
  signal: AbortSignal;
}

/** A session channel (RFC 4254 §6), which runs one program. */
function serveSession(session: Session, options: SessionOptions): void {
  let pty: (Size & { type: string }) | null = null;
  let running: Running | null = null;
  const run = (channel: ServerChannel, program: Program) => {
    running = { terminal: new ChannelTerminal(channel, pty !== null), channel, live: null };
    runProgram(running, program, options).catch((error: unknown) => {
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
  session.on("env", (accept) => accept?.());
  session.once("shell", (accept) => run(accept(), { kind: "shell", command: null, terminal: pty }));
  session.once("subsystem", (accept, reject, { name }) => {
    if (name === "sftp") run(accept(), { kind: "sftp", command: null, terminal: null });
    else reject?.();
  });
  session.once("exec", (accept, _reject, { command }) => run(accept(), { kind: "exec", command, terminal: pty }));
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
  const leave = () => live.end({ reason: "logout", detail: "The client disconnected." });
  channel.once("close", leave);
  options.signal.addEventListener("abort", leave);
  void live.closed.then(() => options.signal.removeEventListener("abort", leave));
  if (closed.signal.aborted || options.signal.aborted) return leave();
  let delivering = Promise.resolve();
  channel.on("data", (bytes: Buffer) => {
    channel.pause();
    delivering = delivering.then(() => live.input(terminal, bytes)).then(() => void channel.resume());
  });
  // The end can arrive together with the last data.
  channel.once("end", () => void delivering.then(() => live.finishInput(terminal)));
  live.start();
  channel.resume();
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
