// The terminal of live and recorded sessions. Its output comes from targets and is not trusted.
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";

/** Insert, delete and scroll lines, repeat a character, tabs: xterm does them one by one, up to two billion times. */
const REPEATING = ["L", "M", "S", "T", "b", "I", "Z"];
const MAX_COUNT = 1000;
/** OSC 0 to 2 set titles, 8 makes links, 52 reads and writes the clipboard. */
const REFUSED_OSC = [0, 1, 2, 8, 52];

export const FONT_SIZES = { min: 10, initial: 14, max: 24, step: 2 } as const;

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface ScreenOptions {
  /** Keys, pasted text and the terminal's own answers. Without it, the screen is read-only. */
  onInput?: (data: string) => void;
  /** Ctrl+Shift+F. */
  onFind?: () => void;
  /** Ctrl+Shift+Home: the way out for the keyboard, because the terminal needs Tab. */
  onLeave?: () => void;
}

export class Screen {
  readonly terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon();

  constructor(element: HTMLElement, { onInput, onLeave, onFind }: ScreenOptions = {}) {
    this.terminal = new Terminal({
      fontSize: FONT_SIZES.initial,
      // At 1, rows cut off the underscores of some fonts.
      lineHeight: 1.2,
      disableStdin: onInput === undefined,
      cursorBlink: onInput !== undefined,
      scrollback: 5000,
      logLevel: "off",
      // No window manipulation, and `linkHandler: null` would ask the browser to open links; OSC 8 is refused below.
      windowOptions: {},
      theme: { background: "#10151c", foreground: "#e4e8ee" },
    });
    this.#refuseUnsafe();
    this.terminal.loadAddon(this.#fit);
    this.terminal.loadAddon(this.#search);
    this.terminal.open(element);
    if (onInput === undefined) return;
    this.terminal.onData(onInput);
    this.terminal.attachCustomKeyEventHandler((event) => !this.#isOwnKey(event, { Home: onLeave, KeyF: onFind }));
  }

  /** Handles the keys that are not for the target. */
  #isOwnKey(event: KeyboardEvent, actions: Readonly<Record<string, (() => void) | undefined>>): boolean {
    if (!event.ctrlKey || !event.shiftKey || !["KeyC", "KeyF", "KeyV", "Home"].includes(event.code)) return false;
    if (event.type !== "keydown") return true;
    actions[event.code]?.();
    if (event.code === "KeyC") this.copySelection();
    // The browser handles paste itself.
    if (event.code !== "KeyV") event.preventDefault();
    return true;
  }

  /** Only the user copies; output cannot. */
  copySelection(): void {
    const selection = this.terminal.getSelection();
    if (selection !== "") void navigator.clipboard.writeText(selection);
  }

  /** The selected text, or else everything on the screen. */
  copyText(): string {
    const selection = this.terminal.getSelection();
    if (selection !== "") return selection;
    const { active } = this.terminal.buffer;
    const rows = Array.from(
      { length: this.terminal.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "",
    );
    return rows.join("\n").trimEnd();
  }

  /** Selects the next or previous match of this text, in the screen and its scrollback. False when there is none. */
  find(text: string, direction: "next" | "previous"): boolean {
    return direction === "next" ? this.#search.findNext(text) : this.#search.findPrevious(text);
  }

  /** Lets screen readers read the output, at the cost of speed. */
  setAccessible(isAccessible: boolean): void {
    this.terminal.options.screenReaderMode = isAccessible;
  }

  #refuseUnsafe(): void {
    const { parser } = this.terminal;
    for (const code of REFUSED_OSC) parser.registerOscHandler(code, () => true);
    for (const final of REPEATING) {
      parser.registerCsiHandler({ final }, ([count = 1]) => Number(count) > MAX_COUNT);
    }
  }

  /** Resolves when the output is on the screen. */
  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(data, resolve));
  }

  resize({ cols, rows }: TerminalSize): void {
    this.terminal.resize(cols, rows);
  }

  /** Fills the element, and returns the new size. */
  fit(): TerminalSize {
    this.#fit.fit();
    return { cols: this.terminal.cols, rows: this.terminal.rows };
  }

  clear(size: TerminalSize): void {
    this.terminal.reset();
    this.resize(size);
  }

  dispose(): void {
    this.terminal.dispose();
  }
}
