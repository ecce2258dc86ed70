// Talks to a device line by line: sends one, and waits until the last line on the screen stands still as a known prompt.
import type { Duplex } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { TooMuchData } from "../bounded-stream.ts";

/** What the device has written since the last line that was sent to it. */
export interface Turn {
  /** Complete lines, without the prompt. */
  lines: readonly string[];
  /** The last line, without spaces at its end. */
  prompt: string;
  /** The pattern that the prompt is. */
  pattern: string;
}

export interface Console {
  /** Types a line. A `secret` one is remembered to notice when the device shows what is typed. */
  send(line: string, secret?: boolean): void;
  /** The turn, once its last line is one of `patterns`. Null after `withinMs`. Rejects when the connection ends. */
  expect(patterns: readonly string[], withinMs?: number): Promise<Turn | null>;
  /** Complete and incomplete lines so far, for who was cut off. */
  lines(): readonly string[];
}

/** The device showed a password as it was typed: it was no prompt that hides it. */
export class ShownSecret extends Error {}

/** A prompt must stand still for this long: one that goes on was the middle of some text. */
const STILL_MS = 60;
/** Of one answer; the whole connection has its own limit. */
const MAX_TURN = 64 * 1024;

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
    if (raw.length > MAX_TURN) end(new TooMuchData(MAX_TURN));
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
        if (secret !== null && shows(raw, secret)) throw new ShownSecret("a prompt that shows what is typed");
        const lines = linesOf(raw);
        const prompt = lines.at(-1) ?? "";
        // The device repeats what is typed: that is no prompt, whatever it ends with.
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

/** True after `ms` without a sign; false as soon as there is one. */
function stillness(ms: number, listen: (tell: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    listen(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** Short secrets may stand in an answer by chance; what is typed appears at the very beginning of one. */
function shows(raw: string, secret: string): boolean {
  return secret.length >= 8 ? raw.includes(secret) : raw.startsWith(secret);
}

/** The screen as text: no colours, no other controls; a line that was overwritten counts as it ended. */
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

/** Whether a whole line is what the pattern says: text as it stands, `*` for anything. Takes no more than linear time. */
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
