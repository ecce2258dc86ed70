// A candidate: a piece of text that may be a secret. Readers of syntax make candidates, `judge.ts` decides on them.
import type { DetectorClass, Encoding } from "./finding.ts";
import type { Format } from "./format.ts";

export interface Candidate {
  /** The rule that found it. */
  detector: string;
  /** The name of the setting, as written; null where the syntax alone says that a secret is here. */
  keyName: string | null;
  /** The value as written, without its quotes. */
  raw: string;
  /** Span of the value in the text. */
  start: number;
  end: number;
  isQuoted: boolean;
  /** The syntax of its line, if that is not the one of the file. */
  format?: Format;
  /** From 0 to 1: how surely this syntax gives the value to the name. */
  syntax: number;
  /** The line is a comment: words there are samples. */
  isComment?: boolean;
  /** The comment is the old value of a setting that the file also has in use. */
  isOld?: boolean;
  /** The place gives a value also in program text: `-Dsonar.password=x`, or a literal beside a user name. */
  isSetting?: boolean;
  /** The value that a program uses where the setting is missing. */
  isFallback?: boolean;
  /** The kind of the value if it is no placeholder, regardless of its name. */
  asserted?: DetectorClass;
  /** The value itself where `raw` is an encoded form of it. */
  decoded?: string;
  encoding?: Encoding;
  userName?: string | null;
  host?: string | null;
  port?: number | null;
  url?: string | null;
}

/** A line, or a piece of a long one. */
export interface Line {
  text: string;
  /** Index of its first character in the file. */
  base: number;
  format: Format;
  /** The whole file. */
  file: string;
}

const COMMENT = /^\s*(?:#(?!define\b)|;|\/\/(?!\S+\s+\/)|--(?:\s|\w+ = \{)|<!--|\*\s|REM\s|dnl\s|%\s)/i;

/** A line that was in use: a host with its settings, a job of cron, an entry of fstab or of fetchmail. */
const COMMENTED_OUT =
  /^\s*(?:#|;|\/\/)(?:\S.*(?:\s[A-Za-z][\w.-]{2,40}=[^\s=]{1,80}){3}|\s*(?:[\d*/,-]+\s+){5}\S|\s*(?:\/\/\S+|[\w.-]+:\/\S*)\s+\/\S*\s+\w+\s|\s*poll\s+\S+\s+(?:via|with|proto)\b)/;

/** Whether the line, or its beginning, is a comment that was never in use. */
export const isComment = (line: string): boolean => COMMENT.test(line) && !COMMENTED_OUT.test(line);

/** A candidate for the piece `from` to `to` of `line`. */
export function candidateAt(
  line: Line,
  detector: string,
  from: number,
  to: number,
  more: Partial<Candidate> = {},
): Candidate {
  return {
    detector,
    keyName: null,
    raw: line.text.slice(from, to),
    start: line.base + from,
    end: line.base + to,
    isQuoted: false,
    format: line.format,
    syntax: 0.95,
    isComment: isComment(line.text),
    ...more,
  };
}
