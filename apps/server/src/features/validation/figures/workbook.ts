// Streams one sheet of an XLSX file row by row. Only this file uses the XLSX package.
import { Readable } from "node:stream";
import { inertText } from "#kernel/spreadsheet-cell.ts";

export type Cell = string | number | Date | null;

export interface Column {
  header: string;
  /** In characters. */
  width: number;
}

/** A sheet stores text as text, but a CSV file saved from it may not. */
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
