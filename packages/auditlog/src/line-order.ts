// Sorts the lines of a complete export, in bounded memory, and reports lines that are out of order or missing.
import { entries } from "./findings.ts";
import type { Findings } from "./findings.ts";
import type { EntryLine } from "./export-format.ts";
import type { SignedCheckpoint } from "./log-trace.ts";

interface PlacedEntry extends EntryLine {
  /** The line number in the file, from 1. */
  readonly lineNumber: number;
}

export interface PlacedCheckpoint extends SignedCheckpoint {
  readonly type: "checkpoint";
  readonly lineNumber: number;
}

export type Placed = PlacedEntry | PlacedCheckpoint;

/** How many lines may be out of order before the missing ones are reported. */
const WINDOW = 512;

/**
 * Yields entries with increasing indexes (gaps are reported, then skipped) and each checkpoint after the last entry
 * that it covers. A checkpoint whose position has passed already, or never comes, is yielded where it was read.
 */
export async function* inOrder(lines: AsyncIterable<Placed>, findings: Findings): AsyncGenerator<Placed> {
  let next = 0;
  let held: Placed[] = [];

  const release = function* () {
    const lined = lineUp(held, next, findings);
    held = [];
    for (const placed of lined) {
      if (placed.type === "entry") next = placed.index + 1;
      yield placed;
    }
  };

  for await (const placed of lines) {
    const isInPlace = placed.type === "entry" ? placed.index === next : placed.size <= next;
    if (held.length === 0 && isInPlace) {
      if (placed.type === "entry") next++;
      yield placed;
    } else if (placed.type === "entry" && placed.index < next) {
      reportLate(placed, findings);
    } else {
      held.push(placed);
      if (held.length >= WINDOW || isRun(held, next)) yield* release();
    }
  }
  yield* release();
}

/**
 * Returns whether the buffered entries fill the indexes from `next` on, each once, with no checkpoint waiting for later
 * ones.
 */
function isRun(held: readonly Placed[], next: number): boolean {
  let [count, last, covered] = [0, next - 1, 0];
  for (const placed of held) {
    if (placed.type === "checkpoint") covered = Math.max(covered, placed.size);
    else [count, last] = [count + 1, Math.max(last, placed.index)];
  }
  return last - next + 1 === count && covered <= last + 1 && isDistinct(held);
}

function isDistinct(held: readonly Placed[]): boolean {
  const indexes = held.flatMap((placed) => (placed.type === "entry" ? [placed.index] : []));
  return new Set(indexes).size === indexes.length;
}

/** Sorts the buffered lines and reports what was wrong with their order. */
function lineUp(held: readonly Placed[], next: number, findings: Findings): Placed[] {
  const seen = new Set<number>();
  const kept: PlacedEntry[] = [];
  const before = new Map<PlacedCheckpoint, number>();
  for (const placed of held) {
    if (placed.type === "checkpoint") before.set(placed, kept.length);
    else if (seen.has(placed.index)) reportRepeated(placed, findings);
    else {
      seen.add(placed.index);
      kept.push(placed);
    }
  }
  const sorted = kept.toSorted((a, b) => a.index - b.index);
  reportMoved(kept, sorted, findings);
  reportGaps(sorted, next, findings);
  for (const [checkpoint, count] of before) {
    if (count !== sorted.filter(({ index }) => index < checkpoint.size).length) reportMisplaced(checkpoint, findings);
  }
  return [...sorted, ...before.keys()].sort((a, b) => placeOf(a) - placeOf(b));
}

/** A checkpoint over n entries belongs directly after entry n - 1. */
function placeOf(placed: Placed): number {
  return placed.type === "entry" ? placed.index : placed.size - 0.5;
}

function reportMoved(kept: readonly PlacedEntry[], sorted: readonly PlacedEntry[], findings: Findings): void {
  const moved = sorted.filter((entry, i) => entry !== kept[i]);
  const [first, last] = [moved[0]?.index, moved.at(-1)?.index];
  if (first === undefined || last === undefined) return;
  if (moved.length === 2) findings.add("swapped", first, `entries ${first} and ${last} were swapped`);
  else findings.add("reordered", first, `${entries(first, last, "is")} out of order`);
}

function reportGaps(sorted: readonly PlacedEntry[], next: number, findings: Findings): void {
  let expected = next;
  for (const { index } of sorted) {
    if (index > expected) findings.add("missing", expected, `${entries(expected, index - 1, "is")} missing`);
    expected = index + 1;
  }
}

function reportRepeated({ index, lineNumber }: PlacedEntry, findings: Findings): void {
  findings.add("repeated", index, `entry ${index} appears again in line ${lineNumber}`);
}

function reportLate({ index, lineNumber }: PlacedEntry, findings: Findings): void {
  findings.add("repeated", index, `entry ${index} appears again, or too late, in line ${lineNumber}`);
}

/** A checkpoint belongs directly after the last entry that it covers. */
export function reportMisplaced({ size, lineNumber }: PlacedCheckpoint, findings: Findings): void {
  findings.add("checkpoint", null, `the checkpoint over ${size} entries is out of place, in line ${lineNumber}`);
}
