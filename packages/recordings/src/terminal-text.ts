// The text of a recorded terminal as its screen showed it, with times, for search. Not for the gateway: it takes a whole terminal.
import headless from "@xterm/headless";
import type { IBuffer, IMarker, Terminal } from "@xterm/headless";
import { MAX_ROWS, parseSize, type CastEvent } from "./asciicast.ts";
import type { ReadRecordingChunk } from "./read-recording.ts";
import { commandIn, commandMark, lineMark, recordedMark, type Mark } from "./terminal-marks.ts";

export { MARK_KINDS } from "./terminal-marks.ts";
export type { Mark, MarkKind } from "./terminal-marks.ts";

export interface ShownLine {
  /** When it was shown, in milliseconds since the start: exact to the chunk. */
  readonly at: number;
  /** Without colours, and without the line breaks of a narrow terminal. At most 4096 characters. */
  readonly text: string;
}

export interface TerminalText {
  readonly lines: readonly ShownLine[];
  readonly marks: readonly Mark[];
}

/** Lines are collected after this much output, so that none scrolls out of the terminal before. */
const PIECE_LENGTH = 8192;
const PIECE_LINES = 500;
const SCROLLBACK = 1000;
const MAX_LINE = 4096;
/**
 * Insert, delete and scroll lines, repeat a character, tabs: the terminal runs these one by one, up to two billion
 * times.
 */
const REPEATING = ["L", "M", "S", "T", "b", "I", "Z"];
/** Collecting costs more than writing, so hostile output must not ask for it at every other byte. */
const MAX_ERASES = 50;

