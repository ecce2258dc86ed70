// Writes one sheet of an XLSX file, row by row as it is read: the only file that knows the package for it.
import { Readable } from "node:stream";
import { inertText } from "#kernel/spreadsheet-cell.ts";

export type Cell = string | number | Date | null;

export interface Column {
  header: string;
  /** In characters. */
  width: number;
}

/** A sheet holds text as text; what it is saved as afterwards may not. */
const inert = (cell: Cell): Cell => (typeof cell === "string" ? inertText(cell) : cell);

export function workbook(name: string, columns: readonly Column[], rows: AsyncIterable<readonly Cell[]>): Readable {
  return Readable.from(bytesOf(name, columns, rows), { objectMode: false });
}

async function* bytesOf(name: string, columns: readonly Column[], rows: AsyncIterable<readonly Cell[]>) {
  const { writeXlsxStream } = await import("hucre/xlsx");
  yield* writeXlsxStream(inertRows(rows), {
    name,
    columns: columns.map(({ header, width }) => ({ header, width })),
    freezePane: { rows: 1 },
  });
}

async function* inertRows(rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<Cell[]> {
  for await (const row of rows) yield row.map(inert);
}
