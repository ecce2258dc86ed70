// One live session: moves bytes between the user's terminal and the target, through the recorder.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { SessionEndReason } from "@strongroom/contract";
import { RecorderClosedError, type ClosingReason, type TerminalRecorder } from "@strongroom/recordings";
import type {
  LiveRules,
  OpenedSession,
  Progress,
  SessionEnd,
  Size,
  TimerClock,
  TrafficLog,
  UpstreamChannel,
} from "./ports.ts";
import { TrafficError } from "./ports.ts";
import { ReplayBuffer } from "./replay-buffer.ts";
import { SessionHold } from "./session-hold.ts";
import { SessionRisks } from "./session-risks.ts";
import type { Terminal } from "./terminal.ts";

/** Output that a reconnected user sees again. */
const REPLAY_BYTES = 256 * 1024;
/** A watcher that is this far behind is disconnected: a session never waits for a watcher. */
const WATCHER_BYTES = 1024 * 1024;
const MOST_WATCHERS = 16;
const RESUME_WITHIN_MS = 60_000;
/** The longest delay that a Node timer supports. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const INPUT_RECORDED = "What you type is recorded. Text that the screen does not show, such as a password, is masked.";

const TRANSFERRED = /^(?:up|down)loaded /;

export interface LiveSessionOptions {
  session: OpenedSession;
  channel: UpstreamChannel;
  recorder: TerminalRecorder;
  terminal: Terminal;
  /** The program has a terminal: input that the user types during a pause is dropped, and not run later. */
  isInteractive: boolean;
  size: Size;
  /** Null: the output is text. */
  log: TrafficLog | null;
  clock: TimerClock;
  /** Called once for each rule that the session broke. */
  onRisk: (live: LiveSession, reason: string) => void;
  /** Called once, when nothing more is shown or sent and the recording is closed. */
  onEnded: (live: LiveSession, end: SessionEnd) => void;
}

export class LiveSession {
  readonly session: OpenedSession;
  readonly #channel: UpstreamChannel;
  readonly #recorder: TerminalRecorder;
  readonly #log: TrafficLog | null;
  readonly #clock: TimerClock;
  readonly #onEnded: LiveSessionOptions["onEnded"];
  readonly #replay = new ReplayBuffer(REPLAY_BYTES);
  readonly #watchers = new Set<Terminal>();
  #terminal: Terminal | null;
  #size: Size;
  #secret: Buffer;
  #inputBytes = 0;
  #outputBytes = 0;
  #lastActivityAt: Date;
  #end: SessionEnd | null = null;
  #exitStatus: number | null = null;
  #rules: LiveRules;
  readonly #isInteractive: boolean;
  readonly #hold: SessionHold;
  readonly #risks: SessionRisks;
  #stopWaiting: (() => void) | null = null;
  #stopTimer: () => void = () => {};
  #stopIdleTimer: () => void = () => {};
  readonly #closed = Promise.withResolvers<void>();

