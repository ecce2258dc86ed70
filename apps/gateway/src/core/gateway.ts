// The live sessions of this process: opens them with tickets, finds them for watchers, and ends them on time.
import type { TerminalRecorder } from "@strongroom/recordings";
import type { Log } from "@strongroom/server/kernel/log.ts";
import { LiveSession } from "./live-session.ts";
import type {
  TimerClock,
  OpenAgent,
  OpenedSession,
  Opening,
  Program,
  SessionEnd,
  SessionStore,
  Size,
  StartRecorder,
  Ticket,
  TrafficLog,
  UpstreamChannel,
} from "./ports.ts";
import type { Terminal } from "./terminal.ts";

export interface GatewayOptions {
  store: SessionStore;
  startRecorder: StartRecorder;
  clock: TimerClock;
  log: Log;
  /** Further sessions belong on another gateway. */
  mostSessions: number;
}

/** Every session ends when the database has not answered for this long. */
const DATABASE_WITHIN_MS = 30_000;
const REPORT_EVERY_MS = 5000;

/** Programs that run, or move data, before a watcher can see them. */
const UNWATCHABLE: ReadonlySet<Program["kind"]> = new Set(["exec", "forward"]);
const NO_COMMANDS = "Another user has to watch sessions on this account, so commands cannot run. Open a shell.";

/** INVARIANT: the target uses the user's agent only when the recording says so. */
function markedAgent(open: OpenAgent | undefined, using: { recorder: TerminalRecorder | null }): OpenAgent | null {
  if (open === undefined) return null;
  return async () => {
    if (using.recorder === null) throw new Error("the session has not begun");
    await using.recorder.mark("the target uses the SSH agent");
    return open();
  };
}

export type Opened = { live: LiveSession } | { failure: string };

