// Exports list rows for people and other tools as JSON, CSV or SIEM lines. `export-audit.ts` exports proofs.
import type { AuditLog, exportAuditLogs } from "@strongroom/contract";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Download } from "#kernel/http/stream.ts";
import { csvLine } from "#kernel/spreadsheet-cell.ts";
import type { FoundEntry } from "../audit.store.ts";
import { formatEntry } from "./format-entry.ts";
import { createSearch, toAuditLogs } from "./list-trail.ts";
import type { People, Search } from "./list-trail.ts";

type Format = Call<typeof exportAuditLogs>["query"]["format"];

const FILES: Record<Format, { extension: string; type: string }> = {
  json: { extension: "json", type: "application/json" },
  csv: { extension: "csv", type: "text/csv" },
  rfc5424: { extension: "log", type: "text/plain" },
  cef: { extension: "cef", type: "text/plain" },
  ocsf: { extension: "ocsf.jsonl", type: "application/jsonl" },
};
const PAGE = 500;

/** AUDIT-19, AUDIT-20: exports the newest matching entries. */
export async function exportLogs(
  call: Call<typeof exportAuditLogs>,
  db: Db,
  people: People,
  now: Date,
): Promise<Download> {
  const { format, limit, offset, ...filter } = call.query;
  const filters = Object.fromEntries(Object.entries(filter).filter((pair) => pair[1] !== undefined));
  // The search may contain a pasted secret, so the trail records only that there was a search.
  const { search, search_term, ...noted } = filters;
  const isSearch = search !== undefined || search_term !== undefined;
  call.note({ details: { format, limit, offset, filters: { ...noted, ...(isSearch ? { search: true } : {}) } } });
  const matching = await createSearch(db, filter, people, now);
  const pages = inPages(matching, offset, limit);
  const { extension, type } = FILES[format];
  const text =
    format === "json"
      ? writeJson(pages, { filters, now, toLogs: (page) => toAuditLogs(db, page, people) })
      : format === "csv"
        ? writeCsv(pages, (page) => toAuditLogs(db, page, people))
        : writeLines(pages, format);
  return {
    body: Readable.from(text, { objectMode: false }),
    fileName: `audit-logs-${now.toISOString().slice(0, 10)}.${extension}`,
    type,
  };
}

type ToLogs = (page: FoundEntry[]) => Promise<AuditLog[]>;

async function* inPages(found: Search, offset: number, most: number): AsyncGenerator<FoundEntry[]> {
  let before = await found.placeAfter(offset);
  if (before === undefined) return;
  for (let left = most; left > 0; left -= PAGE) {
    const limit = Math.min(PAGE, left);
    const page: FoundEntry[] = await found.find({ limit, before });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    before = page.at(-1)!.seq;
  }
}

/** Writes one entry per line, so that the JSON is also readable as text. */
async function* writeJson(
  pages: AsyncIterable<FoundEntry[]>,
  { filters, now, toLogs }: { filters: object; now: Date; toLogs: ToLogs },
): AsyncGenerator<string> {
  yield `{"exported_at":"${now.toISOString()}","filters":${JSON.stringify(filters)},"logs":[`;
  let total = 0;
  for await (const page of pages) {
    const logs = await toLogs(page);
    yield logs.map((log, index) => `${total + index === 0 ? "" : ","}\n${JSON.stringify(log)}`).join("");
    total += logs.length;
  }
  yield `\n],"total_records":${total}}\n`;
}

const COLUMNS: readonly [string, (log: AuditLog) => string | number | null][] = [
  ["time", (log) => log.timestamp],
  ["event", (log) => log.event],
  ["action", (log) => log.action],
  ["result", (log) => log.result],
  ["severity", (log) => log.details.severity],
  ["summary", (log) => log.summary],
  ["user", (log) => log.user.name],
  ["user_email", (log) => log.user_email],
  ["user_id", (log) => log.user.id],
  ["target_type", (log) => log.target?.type ?? null],
  ["target", (log) => log.target?.name ?? null],
  ["target_id", (log) => log.target?.id ?? null],
  ["hostname", (log) => log.details.hostname],
  ["session", (log) => log.session_name],
  ["error", (log) => log.error_message],
  ["details", (log) => JSON.stringify(log.metadata)],
  ["entry_id", (log) => log.id],
  ["leaf_index", (log) => log.leaf_index],
];

async function* writeCsv(pages: AsyncIterable<FoundEntry[]>, toLogs: ToLogs): AsyncGenerator<string> {
  yield csvLine(COLUMNS.map(([name]) => name));
  for await (const page of pages) {
    yield (await toLogs(page)).map((log) => csvLine(COLUMNS.map(([, read]) => read(log)))).join("");
  }
}

async function* writeLines(
  pages: AsyncIterable<FoundEntry[]>,
  format: Exclude<Format, "csv" | "json">,
): AsyncGenerator<string> {
  const host = hostname();
  for await (const page of pages) {
    const lines = page.map(({ canonical, leaf_index: index }) => formatEntry(format, { index, canonical }, host));
    yield lines.map((line) => `${line}\n`).join("");
  }
}
