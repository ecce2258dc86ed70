// A line-based console of a device: sends a line, then waits until the last line of the output is a known prompt and
// stays unchanged.
import type { Duplex } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { TooMuchData } from "../bounded-stream.ts";

/** The device's output since the last line sent to it. */
export interface ConsoleOutput {
  /** Complete lines, without the prompt. */
  lines: readonly string[];
  /** The last line, without trailing spaces. */
  prompt: string;
  /** The pattern that matched the prompt. */
  pattern: string;
}

export interface Console {
  /** Types a line. A `secret` line is remembered to detect a device that echoes it. */
  send(line: string, secret?: boolean): void;
  /**
   * The output, once its last line matches one of `patterns`. Null after `withinMs`. Rejects when the connection ends.
   */
  expect(patterns: readonly string[], withinMs?: number): Promise<ConsoleOutput | null>;
  /** Complete and incomplete lines so far, for a connection that was closed. */
  lines(): readonly string[];
}

/** The device echoed a password: the prompt was not one that hides its input. */
export class ShownSecret extends Error {}

/** A prompt must stay unchanged for this long: if more text follows, it was not a prompt. */
const STILL_MS = 60;
/** The size limit of one answer; the whole connection has its own limit. */
const MAX_OUTPUT = 64 * 1024;

export function consoleOver(stream: Duplex, wire: Duplex): Console {
  const decoder = new StringDecoder("utf8");
  let raw = "";
  let typed = "";
  let secret: string | null = null;
  let ended: Error | null = null;
  let changed: () => void = () => {};
  const end = (error: Error) => {
    ended ??= error;
    changed();
  };
  stream.on("data", (chunk: Buffer) => {
    raw += decoder.write(chunk);
    if (raw.length > MAX_OUTPUT) end(new TooMuchData(MAX_OUTPUT));
    changed();
  });
  for (const each of [stream, wire]) {
    each.on("error", (error: Error) => end(error));
    each.on("close", () => end(new Error("closed")));
  }

  return {
    send: (line, isSecret = false) => {
      raw = "";
      typed = line;
      secret = isSecret ? line : null;
      stream.write(`${line}\r`);
    },
    lines: () => linesOf(raw),
    expect: async (patterns, withinMs) => {
      const giveUpAt = performance.now() + (withinMs ?? Number.POSITIVE_INFINITY);
      for (;;) {
        const length = raw.length;
        const isStill = await stillness(STILL_MS, (tell) => (changed = tell));
        if (secret !== null && shows(raw, secret)) throw new ShownSecret("a prompt that echoes its input");
        const lines = linesOf(raw);
        const prompt = lines.at(-1) ?? "";
        // The device echoes the typed line, which is not a prompt even if it ends like one.
        const isEcho = lines.length === 1 && prompt !== "" && prompt === typed.trimEnd();
        const pattern = isEcho ? undefined : patterns.find((each) => isLine(each, prompt));
        if (isStill && length === raw.length && pattern !== undefined)
          return { lines: lines.slice(0, -1), prompt, pattern };
        if (ended !== null && isStill) throw ended;
        if (performance.now() > giveUpAt) return null;
      }
    },
  };
}

/** True after `ms` without output; false as soon as there is some. */
function stillness(ms: number, listen: (tell: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    listen(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** A short secret may occur in an answer by chance, but an echo is always at the very beginning. */
function shows(raw: string, secret: string): boolean {
  return secret.length >= 8 ? raw.includes(secret) : raw.startsWith(secret);
}

/** The screen as text: no colours or other controls; an overwritten line counts with its final content. */
export function linesOf(raw: string): string[] {
  const plain = raw
    // oxlint-disable-next-line no-control-regex
    .replace(/\u001b(\[[0-?]{0,16}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,200}(\u0007|\u001b\\)|[()][0-9A-Za-z]|[=>])/g, "")
    .replace(/\r+\n/g, "\n");
  return plain.split("\n").map((line) =>
    line
      .replace(/\r+$/, "")
      .split("\r")
      .at(-1)!
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f\u007f]/g, "")
      .trimEnd(),
  );
}

/** Whether the pattern matches a whole line: literal text, with `*` for anything. Takes linear time. */
export function isLine(pattern: string, line: string): boolean {
  const parts = pattern.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return line === pattern;
  if (line.length < first.length + last.length || !line.startsWith(first) || !line.endsWith(last)) return false;
  const end = line.length - last.length;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = line.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
