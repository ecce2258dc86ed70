// Output of commands: results on standard output, everything else on standard error.

/**
 * Shows control characters instead of executing them: names and files come from others, and terminals obey escape
 * sequences.
 */
function printable(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/** One line of the result. */
export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** One line about progress, which is not part of the result. */
export function note(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

/** JSON in which control characters are escaped, also those that JSON permits in texts. */
export const jsonText = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );

export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value, 2)}\n`);
}

/** Rows below a header, each column as wide as its widest cell. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  for (const row of shown) {
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
}

/** `1 entry`, `2 entries`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
