// The lines around a secret with everything masked but the names of settings, because other lines may hold secrets too.

export interface ContextLine {
  line: number;
  text: string;
}

const AROUND = 2;
const MASK = "••••";
const SECTION = /^\s*\[[A-Za-z][\w.: -]{0,40}\]\s*$/;
// A name, then a value that does not consist of padding: the last line of a base64 block is not a setting.
const SETTING = /^(\s*(?:export\s+|-\s+)?["']?[A-Za-z][A-Za-z0-9_.-]{0,40}["']?\s*[=:]\s*)(?=[^=\s])/;
const BLOCK = /^-----(?:BEGIN|END) [A-Z0-9 ]{1,40}-----\s*$/;
/** A name with this many digits, or in this mixture of cases, may itself be a secret. */
const ODD_NAME = /\d{4}|(?:[a-z][A-Z]|[A-Z][a-z]|\d[A-Za-z]|[A-Za-z]\d){4}/;

/** `line` and `endLine` count from 1. */
export function contextOf(
  lines: readonly string[],
  { line, endLine, preview, keyName }: { line: number; endLine: number; preview: string; keyName: string | null },
): ContextLine[] {
  const last = Math.min(lines.length, Math.min(endLine, line) + AROUND);
  const shown: ContextLine[] = [];
  for (let number = Math.max(1, line - AROUND); number <= last; number += 1) {
    const own = keyName === null ? preview : `${keyName} = ${preview}`;
    shown.push({ line: number, text: number === line ? own : maskedLine(lines[number - 1] ?? "") });
  }
  return shown;
}

export function maskedLine(text: string): string {
  if (text.trim() === "") return "";
  const line = text.slice(0, 500);
  if (SECTION.test(line) || BLOCK.test(line)) return line.trimEnd();
  const name = SETTING.exec(line)?.[1];
  return name === undefined || ODD_NAME.test(name) ? MASK : `${name}${MASK}`;
}
