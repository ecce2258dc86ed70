// Exports the validation report: every secret that the caller can see, with its status, and the attempts in the period.
import { ValidationFilter } from "@strongroom/contract";
import type { REPORT_FIELDS, exportValidationJson, exportValidationReport } from "@strongroom/contract";
import { Readable } from "node:stream";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Download } from "#kernel/http/stream.ts";
import { readValidationCounts } from "#features/figures/index.ts";
import { countTried } from "./figures.store.ts";
import type { Period } from "./figures.store.ts";
import { countsOf } from "./read-dashboard.ts";
import { findMatches } from "../search/search.store.ts";
import type { MatchRow } from "../search/search.store.ts";
import type { ValidationContext } from "../validation.ts";
import { dayOf } from "../validation.jobs.ts";
import { sheetText } from "#kernel/spreadsheet-cell.ts";
import { DAY_MS, rateOf, statusOfSecret } from "../validation.policy.ts";

type Cell = string | number | Date | null;

interface Column {
  header: string;
  /** The column width in characters. */
  width: number;
}

type Field = (typeof REPORT_FIELDS)[number];

const PAGE = 1_000;

const COLUMNS: Record<Field, { header: string; width: number; read(row: MatchRow): Cell }> = {
  account_name: { header: "Account name", width: 32, read: ({ name }) => name },
  hostname: { header: "Hostname", width: 32, read: ({ host }) => host },
  validation_status: { header: "Validation status", width: 18, read: statusOfSecret },
  last_validation_date: { header: "Last validation (UTC)", width: 24, read: (row) => row.last_verification_attempt },
  system_type: { header: "System type", width: 20, read: ({ system_type }) => system_type },
};

/** VAL-70, VAL-71. */
export async function exportReport(
  context: ValidationContext,
  call: Call<typeof exportValidationReport>,
  db: Db,
): Promise<Download> {
  const { include_fields: fields, date_range } = call.body;
  const period = periodOf(date_range);
  note(call, "xlsx", date_range);
  const columns = fields.map((field) => COLUMNS[field]);
  const body = workbook("Validation", columns, rowsOf(context, db, call.actor, fields, period));
  return { body, fileName: fileNameOf(context, period, "xlsx") };
}

async function* rowsOf(context: ValidationContext, db: Db, actor: Actor, fields: readonly Field[], period: Period) {
  for await (const row of everything(context, db, actor)) yield fields.map((field) => COLUMNS[field].read(row));
  const { attempts, successes } = await countTried(db, actor, context.grants, period);
  const rate = rateOf(successes, attempts);
  yield [];
  yield [`Validations from ${period.start.toISOString()} to ${period.end.toISOString()}`];
  for (const line of [
    ["Attempts", attempts],
    ["Verified", successes],
    ["Failed", attempts - successes],
    ["Success rate (percent)", rate],
  ] as const) {
    yield fields.length === 1 ? [`${line[0]}: ${line[1] ?? "none"}`] : [...line];
  }
}

/** The report's data as JSON. */
export async function exportJson(
  context: ValidationContext,
  call: Call<typeof exportValidationJson>,
  db: Db,
): Promise<Download> {
  const { date_range } = call.body;
  const period = periodOf(date_range);
  note(call, "json", date_range);
  const body = Readable.from(partsOf(context, db, call, period), { objectMode: false });
  return { body, fileName: fileNameOf(context, period, "json") };
}

async function* partsOf(
  context: ValidationContext,
  db: Db,
  { actor, body: { include_fields, date_range } }: Call<typeof exportValidationJson>,
  period: Period,
): AsyncGenerator<string> {
  const [standing, tried] = await Promise.all([
    readValidationCounts(db, actor, context.grants),
    countTried(db, actor, context.grants, period),
  ]);
  const head = {
    exported_at: context.kernel.clock.now().toISOString(),
    filters: { date_range, include_fields },
    statistics: {
      ...countsOf(standing),
      attempts: tried.attempts,
      successes: tried.successes,
      failures: tried.attempts - tried.successes,
      success_rate: rateOf(tried.successes, tried.attempts),
    },
  };
  yield `${JSON.stringify(head).slice(0, -1)},"accounts":[`;
  let count = 0;
  for await (const row of everything(context, db, actor)) {
    const record = Object.fromEntries(include_fields.map((field) => [field, COLUMNS[field].read(row)]));
    yield `${count === 0 ? "" : ","}\n${JSON.stringify(record)}`;
    count += 1;
  }
  yield `\n],"total_records":${count}}\n`;
}

/** Yields everything that the caller can see, newest first, read page by page. */
async function* everything({ kernel, grants }: ValidationContext, db: Db, actor: Actor): AsyncGenerator<MatchRow> {
  const query = { actor, grants, filter: ValidationFilter.parse({}), limit: PAGE, now: kernel.clock.now() };
  let last: MatchRow | undefined;
  do {
    const after = last === undefined ? null : { at: last.created_at, id: last.id };
    const rows = await findMatches(db, { ...query, after });
    const page = rows.slice(0, PAGE);
    yield* page;
    last = rows.length > PAGE ? page.at(-1) : undefined;
  } while (last !== undefined);
}

const periodOf = ({ start, end }: { start: string; end: string }): Period => ({
  start: new Date(start),
  end: new Date(end),
});

function note(call: Pick<Call, "note">, format: string, range: { start: string; end: string }): void {
  call.note({ target: { type: "validation-report", id: format }, details: { ...range } });
}

function fileNameOf({ kernel }: ValidationContext, { start, end }: Period, extension: string): string {
  const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / DAY_MS));
  return `validation-dashboard-${days === 1 ? "24h" : `${days}d`}-${dayOf(kernel.clock.now())}.${extension}`;
}

/** A spreadsheet cell stores text as text, but a CSV file saved from the spreadsheet may turn it into a formula. */
const inert = (cell: Cell): Cell => (typeof cell === "string" ? sheetText(cell) : cell);

function workbook(name: string, columns: readonly Column[], rows: AsyncIterable<readonly Cell[]>): Readable {
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
