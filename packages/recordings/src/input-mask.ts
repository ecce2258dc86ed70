// Decides which typed text may be recorded: text that the target echoes. Passwords are not echoed.

/** Text that the target has not echoed after this long is masked. Milliseconds. */
export const ECHO_WITHIN = 1000;
/** The mask does not wait for more text than this. */
const MAX_WAITING = 4096;
/** Recorded in place of text that was not echoed. Its length is fixed, because the length of a password is a hint too. */
export const MASK = "[masked]";

/** A prompt after which nothing is recorded until Enter, whatever is echoed. */
const SECRET_PROMPT = /(?:pass(?:word|phrase|code)|\bpin\b|\botp\b|verification code|secret|token)[^\n]{0,60}[:?] ?$/i;
const PROMPT_LENGTH = 120;

/** Escape sequences (arrow keys, pasting), other control characters, one character of text. */
// oxlint-disable-next-line no-control-regex
const TOKENS = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?|[\u0000-\u001f\u007f]|[^\u0000-\u001f\u007f]/gsu;
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/gs;

interface Token {
  readonly text: string;
  readonly at: number;
  readonly isText: boolean;
}

/**
 * The echo itself is not visible to a gateway, so it is inferred: typed text counts as echoed when the next output begins
 * with it. Everything else is masked after a second, at the end of the line, or immediately after a prompt for a secret. Control
 * keys are recorded. All methods return the text to record now.
 */
export class InputMask {
  readonly #waiting: Token[] = [];
  /** The end of the line that the target is writing. */
  #line = "";
  #isAfterMask = false;

  /** When the oldest waiting text was typed; null when none waits. */
  get waitingSince(): number | null {
    return this.#waiting[0]?.at ?? null;
  }

  typed(text: string, at: number): string {
    for (const [token] of text.matchAll(TOKENS)) {
      this.#waiting.push({ text: token, at, isText: !isControl(token) });
    }
    return this.#settle(at);
  }

  shown(output: string, at: number): string {
    const plain = output.replace(ESCAPES, "");
    let recorded = "";
    // After a prompt for a secret nothing waits here: it was masked when it was typed.
    let isEcho = true;
    for (const character of plain) {
      const isEnd = character === "\r" || character === "\n";
      if (isEnd) recorded += this.#maskLine();
      const [next] = this.#waiting;
      isEcho &&= !isEnd && next?.isText === true && next.text === character;
      if (isEcho) recorded += this.#record(1);
      this.#line = isEnd ? "" : (this.#line + character).slice(-PROMPT_LENGTH);
    }
    return recorded + this.#settle(at);
  }

  /** Masks text that has waited for its echo for a second. */
  due(at: number): string {
    return this.#settle(at);
  }

  /** Masks all waiting text when the recording ends. */
  end(): string {
    return this.#settle(Infinity);
  }

  get #isSecretPrompt(): boolean {
    return SECRET_PROMPT.test(this.#line);
  }

  /** Records control keys, which are never echoed, and masks text whose echo did not arrive in time. */
  #settle(now: number): string {
    let recorded = "";
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const isLate = next.at + ECHO_WITHIN <= now || this.#waiting.length > MAX_WAITING;
      if (next.isText && !isLate && !this.#isSecretPrompt) break;
      recorded += next.isText ? this.#mask(1) : this.#record(1);
    }
    return recorded;
  }

  /** The line ended without an echo: the text typed before Enter stays hidden. */
  #maskLine(): string {
    const enter = this.#waiting.findIndex(({ text }) => text === "\r" || text === "\n");
    if (enter <= 0) return "";
    return this.#mask(enter) + this.#record(1);
  }

  #record(count: number): string {
    const recorded = this.#waiting.splice(0, count);
    this.#isAfterMask = false;
    return recorded.map(({ text }) => text).join("");
  }

  #mask(count: number): string {
    this.#waiting.splice(0, count);
    const isNew = !this.#isAfterMask;
    this.#isAfterMask = true;
    return isNew ? MASK : "";
  }
}

function isControl(token: string): boolean {
  const code = token.codePointAt(0) ?? 0;
  return code < 0x20 || code === 0x7f;
}