/** Sequences that erase what is shown: the alternate screen ends, the screen is cleared, the terminal is reset. */
// oxlint-disable-next-line no-control-regex
const ERASES = /(?=\u001b\[\?(?:47|1047|1049)[hl]|\u001b\[[0-3]?J|\u001bc)/g;
// oxlint-disable-next-line no-control-regex
const HAS_TEXT = /[^\u0000-\u001f\u007f]/;

/**
 * Yields the lines that became visible and the marks, chunk by chunk. A line counts once the cursor has left it. In full-screen
 * programs every new text on the screen is a line. Memory is bounded by one terminal, whatever was recorded. Text that was
 * overwritten within one piece of output is not found: only playback shows everything.
 */
export async function* terminalText(
  chunks: AsyncIterable<Pick<ReadRecordingChunk, "header" | "events">>,
): AsyncGenerator<TerminalText> {
  let screen: Screen | null = null;
  for await (const { header, events } of chunks) {
    screen ??= new Screen(header.cols, header.rows);
    for (const event of joined(events ?? [])) await screen.take(event);
    screen.harvest();
    const text = screen.collect();
    if (text.lines.length + text.marks.length > 0) yield text;
  }
  if (screen === null) return;
  screen.end();
  const rest = screen.collect();
  if (rest.lines.length + rest.marks.length > 0) yield rest;
}

/** Output without anything between is written at once: each write waits for a timer. Its time is that of the first part. */
function joined(events: readonly CastEvent[]): CastEvent[] {
  const parts: CastEvent[] = [];
  for (const event of events) {
    if (event.code === "i" || event.code === "x") continue;
    const last = parts.at(-1);
    if (last?.code === "o" && event.code === "o") parts.splice(-1, 1, { ...last, data: last.data + event.data });
    else parts.push(event);
  }
  return parts;
}

/** A line of the terminal, which may continue on several rows. */
interface Line {
  readonly start: number;
  readonly rows: readonly string[];
  readonly text: string;
}

class Screen {
  readonly #terminal: Terminal;
  #lines: ShownLine[] = [];
  #marks: Mark[] = [];
  #at = 0;
  /** The screen's rows when lines were collected last; null for a row that was not reported yet. */
  #shown: (string | null)[] = [];
  /** The same of the alternate screen, on which full-screen programs draw: rows move there, so only texts are compared. */
  #shownAlternate = new Set<string>();
  #announcesCommands = false;
  #command: { marker: IMarker; column: number } | null = null;
  #pieceLength = 0;
  #pieceLines = 0;

  constructor(cols: number, rows: number) {
    const options = { cols, rows, scrollback: SCROLLBACK, allowProposedApi: true, logLevel: "off" as const };
    this.#terminal = new headless.Terminal(options);
    this.#terminal.parser.registerOscHandler(133, (data) => this.#shellIntegration(data));
    for (const final of REPEATING) {
      this.#terminal.parser.registerCsiHandler({ final }, ([count = 1]) => Number(count) > MAX_ROWS);
    }
  }

  async take({ at, code, data }: CastEvent): Promise<void> {
    this.#at = at;
    if (code === "o") await this.#write(data);
    else if (code === "m") this.#marks.push(recordedMark(at, data));
    else if (code === "r") this.#resize(data);
  }

  collect(): TerminalText {
    const text = { lines: this.#lines, marks: this.#marks };
    this.#lines = [];
    this.#marks = [];
    return text;
  }

  end(): void {
    this.harvest(true);
    this.#terminal.dispose();
  }

  async #write(output: string): Promise<void> {
    const [first = "", ...erasing] = output.split(ERASES);
    await this.#writePieces(first);
    const rest = erasing.length > MAX_ERASES ? [erasing.slice(MAX_ERASES).join("")] : [];
    for (const part of [...erasing.slice(0, MAX_ERASES), ...rest]) {
      // The text that is about to be erased was visible.
      if (this.#pieceLength > 0) this.harvest(true);
      await this.#writePieces(part);
    }
  }

  async #writePieces(output: string): Promise<void> {
    for (const lines of output.match(/(?:[^\n\v\f]{0,8192}[\n\v\f]){1,500}|[^\n\v\f]{1,8192}/g) ?? []) {
      for (let from = 0; from < lines.length; from += PIECE_LENGTH) {
        const piece = lines.slice(from, from + PIECE_LENGTH);
        const breaks = piece.split(/[\n\v\f]/).length - 1;
        const isFull = this.#pieceLength + piece.length > PIECE_LENGTH || this.#pieceLines + breaks > PIECE_LINES;
        if (isFull) this.harvest();
        await new Promise<void>((resolve) => this.#terminal.write(piece, resolve));
        this.#pieceLength += HAS_TEXT.test(piece) ? piece.length : 0;
        this.#pieceLines += breaks;
      }
    }
  }

  #resize(data: string): void {
    const size = parseSize(data);
    if (size === null) return;
    this.harvest();
    this.#terminal.resize(size.cols, size.rows);
    // Rows moved and wrapped again. Their text has been reported, except for the cursor's line.
    const { baseY } = this.#terminal.buffer.normal;
    this.#shown = linesOf(this.#terminal.buffer.normal)
      .flatMap(({ rows }) => rows)
      .slice(baseY);
  }

  /** Reports what changed since the last call. `isLast`: the cursor's line too. */
  harvest(isLast = false): void {
    const buffer = this.#terminal.buffer.active;
    const cursor = buffer.baseY + buffer.cursorY;
    const isAlternate = buffer.type === "alternate";
    const lines = linesOf(buffer);
    const shown: (string | null)[] = [];
    const shownAlternate = new Set<string>();
    for (const { start, rows, text } of lines) {
      const isShown = isAlternate
        ? this.#shownAlternate.has(text)
        : rows.every((row, index) => this.#shown[start + index] === row);
      const isWriting = !isLast && start <= cursor && cursor < start + rows.length;
      if (text !== "" && !isShown && !isWriting) this.#report(text, isAlternate);
      if (!isWriting || isShown) shownAlternate.add(text);
      for (const row of rows) shown.push(isWriting && !isShown ? null : row);
    }
    this.#pieceLength = 0;
    this.#pieceLines = 0;
    if (isAlternate) {
      this.#shownAlternate = shownAlternate;
      return;
    }
    this.#shownAlternate.clear();
    this.#shown = shown.slice(buffer.baseY);
    if (buffer.baseY === 0) return;
    // Forgets the lines that scrolled away.
    this.#terminal.options.scrollback = 0;
    this.#terminal.options.scrollback = SCROLLBACK;
  }

  #report(text: string, isAlternate: boolean): void {
    this.#lines.push({ at: this.#at, text });
    if (isAlternate) return;
    const mark = lineMark(this.#at, text);
    const command = this.#announcesCommands ? null : commandIn(text);
    if (command !== null) this.#addCommand(command);
    else if (mark !== null) this.#marks.push(mark);
  }

  #addCommand(command: string): void {
    const mark = commandMark(this.#at, command);
    if (mark !== null) this.#marks.push(mark);
  }

  /** OSC 133: A prompt, B command line, C command runs, D command ended. */
  #shellIntegration(data: string): boolean {
    const [step, status] = data.split(";");
    const buffer = this.#terminal.buffer.active;
    if (step === "B") {
      this.#announcesCommands = true;
      this.#command?.marker.dispose();
      const marker = this.#terminal.registerMarker(0);
      this.#command = marker === undefined ? null : { marker, column: buffer.cursorX };
    }
    if (step === "C" && this.#command !== null) {
      const { marker, column } = this.#command;
      this.#addCommand(this.#textFrom(marker.line, column));
      marker.dispose();
      this.#command = null;
    }
    if (step === "D" && status !== undefined && /^[1-9]\d{0,9}$/.test(status)) {
      this.#marks.push({ at: this.#at, kind: "error", text: `exit status ${status}` });
    }
    return true;
  }

  /** The text from there to the cursor. */
  #textFrom(row: number, column: number): string {
    const buffer = this.#terminal.buffer.active;
    const cursor = buffer.baseY + buffer.cursorY;
    let text = "";
    for (let at = row; at >= 0 && at <= cursor && text.length < MAX_LINE; at++) {
      const line = buffer.getLine(at)?.translateToString(true, at === row ? column : 0) ?? "";
      text += at === row || buffer.getLine(at)?.isWrapped === true ? line : `\n${line}`;
    }
    return text;
  }
}

/** The lines of a buffer, from the oldest. */
function linesOf(buffer: IBuffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < buffer.length;) {
    let end = start + 1;
    while (end < buffer.length && buffer.getLine(end)?.isWrapped === true) end += 1;
    const rows = Array.from({ length: end - start }, (_, index) => {
      const isLast = start + index === end - 1;
      return buffer.getLine(start + index)?.translateToString(isLast) ?? "";
    });
    lines.push({ start, rows, text: rows.join("").trimEnd().slice(0, MAX_LINE) });
    start = end;
  }
  return lines;
}