export interface SessionRequest {
  ticket: Ticket;
  terminal: Terminal;
  program: Program;
  /** For programs whose traffic is not text. */
  log?: TrafficLog;
  /** The size of the recording when the program has no terminal. */
  size: Size;
  /** Aborted when the user's connection was lost. */
  signal: AbortSignal;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #sessions = new Map<string, LiveSession>();
  /** Session ends that are not stored yet. */
  readonly #unstored = new Map<string, () => Promise<void>>();
  #opening = 0;
  #isStopping = false;
  #isDraining = false;
  #answeredAt: number;
  #stopReporting = () => {};
  #reporting: Promise<void> | null = null;
  #stopNextCheck = () => {};
  #checking: Promise<void> = Promise.resolve();
  #isChecking = false;
  #isCheckWanted = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#answeredAt = options.clock.now().getTime();
  }

  get liveSessions(): number {
    return this.#sessions.size + this.#opening;
  }

  /** Starts reporting to the database. */
  start(): void {
    this.#answeredAt = this.#options.clock.now().getTime();
    this.#reportLater();
  }

  /** Redeems the ticket, logs in to the target and starts the recorder before anything is shown. */
  async open(request: SessionRequest): Promise<Opened> {
    // An administrator may have ended the drain since the last report, and the server then sends users here.
    if (this.#isDraining && !this.#isStopping) await this.#report();
    if (this.#isStopping || this.#isDraining)
      return { failure: "This gateway is draining and accepts no new sessions. Connect again." };
    if (this.liveSessions >= this.#options.mostSessions)
      return { failure: "This gateway has too many sessions. Try again later." };
    this.#opening += 1;
    try {
      const opening = await this.#options.store.redeem(request.ticket, request.program);
      return "failure" in opening ? opening : await this.#connect(opening, request);
    } finally {
      this.#opening -= 1;
    }
  }

  async #connect(opening: Opening, request: SessionRequest): Promise<Opened> {
    const { session } = opening;
    const fail = (failure: string, reason: SessionEnd["reason"] = "failed"): Opened => {
      const figures = { id: session.id, inputBytes: 0, outputBytes: 0, lastActivityAt: null };
      this.#storeEnd(figures, { reason, detail: failure });
      return { failure };
    };
    const { program } = request;
    // INVARIANT: four eyes: a command runs as soon as it is started, before a watcher can see it.
    if (session.rules.needsWatcher && UNWATCHABLE.has(program.kind)) return fail(NO_COMMANDS);
    // Set once the recording has begun.
    const using: { recorder: TerminalRecorder | null } = { recorder: null };
    const agent = session.forwardsAgent ? markedAgent(program.agent, using) : null;
    const connected = await opening.connect(request.signal, agent);
    if ("failure" in connected) return fail(connected.failure);
    const { upstream } = connected;
    try {
      // INVARIANT: a program starts only when the recording has begun, because it has effects before it shows anything.
      const { recorder, events } = await this.#record(session, request);
      using.recorder = recorder;
      const started = await upstream.start(program);
      if ("failure" in started) {
        upstream.destroy();
        await recorder.close("ended");
        return fail(started.failure);
      }
      const live = this.#begin(session, started.channel, recorder, request);
      events.live = live;
      // The session's permission was last checked before the session began.
      this.check();
      return { live };
    } catch (error) {
      this.#options.log.error({ err: error, session: session.id }, "a recording could not be started");
      upstream.destroy();
      return fail("The recording of this session could not be started. Tell an administrator.", "recorder-failed");
    }
  }

  /** Starts the recording. Its events apply to the live session once `events.live` is set. */
  async #record(session: OpenedSession, { size, program }: SessionRequest) {
    const events: { live: LiveSession | null } = { live: null };
    const shape = { ...size, ...(program.terminal === null ? {} : { type: program.terminal.type }) };
    const recorder = await this.#options.startRecorder(session, shape, {
      onPaused: (reason) => events.live?.paused(reason),
      onResumed: () => events.live?.paused(null),
      onFailed: (detail) => events.live?.end({ reason: "recorder-failed", detail }),
    });
    await recorder.mark(`login: ${session.remoteUser} on ${session.target}`);
    if (program.command !== null) await recorder.mark(`$ ${program.command}`);
    if (program.destination !== undefined) {
      const { host, port } = program.destination;
      const line = `connection to ${host}:${port}`;
      await recorder.mark(line);
      // What a player shows: the forwarded bytes themselves are not recorded.
      await recorder.output(Buffer.from(`${line}\r\n`));
    }
    return { recorder, events };
  }

  #begin(
    session: OpenedSession,
    channel: UpstreamChannel,
    recorder: TerminalRecorder,
    { terminal, size, program, log }: SessionRequest,
  ): LiveSession {
    const onEnded = (ended: LiveSession, end: SessionEnd) => this.#ended(ended, end);
    const onRisk = ({ session: { id } }: LiveSession, reason: string) => this.#raiseRisk(id, reason);
    const isInteractive = program.terminal !== null;
    const { clock } = this.#options;
    const live = new LiveSession({
      session,
      channel,
      recorder,
      terminal,
      isInteractive,
      size,
      log: log ?? null,
      clock,
      onRisk,
      onEnded,
    });
    this.#sessions.set(session.id, live);
    if (this.#isStopping) live.end(STOPPED);
    return live;
  }

  /** The session of the user who reconnects; null when there is no such session or the secret is wrong. */
  resume(sessionId: string, secret: string, terminal: Terminal): LiveSession | null {
    const live = this.#sessions.get(sessionId);
    return live?.resume(secret, terminal) === true ? live : null;
  }

  /** The session that a ticket allows to watch. The caller joins it with `watch`. */
  async openWatch(ticket: Ticket): Promise<Opened> {
    if (!this.#sessions.has(ticket.sessionId)) return { failure: "This session is not live on this gateway." };
    const redeemed = await this.#options.store.redeemWatch(ticket);
    if ("failure" in redeemed) return redeemed;
    const live = this.#sessions.get(ticket.sessionId);
    return live === undefined ? { failure: "This session has ended." } : { live };
  }

  notice(sessionId: string, text: string): void {
    this.#sessions.get(sessionId)?.notice(text);
  }

  /** Ends the sessions that lost their permission. Call it when permissions may have changed. */
  check(): void {
    this.#isCheckWanted = true;
    if (!this.#isChecking) this.#checking = this.#checkWhileWanted();
  }

  async #checkWhileWanted(): Promise<void> {
    this.#isChecking = true;
    while (this.#isCheckWanted && this.#sessions.size > 0) {
      this.#isCheckWanted = false;
      try {
        await this.#checkNow();
      } catch (error) {
        // The next report checks again, and without the database all sessions end soon.
        this.#options.log.warn({ err: error }, "the permissions of live sessions could not be checked");
      }
    }
    this.#isChecking = false;
  }

  async #checkNow(): Promise<void> {
    const { store, clock } = this.#options;
    const asked = [...this.#sessions.keys()];
    const { ending, goingOn, nextIn } = await store.check();
    for (const { id, reason, detail } of ending) this.#sessions.get(id)?.end({ reason, detail });
    for (const { id, endsIn, pausedBy, rules } of goingOn) {
      this.#sessions.get(id)?.setRules(rules);
      this.#sessions.get(id)?.endIn(endsIn);
      this.#sessions.get(id)?.pauseInput(pausedBy);
    }
    const known = new Set([...ending, ...goingOn].map(({ id }) => id));
    const forgotten = {
      reason: "gateway-lost",
      detail: "This gateway was lost for a while, so its sessions ended.",
    } as const;
    for (const id of asked) if (!known.has(id)) this.#sessions.get(id)?.end(forgotten);
    this.#stopNextCheck();
    if (nextIn !== null) this.#stopNextCheck = clock.after(Math.min(nextIn, REPORT_EVERY_MS), () => this.check());
  }

  #endAll(end: SessionEnd): void {
    for (const live of this.#sessions.values()) live.end(end);
  }

  #ended(live: LiveSession, end: SessionEnd): void {
    this.#sessions.delete(live.session.id);
    this.#storeEnd(live.progress, end);
  }

  #raiseRisk(id: string, reason: string): void {
    this.#options.store.raiseRisk(id, reason).catch((error: unknown) => {
      this.#options.log.warn({ err: error, session: id, reason }, "a risk of a session could not be stored");
    });
  }

  /** Each report retries this until the end is stored. */
  #storeEnd(progress: LiveSession["progress"], end: SessionEnd): void {
    const store = async () => {
      await this.#options.store.end(progress, end);
      this.#unstored.delete(progress.id);
    };
    this.#unstored.set(progress.id, store);
    store().catch((error: unknown) => {
      this.#options.log.warn({ err: error, session: progress.id }, "the end of a session could not be stored yet");
    });
  }

  #reportLater(): void {
    this.#stopReporting = this.#options.clock.after(REPORT_EVERY_MS, () => {
      this.#noticeLostDatabase();
      // A report that waits for the database must not delay the check of how long it has been waiting.
      this.#reporting ??= this.#report().finally(() => (this.#reporting = null));
      this.#reportLater();
    });
  }

  async #report(): Promise<void> {
    const { store, log, clock } = this.#options;
    try {
      for (const storeEnd of this.#unstored.values()) await storeEnd();
      const { isDraining } = await store.report([...this.#sessions.values()].map((live) => live.progress));
      this.#isDraining = isDraining;
      this.#answeredAt = clock.now().getTime();
      this.check();
    } catch (error) {
      log.warn({ err: error }, "this gateway could not report to the database");
    }
  }

  #noticeLostDatabase(): void {
    const silence = this.#options.clock.now().getTime() - this.#answeredAt;
    if (silence < DATABASE_WITHIN_MS || this.#sessions.size === 0) return;
    this.#options.log.error("the database has not answered for 30 s; ending all sessions");
    this.#endAll({ reason: "database-lost", detail: "Strongroom lost its database, so all sessions were ended." });
  }

  /** Ends all sessions and stores their ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopReporting();
    this.#stopNextCheck();
    const closing = [...this.#sessions.values()].map((live) => live.closed);
    this.#endAll(STOPPED);
    await Promise.all(closing);
    await this.#reporting;
    await this.#report();
    await this.#checking;
  }
}

const STOPPED: SessionEnd = { reason: "gateway-lost", detail: "The gateway was stopped. Connect again." };