  constructor(options: LiveSessionOptions) {
    this.session = options.session;
    this.#rules = options.session.rules;
    this.#channel = options.channel;
    this.#recorder = options.recorder;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#lastActivityAt = options.clock.now();
    this.#onEnded = options.onEnded;
    this.#terminal = options.terminal;
    this.#size = options.size;
    this.#secret = randomBytes(32);
    this.#isInteractive = options.isInteractive;
    this.#hold = new SessionHold({
      needsWatcher: options.session.rules.needsWatcher,
      onChanged: (reason) => this.#showHold(reason),
    });
    this.#risks = new SessionRisks((reason) => options.onRisk(this, reason));
    this.endIn(options.session.endsIn);
    this.#endWhenIdle();
  }

  /** Starts showing output. */
  start(): void {
    // INVARIANT: users learn that their input is recorded before they can type.
    if (this.recordsInput) this.#terminal?.notice(INPUT_RECORDED);
    this.#channel.read(
      (bytes, isError) => this.#output(bytes, isError),
      ({ status }) => {
        this.#exitStatus = status;
        const isClosed = status === null;
        const detail = isClosed ? "The target closed the connection." : null;
        this.end({ reason: isClosed ? "target-closed" : "logout", detail });
      },
    );
  }

  get progress(): Progress {
    const [inputBytes, outputBytes, lastActivityAt] = [this.#inputBytes, this.#outputBytes, this.#lastActivityAt];
    return { id: this.session.id, inputBytes, outputBytes, lastActivityAt };
  }

  /** The number of watchers that the user sees. */
  get watcherCount(): number {
    return this.#rules.hidesWatchers ? 0 : this.#watchers.size;
  }

  /** Input of programs without a terminal is data, such as files, and is not recorded. */
  get recordsInput(): boolean {
    return this.session.recording.hasInput && this.#isInteractive;
  }

  /** Why the traffic is held back; null: it is not. */
  get heldBecause(): string | null {
    return this.#hold.reason;
  }

  /** Resolves when the session has ended and its recording is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Lets a user whose connection was lost resume the session. Changes each time. */
  get resumeSecret(): string {
    return this.#secret.toString("base64url");
  }

  /** Resolves when there is room for more input. Never rejects. */
  async input(from: Terminal, bytes: Buffer): Promise<void> {
    if (from !== this.#terminal || this.#end !== null) return;
    if (this.#hold.isInputHeld) {
      if (this.#isInteractive) return;
      await this.#hold.inputMoves();
    }
    if (!(await this.#accepted(this.#recordInput(bytes)))) return;
    this.#inputBytes += bytes.length;
    this.#risks.transferred(this.#inputBytes + this.#outputBytes);
    this.#lastActivityAt = this.#clock.now();
    await this.#channel.write(bytes);
  }

  finishInput(from: Terminal): void {
    if (from === this.#terminal && this.#end === null) this.#channel.finish();
  }

  resize(from: Terminal, size: Size): void {
    if (from !== this.#terminal || this.#end !== null) return;
    this.#size = size;
    this.#recorder.resize(size.cols, size.rows);
    this.#channel.resize(size);
    for (const watcher of this.#watchers) watcher.resized(size);
  }

  /** False when the secret is not the current one. The user's former terminal, if it is still there, is closed. */
  resume(secret: string, terminal: Terminal): boolean {
    const given = Buffer.from(secret, "base64url");
    if (this.#end !== null || given.length !== this.#secret.length || !timingSafeEqual(given, this.#secret)) {
      return false;
    }
    this.#secret = randomBytes(32);
    this.#stopWaiting?.();
    this.#stopWaiting = null;
    const former = this.#terminal;
    this.#terminal = null;
    former?.end({ reason: "logout", detail: "This session was continued in another window." }, null);
    this.#terminal = terminal;
    return true;
  }

  /** Shows the last output again. Call it after `resume`, once the user's terminal knows that it is ready. */
  replay(terminal: Terminal): void {
    void terminal.write(this.#replay.content(), false);
    if (this.#hold.reason !== null) terminal.paused(this.#hold.reason);
    terminal.watchers(this.watcherCount);
  }

  /** The user's connection was lost. The session waits for them for a minute. */
  detach(terminal: Terminal): void {
    if (terminal !== this.#terminal || this.#end !== null) return;
    this.#terminal = null;
    this.#stopWaiting = this.#clock.after(RESUME_WITHIN_MS, () =>
      this.end({ reason: "logout", detail: "The connection was lost and not resumed within 60 s." }),
    );
  }

  /** False when there are too many watchers, or the session has ended. */
  watch(terminal: Terminal): boolean {
    if (this.#end !== null || this.#watchers.size >= MOST_WATCHERS) return false;
    terminal.resized(this.#size);
    void terminal.write(this.#replay.content(), false);
    this.#watchers.add(terminal);
    this.#watchersChanged();
    return true;
  }

  unwatch(terminal: Terminal): void {
    if (this.#watchers.delete(terminal)) this.#watchersChanged();
  }

  #watchersChanged(): void {
    if (!this.#rules.hidesWatchers) this.#terminal?.watchers(this.#watchers.size);
    this.#hold.watched(this.#watchers.size > 0);
  }

  notice(text: string): void {
    this.#terminal?.notice(text);
  }

  /**
   * Reports why the recorder cannot store; null when it can again. Until then no data moves, because the recorder
   * accepts none.
   */
  paused(reason: string | null): void {
    this.#hold.recorderStopped(reason);
  }

  /** Pauses the user's input. `by`: the name of the user who paused it; null resumes the input. */
  pauseInput(by: string | null): void {
    this.#hold.pauseInput(by);
  }

  /** Applies the platform's rules, which may have changed since the session began. */
  setRules(rules: LiveRules): void {
    const [former, shown] = [this.#rules, this.watcherCount];
    this.#rules = rules;
    if (rules.needsWatcher !== former.needsWatcher) this.#hold.requireWatcher(rules.needsWatcher);
    if (this.watcherCount !== shown) this.#terminal?.watchers(this.watcherCount);
    if (rules.idleMinutes !== former.idleMinutes) this.#endWhenIdle();
  }

  #showHold(reason: string | null): void {
    this.#terminal?.paused(reason);
    for (const watcher of this.#watchers) watcher.paused(reason);
  }

  /** Sets a timer for the earliest moment the session can be idle, instead of resetting a timer on every key press. */
  #endWhenIdle(): void {
    const { idleMinutes } = this.#rules;
    this.#stopIdleTimer();
    if (idleMinutes === null || this.#end !== null) return;
    const left = idleMinutes * 60_000 - (this.#clock.now().getTime() - this.#lastActivityAt.getTime());
    if (left > 0) this.#stopIdleTimer = this.#clock.after(left, () => this.#endWhenIdle());
    else this.end({ reason: "idle", detail: `Nothing was typed for ${idleMinutes} min.` });
  }

  /** Sets the currently known end, which applies even without the database. */
  endIn(milliseconds: number): void {
    this.#stopTimer();
    const expired = { reason: "expired", detail: "This session has reached its time limit." } as const;
    this.#stopTimer =
      milliseconds > LONGEST_TIMER_MS
        ? this.#clock.after(LONGEST_TIMER_MS, () => this.endIn(milliseconds - LONGEST_TIMER_MS))
        : this.#clock.after(Math.max(0, milliseconds), () => this.end(expired));
  }

  /** Ends the session now. Further calls have no effect. */
  end(end: SessionEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#stopTimer();
    this.#stopIdleTimer();
    this.#stopWaiting?.();
    this.#hold.end();
    this.#channel.destroy();
    this.#terminal?.end(end, this.#exitStatus);
    for (const watcher of this.#watchers) watcher.end(end, null);
    this.#watchers.clear();
    this.#terminal = null;
    void this.#close(end);
  }

  async #close(end: SessionEnd): Promise<void> {
    // Not awaited: while the recorder cannot store, this waits, and `close` below ends the wait.
    void this.#describe(this.#log?.end() ?? []).catch(() => {});
    // `close` never rejects, and its duration is bounded: it gives up after some seconds without storage.
    await this.#recorder.close(CLOSING_REASONS[end.reason], this.#exitStatus ?? undefined);
    this.#onEnded(this, end);
    this.#closed.resolve();
  }

  /** INVARIANT: output reaches the user and watchers only after the recorder accepted it. */
  async #output(bytes: Buffer, isError: boolean): Promise<void> {
    if (this.#hold.isOutputHeld) await this.#hold.outputMoves();
    if (this.#end !== null) return;
    if (!(await this.#accepted(this.#recordOutput(bytes, isError)))) return;
    this.#outputBytes += bytes.length;
    if (this.#isInteractive) this.#risks.output(bytes);
    this.#risks.transferred(this.#inputBytes + this.#outputBytes);
    await this.#terminal?.write(bytes, isError);
  }

  async #recordOutput(bytes: Buffer, isError: boolean): Promise<void> {
    await (isError || this.#log === null ? this.#show(bytes, isError) : this.#describe(this.#log.output(bytes)));
  }

  /** Descriptions of input are recorded as output: they are what a player shows. */
  async #recordInput(bytes: Buffer): Promise<void> {
    await (this.#log === null ? this.#recorder.input(bytes) : this.#describe(this.#log.input(bytes)));
  }

  /** Finished transfers become marks. */
  async #describe(lines: readonly string[]): Promise<void> {
    await this.#show(textOf(lines), false);
    for (const line of lines) if (TRANSFERRED.test(line)) await this.#recorder.mark(`transfer: ${line}`);
  }

  /** Records what a player and watchers see. */
  async #show(bytes: Buffer, isError: boolean): Promise<void> {
    if (bytes.length === 0) return;
    await this.#recorder.output(bytes);
    this.#replay.add(bytes);
    for (const watcher of this.#watchers) {
      if (watcher.waitingBytes > WATCHER_BYTES) {
        this.unwatch(watcher);
        watcher.end({ reason: "failed", detail: "Your connection is too slow to watch this session." }, null);
      } else void watcher.write(bytes, isError);
    }
  }

  /** False when the session has ended in the meantime. */
  async #accepted(recorded: Promise<void>): Promise<boolean> {
    try {
      await recorded;
    } catch (error) {
      if (error instanceof TrafficError) this.end({ reason: "failed", detail: error.message });
      else {
        const detail = error instanceof RecorderClosedError ? null : "An error in the recorder ended this session.";
        this.end({ reason: "recorder-failed", detail });
      }
    }
    return this.#end === null;
  }
}

const textOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\r\n`).join(""));

const CLOSING_REASONS: Record<SessionEndReason, ClosingReason> = {
  logout: "ended",
  "target-closed": "ended",
  failed: "ended",
  idle: "ended",
  terminated: "terminated",
  expired: "access-ended",
  revoked: "access-ended",
  "checked-in": "access-ended",
  "user-disabled": "access-ended",
  "membership-removed": "access-ended",
  "account-deleted": "access-ended",
  "recorder-failed": "storage-failed",
  "database-lost": "gateway-stopped",
  "gateway-lost": "gateway-stopped",
};
