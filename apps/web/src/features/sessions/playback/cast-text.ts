// The marks of a recording, and text search in its output.
import type { CastEvent } from "@strongroom/recordings/asciicast";

export interface CastMark {
  /** Position in the list of events. */
  index: number;
  kind: string;
  text: string;
}

const LABELED = /^(command|privilege|error|login|transfer|note): (.*)$/s;

/** Recorded marks, and each line of recorded input, in order. */
export function marksOf(events: readonly CastEvent[]): CastMark[] {
  const marks = events.flatMap(({ code, data }, index) => {
    if (code !== "m") return [];
    const [, kind = "note", text = data] = LABELED.exec(data) ?? [];
    return [{ index, kind, text }];
  });
  return [...marks, ...inputLinesOf(events)].toSorted((one, other) => one.index - other.index);
}

const ENTER = /[\r\n]/;
const BACKSPACE = "\u007f";
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f]/g;

function inputLinesOf(events: readonly CastEvent[]): CastMark[] {
  const lines: CastMark[] = [];
  let typed = "";
  let begun = 0;
  const finish = (): void => {
    const text = withoutErased(typed.replace(SEQUENCES, "")).replace(CONTROLS, "").trim();
    if (text !== "") lines.push({ index: begun, kind: "input", text });
    typed = "";
  };
  for (const [index, { code, data }] of events.entries()) {
    if (code !== "i") continue;
    for (const [at, part] of data.split(ENTER).entries()) {
      if (at > 0) finish();
      if (typed === "") begun = index;
      typed += part;
    }
  }
  finish();
  return lines;
}

/** Applies backspaces. */
function withoutErased(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character === BACKSPACE) kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}

/** Control sequences: they move the cursor and set colours, and are not text. */
// oxlint-disable-next-line no-control-regex
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|[ -/]*[0-~])/g;

/** Finds text in the output. Text that the terminal put together by moving the cursor is not found. */
export class CastText {
  #text = "";
  /** Where the output of each event with text begins. */
  readonly #starts: { at: number; index: number }[] = [];

  constructor(events: readonly CastEvent[]) {
    const pieces: string[] = [];
    let at = 0;
    for (const [index, { code, data }] of events.entries()) {
      const piece = code === "o" ? data.replace(SEQUENCES, "").toLowerCase() : "";
      if (piece === "") continue;
      this.#starts.push({ at, index });
      pieces.push(piece);
      at += piece.length;
    }
    this.#text = pieces.join("");
  }

  /** The event that shows the end of the next match of this text after event `after`, else of the first one; null without one. */
  next(text: string, after: number): number | null {
    const wanted = text.toLowerCase();
    const from = this.#starts.find(({ index }) => index > after)?.at ?? this.#text.length;
    const here = this.#text.indexOf(wanted, from);
    const found = here === -1 ? this.#text.indexOf(wanted) : here;
    if (found === -1 || wanted === "") return null;
    return this.#starts.findLast(({ at }) => at < found + wanted.length)?.index ?? null;
  }
}
