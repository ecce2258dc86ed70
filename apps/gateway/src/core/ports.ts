// The ports of the gateway's core: the stored sessions, a recorder, an upstream and a clock.
import type { Duplex } from "node:stream";
import type { SessionEndReason } from "@strongroom/contract";
import type { TerminalRecorder } from "@strongroom/recordings";

/** A session whose ticket was redeemed. */
export interface OpenedSession {
  readonly id: string;
  /** The safe's key seals the recording. */
  readonly safeId: string;
  readonly userName: string;
  /** `host:port`. */
  readonly target: string;
  readonly remoteUser: string;
  /** Milliseconds until the session reaches its maximum duration. */
  readonly endsIn: number;
  readonly rules: LiveRules;
  readonly recording: {
    /** Whether the recording contains the user's input. */
    readonly hasInput: boolean;
    /** The number of days that it is kept; null: forever. */
    readonly days: number | null;
  };
  /** The target may use the agent that the user's client offers. */
  readonly forwardsAgent: boolean;
}

/** The platform's rules, which can change while a session is live. */
export interface LiveRules {
  /** The session ends when its user has typed nothing for this long; null: never. */
  readonly idleMinutes: number | null;
  /** Four eyes: nothing moves unless another user watches. */
  readonly needsWatcher: boolean;
  /** The user does not see that the session is watched. */
  readonly hidesWatchers: boolean;
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface SessionEnd {
  readonly reason: SessionEndReason;
  /** For the user, in one or two sentences. */
  readonly detail: string | null;
}

/** The figures of a live session. */
export interface Progress {
  readonly id: string;
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** Null when it did not begin. */
  readonly lastActivityAt: Date | null;
}

export interface Ticket {
  readonly ticket: string;
  readonly sessionId: string;
  /** Null when the server does not know it. */
  readonly sourceAddress: string | null;
}

/** Opens a connection to the SSH agent of the user's client. Rejects when the client refuses. */
export type OpenAgent = () => Promise<Duplex>;

/** A redeemed ticket. */
export interface Opening {
  readonly session: OpenedSession;
  /** Logs in to the target with the account's secret. Called once. `failure` is for the user. Never rejects. */
  connect(signal: AbortSignal, agent: OpenAgent | null): Promise<{ upstream: Upstream } | { failure: string }>;
}

/** The state of this gateway's live sessions in the database. */
export interface RightsCheck {
  readonly ending: readonly (SessionEnd & { readonly id: string })[];
  /** Sessions that continue, with the milliseconds until their currently known end. */
  readonly goingOn: readonly {
    readonly id: string;
    readonly endsIn: number;
    /** The name of the user who paused the input; null: it is not paused. */
    readonly pausedBy: string | null;
    readonly rules: LiveRules;
  }[];
  /** Milliseconds until the next check is due even if nothing changes; null without a session. */
  readonly nextIn: number | null;
}

/** The sessions of this gateway in the database. `failure` is for the user. */
export interface SessionStore {
  /** Redeems a ticket once; the audit trail contains the opening before this resolves. */
  redeem(
    ticket: Ticket,
    program: Pick<Program, "kind" | "destination" | "agent">,
  ): Promise<Opening | { failure: string }>;
  /** Redeems the ticket of a watcher, and audits it. */
  redeemWatch(ticket: Ticket): Promise<{ watcher: string } | { failure: string }>;
  /** Records the end of a session. A second call has no effect. */
  end(progress: Progress, end: SessionEnd): Promise<void>;
  /**
   * Reports that this gateway is alive, with the figures of its sessions. Returns whether it may start more sessions.
   */
  report(live: readonly Progress[]): Promise<{ isDraining: boolean }>;
  /** Records why a session became riskier. A second call has no effect. */
  raiseRisk(sessionId: string, reason: string): Promise<void>;
  /** Checks the rights of all live sessions. */
  check(): Promise<RightsCheck>;
}

interface RecorderEvents {
  onPaused(message: string): void;
  onResumed(): void;
  onFailed(message: string): void;
}

/** Thrown when a program's traffic cannot be parsed for the log. The session must end; the message is shown to the user. */
export class TrafficError extends Error {}

/**
 * Describes traffic that is not text for the recording and for watchers, which then contain the descriptions instead of
 * the output. Both functions throw `TrafficError`.
 */
export interface TrafficLog {
  /** Lines about bytes from the user, before they reach the target. */
  input(bytes: Buffer): readonly string[];
  /** Lines about bytes from the target, before they reach the user. */
  output(bytes: Buffer): readonly string[];
  /** Lines about what was not finished when the session ended. Does not throw. */
  end(): readonly string[];
}

/** Rejects when the recording cannot be stored: the session must not start then. */
export type StartRecorder = (
  session: OpenedSession,
  terminal: Size & { readonly type?: string },
  events: RecorderEvents,
) => Promise<TerminalRecorder>;

/** One running program on the target: a shell or a command. */
export interface UpstreamChannel {
  /** Calls `output` for each piece, and again only after its promise has settled. Calls `ended` once, after all output. */
  read(
    output: (bytes: Buffer, isError: boolean) => Promise<void>,
    ended: (exit: { status: number | null }) => void,
  ): void;
  /** Resolves when there is room for more. Never rejects. */
  write(bytes: Buffer): Promise<void>;
  /** No more input follows. */
  finish(): void;
  resize(size: Size): void;
  /** Closes the connection to the target immediately. */
  destroy(): void;
}

/** The program that a user runs on the target. */
export interface Program {
  readonly kind: "shell" | "exec" | "sftp" | "forward";
  /** The command of `exec`; null for the other kinds. */
  readonly command: string | null;
  /** Null: without a terminal. */
  readonly terminal: (Size & { readonly type: string }) | null;
  /** Where the target connects to for `forward`. */
  readonly destination?: { readonly host: string; readonly port: number };
  /** The client offers its SSH agent. */
  readonly agent?: OpenAgent;
}

export interface Upstream {
  start(program: Program): Promise<{ channel: UpstreamChannel } | { failure: string }>;
  destroy(): void;
}

/** A clock that can also call a function later. */
export interface TimerClock {
  now(): Date;
  /** Calls `act` once after `milliseconds`. Returns a function that cancels it. */
  after(milliseconds: number, act: () => void): () => void;
}
