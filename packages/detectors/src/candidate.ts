// A candidate: a named value in the text that may be a secret. The readers of the formats make them, `judge.ts` decides.

export interface Candidate {
  /** The rule that found it. */
  detector: string;
  keyName: string;
  /** The value as written, without its quotes. */
  raw: string;
  /** Index of the value in the text. */
  start: number;
  end: number;
  isQuoted: boolean;
  /** From 0 to 1: how surely this syntax is an assignment of the value. */
  syntax: number;
  userName?: string | undefined;
  host?: string | undefined;
}
