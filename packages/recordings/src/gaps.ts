// The numbers of chunks that were skipped and may still arrive.
import type { ReadChunk } from "./recording-format.ts";

export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly span: { readonly from: number; readonly to: number };
  /** The digest of the chunk before the gap. */
  readonly left: Buffer;
  /** The previous digest that the chunk after the gap contains. */
  readonly right: Buffer;
  /** The bytes in the gap, if there are any. */
  readonly damage: { readonly offset: number; readonly size: number } | null;
}

/** More gaps than this count as one: the file is not worth a longer list. */
const MAX_GAPS = 1000;

export class Gaps {
  readonly #gaps: Gap[] = [];

  get all(): readonly Gap[] {
    return this.#gaps;
  }

  get isEmpty(): boolean {
    return this.#gaps.length === 0;
  }

  add(gap: Gap): void {
    const last = this.#gaps.at(-1);
    // Views into the file would keep whole chunks in memory.
    const copy = { ...gap, left: Buffer.from(gap.left), right: Buffer.from(gap.right) };
    if (last === undefined || this.#gaps.length < MAX_GAPS) this.#gaps.push(copy);
    else
      this.#gaps.splice(-1, 1, {
        ...last,
        to: gap.to,
        span: { from: last.span.from, to: gap.span.to },
        right: copy.right,
      });
  }

  /** Removes the chunk's number. Returns whether it was missing, and whether it is linked with its known neighbours. */
  fill({ head: { number, from, to, previous }, digest }: ReadChunk): "not-missing" | "fits" | "other" {
    const index = this.#gaps.findIndex((gap) => gap.from <= number && number <= gap.to);
    const gap = this.#gaps[index];
    if (gap === undefined) return "not-missing";
    const isFirst = number === gap.from;
    const isLast = number === gap.to;
    const before = isFirst
      ? []
      : [{ ...gap, to: number - 1, span: { from: gap.span.from, to: from }, right: previous }];
    const after = isLast ? [] : [{ ...gap, from: number + 1, span: { from: to, to: gap.span.to }, left: digest }];
    this.#gaps.splice(index, 1, ...before, ...after);
    const fitsLeft = !isFirst || gap.left.equals(previous);
    const fitsRight = !isLast || gap.right.equals(digest);
    return fitsLeft && fitsRight ? "fits" : "other";
  }
}
