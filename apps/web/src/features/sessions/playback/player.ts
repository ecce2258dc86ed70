// Plays a recorded terminal: speed, pauses and position. It knows no clock; its caller tells it the elapsed time.
import { CastReader, parseSize, type CastEvent, type CastHeader } from "@strongroom/recordings/asciicast";
import type { TerminalSize } from "../screen/screen.ts";

export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;
/** Pauses longer than this are cut to it when idle time is skipped. */
const MAX_PAUSE_MS = 1000;
/** The terminal keeps up with pieces of this size; it refuses 50 MB at once. */
const PIECE_LENGTH = 256 * 1024;

export interface Cast {
  header: CastHeader;
  events: readonly CastEvent[];
}

/** Throws CastError when the recording is damaged. */
export function parseCast(bytes: Uint8Array): Cast {
  const reader = new CastReader();
  const events = [...reader.push(bytes), ...reader.end()];
  // `end` throws without a header.
  return { header: reader.header as CastHeader, events };
}

/** When each event is shown, in milliseconds of playing time at normal speed. */
export function scheduleOf(events: readonly CastEvent[], skipsIdle: boolean): number[] {
  let shown = 0;
  let before = 0;
  return events.map(({ at }) => {
    const pause = at - before;
    before = at;
    shown += skipsIdle ? Math.min(pause, MAX_PAUSE_MS) : pause;
    return shown;
  });
}

export interface PlayerScreen {
  write: (text: string) => Promise<void>;
  resize: (size: TerminalSize) => void;
  clear: (size: TerminalSize) => void;
}

export class Player {
  readonly #cast: Cast;
  readonly #screen: PlayerScreen;
  #schedule: number[];
  #position = 0;
  /** The first event that is not shown yet. */
  #next = 0;
  /** Counts seeks, so that a later one ends an earlier one. */
  #turn = 0;
  #isWriting = false;

  constructor(cast: Cast, screen: PlayerScreen, skipsIdle: boolean) {
    this.#cast = cast;
    this.#screen = screen;
    this.#schedule = scheduleOf(cast.events, skipsIdle);
    screen.clear(cast.header);
  }

  get position(): number {
    return this.#position;
  }

  get duration(): number {
    return this.#schedule.at(-1) ?? 0;
  }

  get isOver(): boolean {
    return this.#position >= this.duration;
  }

  /** The last event that is shown; -1 before the first. */
  get shownEvent(): number {
    return this.#next - 1;
  }

  /** When this event is shown. */
  positionOf(event: number): number {
    return this.#schedule[event] ?? this.duration;
  }

  /** The place of a time of the recording, which idle time does not change. */
  positionAt(ms: number): number {
    const event = this.#cast.events.findIndex(({ at }) => at >= ms);
    return event === -1 ? this.duration : this.positionOf(event);
  }

  /** Waits for the screen first: time does not pass while it is behind. */
  async advance(ms: number): Promise<void> {
    if (!this.#isWriting) await this.#showUntil(this.#position + ms);
  }

  async seek(position: number): Promise<void> {
    if (position < this.#position) {
      this.#next = 0;
      this.#screen.clear(this.#cast.header);
    }
    await this.#showUntil(position);
  }

  /** Keeps the position in the recording. */
  setSkipsIdle(skipsIdle: boolean): void {
    const late = this.#position - (this.#schedule[this.#next - 1] ?? 0);
    this.#schedule = scheduleOf(this.#cast.events, skipsIdle);
    const upTo = this.#schedule[this.#next] ?? this.duration;
    this.#position = Math.min((this.#schedule[this.#next - 1] ?? 0) + late, upTo);
  }

  async #showUntil(position: number): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    this.#position = Math.min(Math.max(0, position), this.duration);
    const { events } = this.#cast;
    this.#isWriting = true;
    while (turn === this.#turn && this.#isDue()) {
      let output = "";
      while (this.#isDue() && output.length < PIECE_LENGTH && events[this.#next]?.code !== "r") {
        const event = events[this.#next];
        if (event?.code === "o") output += event.data;
        this.#next += 1;
      }
      if (output !== "") await this.#screen.write(output);
      else this.#resize();
    }
    if (turn === this.#turn) this.#isWriting = false;
  }

  #isDue(): boolean {
    return (this.#schedule[this.#next] ?? Infinity) <= this.#position;
  }

  #resize(): void {
    const event = this.#cast.events[this.#next];
    if (event?.code !== "r" || !this.#isDue()) return;
    const size = parseSize(event.data);
    if (size !== null) this.#screen.resize(size);
    this.#next += 1;
  }
}
