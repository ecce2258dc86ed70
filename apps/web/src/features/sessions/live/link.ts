// The WebSocket of a terminal: output, input, sizes, and resuming after a lost connection.
import { SessionEndReason } from "@strongroom/contract";
import { z } from "zod";
import type { TerminalSize } from "../screen/screen.ts";

/** The gateway keeps the session of a lost connection this long. */
const RESUME_WITHIN_MS = 60_000;
const RETRY_AFTER_MS = 1000;
/** The terminal refuses 50 MB. A connection that is this far behind starts again from the latest output. */
const MAX_UNSHOWN_BYTES = 16 * 1024 * 1024;

const GatewayFrame = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("ready"),
    recorded: z.boolean(),
    input: z.boolean(),
    watchers: z.number(),
    secret: z.string(),
  }),
  z.object({ t: z.literal("watching"), user: z.string() }),
  z.object({ t: z.literal("notice"), text: z.string() }),
  z.object({ t: z.literal("paused"), reason: z.string() }),
  z.object({ t: z.literal("resumed") }),
  z.object({ t: z.literal("watchers"), n: z.number() }),
  z.object({
    t: z.literal("size"),
    cols: z.number().int().min(1).max(1000),
    rows: z.number().int().min(1).max(1000),
  }),
  z.object({ t: z.literal("end"), reason: SessionEndReason.nullable(), detail: z.string().nullable() }),
]);
type GatewayFrame = z.infer<typeof GatewayFrame>;

export interface TerminalLinkEnd {
  /** Null when the session did not begin, or can no longer be reached. */
  reason: SessionEndReason | null;
  detail: string | null;
}

export interface TerminalLinkState {
  phase: "connecting" | "live" | "reconnecting" | "ended";
  isRecorded: boolean;
  /** Whether the recording contains the user's input. */
  isInputRecorded: boolean;
  watchers: number;
  /** Why output and input wait. */
  paused: string | null;
  end: TerminalLinkEnd | null;
}

export const CONNECTING: TerminalLinkState = {
  phase: "connecting",
  isRecorded: false,
  isInputRecorded: false,
  watchers: 0,
  paused: null,
  end: null,
};

interface TerminalLinkScreen {
  write: (data: Uint8Array) => Promise<void>;
  resize: (size: TerminalSize) => void;
  clear: () => void;
}

export interface TerminalLinkOptions {
  url: string;
  /** Can be redeemed only once. */
  ticket: string;
  screen: TerminalLinkScreen;
  /** The size of the user's own terminal. Without it, the link watches and sends nothing. */
  size?: () => TerminalSize;
  onState: (state: TerminalLinkState) => void;
  onNotice: (text: string) => void;
  resumeWithinMs?: number;
}

export class TerminalLink {
  readonly #options: TerminalLinkOptions;
  #socket: WebSocket | null = null;
  #state: TerminalLinkState = CONNECTING;
  /** Resumes the session; new after each connection. It is kept in memory only. */
  #secret: string | null = null;
  #lostAt: number | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #unshownBytes = 0;

  constructor(options: TerminalLinkOptions) {
    this.#options = options;
    this.#open();
  }

  /** Keys and pasted text. Dropped while the connection is lost. */
  input(data: string): void {
    if (this.#state.phase === "live") this.#send(new TextEncoder().encode(data));
  }

  resize(size: TerminalSize): void {
    if (this.#state.phase === "live") this.#send(JSON.stringify({ t: "resize", ...size }));
  }

  close(): void {
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #open(): void {
    const { url, ticket, size } = this.#options;
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    const first = this.#secret === null ? { t: "ticket", ticket } : { t: "resume", secret: this.#secret };
    socket.addEventListener("open", () => socket.send(JSON.stringify({ ...first, ...size?.() })));
    socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (socket !== this.#socket) return;
      if (typeof data === "string") this.#take(data);
      else this.#show(new Uint8Array(data));
    });
    // An error is followed by a close.
    socket.addEventListener("close", () => {
      if (socket === this.#socket) this.#lose();
    });
  }

  #send(message: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(message);
  }

  #show(bytes: Uint8Array): void {
    this.#unshownBytes += bytes.length;
    void this.#options.screen.write(bytes).then(() => (this.#unshownBytes -= bytes.length));
    if (this.#unshownBytes > MAX_UNSHOWN_BYTES) this.#socket?.close();
  }

  #take(text: string): void {
    const frame = frameOf(text);
    if (frame === null) return;
    switch (frame.t) {
      case "ready":
        this.#begin(frame);
        break;
      case "watching":
        this.#change({ phase: "live" });
        break;
      case "notice":
        this.#options.onNotice(frame.text);
        break;
      case "paused":
        this.#change({ paused: frame.reason });
        break;
      case "resumed":
        this.#change({ paused: null });
        break;
      case "watchers":
        this.#change({ watchers: frame.n });
        break;
      case "size":
        this.#options.screen.resize(frame);
        break;
      case "end":
        this.#end(frame);
        break;
      default:
        frame satisfies never;
    }
  }

  #begin({ secret, recorded, input, watchers }: Extract<GatewayFrame, { t: "ready" }>): void {
    // The gateway shows the last output again.
    if (this.#secret !== null) this.#options.screen.clear();
    this.#secret = secret;
    this.#lostAt = null;
    this.#change({ phase: "live", isRecorded: recorded, isInputRecorded: input, watchers, paused: null });
  }

  #end({ reason, detail }: TerminalLinkEnd): void {
    this.close();
    this.#change({ phase: "ended", end: { reason, detail } });
  }

  #lose(): void {
    if (this.#secret === null) {
      const began = this.#state.phase === "live";
      const detail = began ? "The connection was lost." : "The session gateway could not be reached. Try again.";
      this.#end({ reason: null, detail });
      return;
    }
    const now = Date.now();
    this.#lostAt ??= now;
    const { resumeWithinMs = RESUME_WITHIN_MS } = this.#options;
    if (now - this.#lostAt >= resumeWithinMs) {
      this.#end({ reason: null, detail: "The connection was lost and could not be resumed in time." });
      return;
    }
    this.#change({ phase: "reconnecting" });
    this.#retry = setTimeout(() => this.#open(), Math.min(RETRY_AFTER_MS, resumeWithinMs));
  }

  #change(changed: Partial<TerminalLinkState>): void {
    this.#state = { ...this.#state, ...changed };
    this.#options.onState(this.#state);
  }
}

/** Null for a message that this version does not know. */
function frameOf(text: string): GatewayFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return GatewayFrame.safeParse(value).data ?? null;
}
