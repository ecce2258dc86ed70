// Escapes exported cells so that no spreadsheet treats them as a formula (CWE-1236).

/**
 * Returns the text with an apostrophe before every character that would start a formula: at the beginning, after leading white
 * space, and after characters that some spreadsheets treat as the end of a cell even within quotes.
 */
export const inertText = (text: string): string =>
  text.replaceAll(/[=+\-@\uff1d\uff0b\uff0d\uff20]/g, (sign, at: number) => (startsCell(text, at) ? `'${sign}` : sign));

/** Takes linear time for the whole text: one expression would read a long run of white space again from each of its characters. */
function startsCell(text: string, at: number): boolean {
  let before = at - 1;
  for (; before >= 0 && /\s/.test(text[before]!); before -= 1) if (/[\t\r\n]/.test(text[before]!)) return true;
  return before < 0 || /[;,|"]/.test(text[before]!);
}

const LONGEST_CELL = 32_767;

/** `inertText` for a spreadsheet file: Excel opens no file with a longer text, or with a character that XML forbids. */
export const sheetText = (text: string): string =>
  inertText(text)
    .slice(0, LONGEST_CELL)
    .toWellFormed()
    .replaceAll(/[\ufffe\uffff]/g, "\ufffd");

/** One line of CSV (RFC 4180), including the line end. Numbers stay numbers, because only text can hide a formula. */
export const csvLine = (cells: readonly (string | number | boolean | null)[]): string =>
  `${cells.map(writeCell).join(",")}\r\n`;

function writeCell(cell: string | number | boolean | null): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const inert = inertText(cell);
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
