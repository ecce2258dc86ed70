// Finds what makes a live session risky: shown commands that match a pattern, and large transfers.
import { commandIn } from "@strongroom/recordings/terminal-marks";

interface CommandRule {
  /** For auditors. It never contains the command, which may hold a secret. */
  reason: string;
  pattern: RegExp;
}

/** docs/sessions.md lists these rules, and how a user gets around them. */
const COMMAND_RULES: readonly CommandRule[] = [
  { reason: "deletes files recursively", pattern: /\brm\s+(?:-\S+\s+)*-\w*(?:r\w*f|f\w*r)|\brm\s.*--recursive/i },
  { reason: "overwrites a disk", pattern: /\b(?:mkfs(?:\.\w+)?|wipefs|shred)\s|\bdd\s.*\bof=\/dev\// },
  { reason: "runs a downloaded script", pattern: /\b(?:curl|wget)\s[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/ },
  { reason: "opens a reverse shell", pattern: /\/dev\/tcp\/|\bn(?:c|cat)\s.*\s-\w*[ec]\b/ },
  {
    reason: "reads password hashes or private keys",
    pattern: /\/etc\/(?:g?shadow|sudoers)\b|\.ssh\/id_\w+(?!\S*\.pub)/,
  },
  { reason: "changes users or passwords", pattern: /\b(?:user(?:add|mod|del)|passwd|chpasswd|visudo)\b/ },
  { reason: "adds an SSH key", pattern: />>?\s*\S*authorized_keys|\bssh-copy-id\b/ },
  {
    reason: "removes traces",
    pattern: /\bhistory\s+-\w*c|\bunset\s+HISTFILE|\bHISTFILE=|\/var\/log\/\S*\s*$|\bauditctl\s+-[eD]/,
  },
  {
    reason: "switches a protection off",
    pattern: /\bsetenforce\s+0|\b(?:iptables|nft)\s+(?:-F|flush)|\bufw\s+disable/,
  },
  { reason: "deletes database tables", pattern: /\b(?:drop\s+(?:table|database|schema)|truncate\s+table?)\b/i },
];

/** A session that moves more is a large transfer. */
export const LARGE_TRANSFER_BYTES = 100 * 1024 * 1024;
const LARGE_TRANSFER = "Large transfer: more than 100 MB";

/** Longer lines are examined up to here. */
const LONGEST_LINE = 1024;
/** Colours, cursor movements, titles and other control sequences. */
// oxlint-disable-next-line no-control-regex
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_]|[()#][0-9A-Za-z])/g;

export class SessionRisks {
  readonly #onRisk: (reason: string) => void;
  readonly #known = new Set<string>();
  #line = "";

  constructor(onRisk: (reason: string) => void) {
    this.#onRisk = onRisk;
  }

  /** Examines each complete line of a terminal. It reads the text as it came, without a screen. */
  output(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      this.#add(bytes.subarray(from, at));
      this.#examine();
      from = at + 1;
    }
    this.#add(bytes.subarray(from));
  }

  transferred(bytes: number): void {
    if (bytes > LARGE_TRANSFER_BYTES) this.#raise(LARGE_TRANSFER);
  }

  #add(bytes: Buffer): void {
    const room = LONGEST_LINE - this.#line.length;
    if (room > 0) this.#line += bytes.toString("utf8", 0, Math.min(bytes.length, room));
  }

  #examine(): void {
    const line = this.#line;
    this.#line = "";
    const command = commandIn(shownOf(line));
    if (command === null) return;
    for (const { reason, pattern } of COMMAND_RULES) if (pattern.test(command)) this.#raise(`Risky command: ${reason}`);
  }

  #raise(reason: string): void {
    if (this.#known.has(reason)) return;
    this.#known.add(reason);
    this.#onRisk(reason);
  }
}

const NEWLINE = 10;

/** The line without control sequences, with backspaces applied, after its last carriage return. */
function shownOf(line: string): string {
  const plain = (line.includes("\u001b") ? line.replaceAll(SEQUENCES, "") : line).replace(/\r+$/, "");
  const text = plain.slice(plain.lastIndexOf("\r") + 1);
  if (!text.includes("\b")) return text;
  const shown: string[] = [];
  for (const character of text) {
    if (character === "\b") shown.pop();
    else shown.push(character);
  }
  return shown.join("");
}
