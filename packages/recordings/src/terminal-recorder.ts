// Records a terminal session: accepts events only while a crash would lose little of them.
import { castHeaderLine, MAX_COLUMNS, MAX_ROWS, type CastCode } from "./asciicast.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import type { ClosingReason } from "./recording-format.ts";
import { EventBuffer } from "./event-buffer.ts";
import { ECHO_WITHIN, InputMask } from "./input-mask.ts";
import { ChunkChain, type ChunkText } from "./seal-chunk.ts";
import {
  RECORDER_LIMITS,
  RecorderClosedError,
  type RecordingSummary,
  type TerminalRecorder,
  type TerminalRecorderOptions,
} from "./terminal-recorder-types.ts";

/** Larger output is accepted in parts of this size. */
const PART_BYTES = 64 * 1024;
/** A chunk is stored early when it is this large, so that the next one can fill in the meantime. */
const LARGE_CHUNK_BYTES = RECORDER_LIMITS.unstoredBytes / 2;
const MAX_LABEL = 1000;
const ACCEPTED = Promise.resolve();

const PAUSED =
  "The session is paused: its recording cannot be stored. It ends in 8 seconds unless storage works again.";
const FAILED = "The session was ended because its recording could not be stored.";

/**
 * Starts a recording: stores the first chunk, so that the session is recorded before it can be used. Rejects with
 * StoreFailedError when that takes 10 s.
 */
export async function startTerminalRecorder(options: TerminalRecorderOptions): Promise<TerminalRecorder> {
  const recorder = new Recorder(options);
  await recorder.start();
  return recorder;
}

/** An event that waits until the store has caught up. */
interface Waiting {
  readonly code: CastCode;
  bytes: Uint8Array;
  readonly accept: () => void;
  readonly refuse: (error: RecorderClosedError) => void;
}

class Recorder implements TerminalRecorder {
  readonly #options: TerminalRecorderOptions;
  readonly #chain: ChunkChain;
  readonly #writer: ChunkWriter;
  readonly #begun: number;
  readonly #events = new EventBuffer();
  readonly #outputText = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #inputText = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #mask: InputMask | null;
  readonly #waiting: Waiting[] = [];
  /** Input that is not recorded, held back while the session is paused. */
  #heldInput: Pick<Waiting, "accept" | "refuse">[] = [];
  #waitingSize: { cols: number; rows: number } | null = null;
  #writing: ChunkText | null = null;
  #work: Promise<void> = Promise.resolve();
  #cancelFlush: (() => void) | null = null;
  #cancelMask: (() => void) | null = null;
  #state: TerminalRecorder["state"] = "recording";
  #hasFailed = false;
  #refusal = new RecorderClosedError();
  #summary: Promise<RecordingSummary> | null = null;

