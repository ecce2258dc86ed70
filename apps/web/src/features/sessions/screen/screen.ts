// The terminal of live and recorded sessions. Its output comes from targets and is not trusted.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";

/** Insert, delete and scroll lines, repeat a character, tabs: xterm does them one by one, up to two billion times. */
const REPEATING = ["L", "M", "S", "T", "b", "I", "Z"];
const MAX_COUNT = 1000;
/** OSC 0 to 2 set titles, 8 makes links, 52 reads and writes the clipboard. */
const REFUSED_OSC = [0, 1, 2, 8, 52];

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface ScreenOptions {
  /** Keys, pasted text and the terminal's own answers. Without it, the screen is read-only. */
  onInput?: (data: string) => void;
  fontSize?: number;
}

export class Screen {
  readonly terminal: Terminal;
  readonly #fit = new FitAddon();

  constructor(element: HTMLElement, { onInput, fontSize = 14 }: ScreenOptions = {}) {
    this.terminal = new Terminal({
      fontSize,
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
    this.terminal.open(element);
    if (onInput === undefined) return;
    this.terminal.onData(onInput);
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
