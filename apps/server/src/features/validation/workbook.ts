// Writes one sheet of an XLSX file, row by row as it is read: the only file that knows the package for it.
import { writeXlsxStream } from "hucre/xlsx";
import { Readable } from "node:stream";

export type Cell = string | number | Date | null;

export interface Column {
  header: string;
  /** In characters. */
  width: number;
}

/** A spreadsheet, and what it is saved as afterwards, may take text that begins like a formula for one (CWE-1236). */
const inert = (cell: Cell): Cell => (typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);

export function workbook(name: string, columns: readonly Column[], rows: AsyncIterable<readonly Cell[]>): Readable {
  const stream = writeXlsxStream(inertRows(rows), {
    name,
    columns: columns.map(({ header, width }) => ({ header, width })),
    freezePane: { rows: 1 },
  });
  return Readable.from(stream, { objectMode: false });
}

async function* inertRows(rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<Cell[]> {
  for await (const row of rows) yield row.map(inert);
}