  constructor(options: TerminalRecorderOptions) {
    const { recordingId, startedAt, seal, store, clock, recordsInput, onStored } = options;
    this.#options = options;
    this.#chain = new ChunkChain(recordingId, startedAt, seal);
    this.#mask = recordsInput === true ? new InputMask() : null;
    this.#begun = clock.now();
    this.#writer = new ChunkWriter({
      chain: this.#chain,
      store,
      clock,
      onStored: onStored ?? (() => {}),
      onStalled: (isStalled) => this.#stall(isStalled),
    });
  }

  get state(): TerminalRecorder["state"] {
    return this.#state;
  }

  async start(): Promise<void> {
    const { terminal, title, startedAt } = this.#options;
    const timestamp = Math.floor(startedAt.getTime() / 1000);
    const header = { ...clamped(terminal.cols, terminal.rows), type: terminal.type, timestamp, title };
    const text = Buffer.from(castHeaderLine(header));
    await this.#writer.write({ text, from: 0, to: 0, outputBytes: 0, bytes: 0 });
  }

  output(bytes: Uint8Array): Promise<void> {
    return this.#accept("o", bytes);
  }

  input(bytes: Uint8Array): Promise<void> {
    if (this.#mask !== null) return this.#accept("i", bytes);
    if (this.#state === "closed") return Promise.reject(this.#refusal);
    if (this.#state === "recording") return Promise.resolve();
    return new Promise((accept, refuse) => this.#heldInput.push({ accept, refuse }));
  }

  resize(cols: number, rows: number): void {
    this.#waitingSize = clamped(cols, rows);
    this.#acceptWaiting();
  }

  mark(label: string): Promise<void> {
    return this.#accept("m", Buffer.from(label.slice(0, MAX_LABEL).toWellFormed()));
  }

  close(reason: ClosingReason, exitStatus?: number): Promise<RecordingSummary> {
    this.#summary ??= this.#close(reason, exitStatus);
    return this.#summary;
  }

  /** Milliseconds since the start. */
  get #now(): number {
    return Math.round(this.#options.clock.now() - this.#begun);
  }

  get #unstoredBytes(): number {
    return (this.#writing?.bytes ?? 0) + this.#events.bytes;
  }

  #accept(code: CastCode, bytes: Uint8Array): Promise<void> {
    if (this.#state === "closed") return Promise.reject(this.#refusal);
    if (this.#acceptAtOnce(code, bytes)) return ACCEPTED;
    return new Promise((accept, refuse) => {
      this.#waiting.push({ code, bytes, accept, refuse });
      this.#acceptWaiting();
    });
  }

  /** False when the event has to wait. */
  #acceptAtOnce(code: CastCode, bytes: Uint8Array): boolean {
    const isNext = this.#waiting.length === 0 && this.#waitingSize === null;
    if (!isNext || bytes.length > PART_BYTES || !this.#hasRoom(bytes.length)) return false;
    this.#add(code, bytes);
    this.#scheduleFlush();
    return true;
  }

  /** Accepts as many events as there is room for, in order. */
  #acceptWaiting(): void {
    if (this.#state === "closed") return;
    if (this.#waitingSize !== null && this.#hasRoom(0)) {
      const { cols, rows } = this.#waitingSize;
      this.#waitingSize = null;
      this.#events.add(this.#now, "r", `${cols}x${rows}`, 0);
    }
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const part = next.bytes.subarray(0, PART_BYTES);
      if (!this.#hasRoom(part.length)) break;
      this.#add(next.code, part);
      next.bytes = next.bytes.subarray(part.length);
      if (next.bytes.length > 0) continue;
      this.#waiting.shift();
      next.accept();
    }
    this.#scheduleFlush();
  }

  /** INVARIANT: at most 256 kB and at most 1 s of accepted output is not yet stored. */
  #hasRoom(bytes: number): boolean {
    if (this.#writer.isFailing || this.#unstoredBytes + bytes > RECORDER_LIMITS.unstoredBytes) return false;
    const oldest = this.#writing?.from ?? this.#events.oldest;
    return oldest === null || this.#now - oldest < RECORDER_LIMITS.unstoredAge;
  }

  #add(code: CastCode, bytes: Uint8Array): void {
    const at = this.#now;
    if (code === "o") {
      const text = this.#outputText.decode(bytes, { stream: true });
      this.#events.addOutput(at, text, bytes.length);
      this.#addInput(at, this.#mask?.shown(text, at) ?? "", 0);
    } else if (code === "i") {
      const text = this.#inputText.decode(bytes, { stream: true });
      this.#addInput(at, this.#mask?.typed(text, at) ?? "", bytes.length);
    } else {
      this.#events.add(at, code, Buffer.from(bytes).toString(), bytes.length);
    }
  }

  #addInput(at: number, text: string, bytes: number): void {
    if (text !== "") this.#events.add(at, "i", text, bytes);
    this.#cancelMask?.();
    this.#cancelMask = null;
    const since = this.#mask?.waitingSince ?? null;
    if (since === null || this.#state === "closed") return;
    this.#cancelMask = this.#options.clock.after(Math.max(0, since + ECHO_WITHIN - at), () => {
      this.#addInput(this.#now, this.#mask?.due(this.#now) ?? "", 0);
      this.#scheduleFlush();
    });
  }

  /** Stores the next chunk now if it is large or old enough, else as soon as it will be. */
  #scheduleFlush(): void {
    const { oldest, bytes } = this.#events;
    if (this.#writing !== null || oldest === null || this.#state === "closed") return;
    const wait =
      bytes >= LARGE_CHUNK_BYTES ? 0 : oldest + (this.#options.flushAfter ?? RECORDER_LIMITS.flushAfter) - this.#now;
    if (wait > 0) {
      this.#cancelFlush ??= this.#options.clock.after(wait, () => {
        this.#cancelFlush = null;
        this.#scheduleFlush();
      });
      return;
    }
    this.#work = this.#flush().catch((error: unknown) => this.#fail(error));
  }

  /** Stores everything that was accepted so far. */
  async #flush(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    this.#writing = this.#events.take();
    if (this.#writing === null) return;
    await this.#writer.write(this.#writing);
    this.#writing = null;
    this.#acceptWaiting();
  }

  #stall(isStalled: boolean): void {
    if (this.#state === "closed") return;
    this.#state = isStalled ? "paused" : "recording";
    if (isStalled) {
      this.#options.onPaused?.(PAUSED);
      return;
    }
    const held = this.#heldInput;
    this.#heldInput = [];
    for (const { accept } of held) accept();
    this.#options.onResumed?.();
  }

  #fail(cause: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#refusal = new RecorderClosedError(FAILED, { cause });
    this.#refuseWaiting();
    this.#options.onFailed?.(FAILED);
  }

  #refuseWaiting(): void {
    this.#state = "closed";
    this.#cancelFlush?.();
    this.#cancelMask?.();
    for (const { refuse } of [...this.#waiting.splice(0), ...this.#heldInput.splice(0)]) refuse(this.#refusal);
  }

  async #close(reason: ClosingReason, exitStatus?: number): Promise<RecordingSummary> {
    this.#refuseWaiting();
    this.#addLast(exitStatus);
    await this.#work;
    try {
      if (!this.#hasFailed) {
        await this.#flush();
        await this.#writer.close(reason, this.#now);
        return this.#summarise(reason, 0, true);
      }
    } catch {
      // Storing failed for 10 s, for the first time: as below.
    }
    const { unstoredBytes, isClosed } = await this.#writer.closeFailed(this.#writing, this.#now, this.#unstoredBytes);
    return this.#summarise("storage-failed", unstoredBytes, isClosed);
  }

  #addLast(exitStatus: number | undefined): void {
    const at = this.#now;
    const rest = this.#outputText.decode();
    if (rest !== "") this.#events.addOutput(at, rest, 0);
    this.#addInput(at, this.#mask?.end() ?? "", 0);
    if (Number.isInteger(exitStatus)) this.#events.add(at, "x", String(exitStatus), 0);
  }

  #summarise(reason: ClosingReason, unstoredBytes: number, isClosed: boolean): RecordingSummary {
    const { chunks, outputBytes, digest } = this.#chain;
    return { reason, chunks, outputBytes, unstoredBytes, digest, isClosed };
  }
}

function clamped(cols: number, rows: number): { cols: number; rows: number } {
  const within = (value: number, most: number) => Math.min(Math.max(Math.trunc(value) || 1, 1), most);
  return { cols: within(cols, MAX_COLUMNS), rows: within(rows, MAX_ROWS) };
}
