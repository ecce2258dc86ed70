// Formats tables and figures for docs/performance.md.

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Three significant digits, without an exponent. */
export function figure(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 6));
}

export const withRange = (values: readonly number[]): string =>
  `${figure(median(values))} [${figure(Math.min(...values))}–${figure(Math.max(...values))}]`;

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n| ${header.join(" | ")} |`);
  console.log(`|${header.map(() => "---").join("|")}|`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
  console.log("");
}
