// Accounts as CSV (RFC 4180): parses and validates imported lines, and writes exported ones.
import { ACCOUNT_DETAIL_NAMES, ACCOUNT_IMPORT_COLUMNS, NewAccount } from "@strongroom/contract";
import type { Account } from "@strongroom/contract";
import { CsvError, parse } from "csv-parse/sync";
import { csvLine } from "#kernel/spreadsheet-cell.ts";

type Column = (typeof ACCOUNT_IMPORT_COLUMNS)[number];
const REQUIRED: readonly Column[] = ["name", "hostname", "username", "password", "platform"];
/** The columns whose cells are the fields themselves; `readAccount` converts the others. */
const AS_WRITTEN: readonly Column[] = [
  "name",
  "hostname",
  "username",
  "port",
  "database_name",
  "schema_name",
  "connection_string",
  ...ACCOUNT_DETAIL_NAMES,
  "notes",
];
const COLUMN_OF_FIELD: Record<string, Column> = { platform_id: "platform", safe_id: "safe" };

/** `line` counts from 1, including the header. INVARIANT: `message` repeats no value from the file. */
export interface BadLine {
  line: number;
  field: string | null;
  message: string;
}

export interface GoodLine {
  line: number;
  account: NewAccount;
}

/** Resolves the file's names for the importing user. Returns null for unknown names and for objects that the user may not use. */
export interface NameLookups {
  platform(nameOrId: string): { id: string; system_type: string; connection_method: string } | null;
  /** An empty name means the safe chosen for the whole file. */
  safe(nameOrId: string): string | null;
}

/** Every line is either in `good`, or in `bad` once for each of its errors. */
export function readAccounts(csv: string, names: NameLookups): { good: GoodLine[]; bad: BadLine[] } {
  const rows = readRows(csv);
  if (!Array.isArray(rows)) return { good: [], bad: [rows] };
  const [header, ...lines] = rows;
  if (header === undefined) return { good: [], bad: [wrong(1, null, "The file has no header line")] };
  const columns = header.record.map((name) => name.trim().toLowerCase());
  const bad = faultsOfHeader(columns);
  if (bad.length > 0) return { good: [], bad };

  const good: GoodLine[] = [];
  const seen = new Map<string, number>();
  for (const { line, record } of lines) {
    if (record.length !== columns.length) {
      bad.push(wrong(line, null, `The line has ${record.length} cells, but the header has ${columns.length}`));
      continue;
    }
    const read = readAccount(line, new Map(columns.map((name, index) => [name as Column, record[index] ?? ""])), names);
    if (!("account" in read)) {
      bad.push(...read.faults);
      continue;
    }
    const { name, username, hostname, safe_id } = read.account;
    const key = JSON.stringify([name, username, hostname, safe_id]);
    const earlier = seen.get(key);
    if (earlier === undefined) {
      seen.set(key, line);
      good.push({ line, account: read.account });
    } else bad.push(wrong(line, null, `The same account is already on line ${earlier}`));
  }
  return { good, bad };
}

interface Row {
  line: number;
  record: string[];
}

function readRows(csv: string): Row[] | BadLine {
  try {
    const rows = parse(csv, { bom: true, info: true, relax_column_count: true, skip_empty_lines: true }) as unknown as {
      info: { lines: number };
      record: string[];
    }[];
    // A cell may contain line breaks; `line` is the line on which its record ends.
    return rows.map(({ info, record }) => ({ line: info.lines, record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser's own message quotes the text around the error, which may be a password.
    const line = typeof error["lines"] === "number" ? error["lines"] : 1;
    return wrong(line, null, "The CSV is invalid from here on: check the quotes");
  }
}

function faultsOfHeader(columns: readonly string[]): BadLine[] {
  const missing = REQUIRED.filter((name) => !columns.includes(name));
  const unknown = columns.filter((name) => !(ACCOUNT_IMPORT_COLUMNS as readonly string[]).includes(name));
  const twice = columns.filter((name, index) => columns.indexOf(name) !== index);
  return [
    ...missing.map((name) => wrong(1, name, `The column "${name}" is missing`)),
    // The message does not name the unknown columns: in a file without a header line, one of them is a password.
    ...(unknown.length > 0 ? [wrong(1, null, `Unknown column names: ${unknown.length}`)] : []),
    ...(twice.length > 0 ? [wrong(1, null, "A column appears twice")] : []),
  ];
}

function readAccount(
  line: number,
  cells: ReadonlyMap<Column, string>,
  names: NameLookups,
): { account: NewAccount } | { faults: BadLine[] } {
  const cell = (column: Column): string => cells.get(column)?.trim() ?? "";
  const platform = names.platform(cell("platform"));
  const safe = names.safe(cell("safe"));
  const params = readParams(cell("additional_params"));
  const faults = [
    ...(platform === null ? [wrong(line, "platform", "No active platform with this name")] : []),
    ...(safe === null ? [wrong(line, "safe", "No safe with this name, or you cannot add accounts to it")] : []),
    ...(params === null ? [wrong(line, "additional_params", PARAMS_NOT_JSON)] : []),
    ...(isSwitch(cell("ssl_enabled")) ? [] : [wrong(line, "ssl_enabled", "Enter true or false")]),
  ];
  const read = NewAccount.safeParse({
    ...Object.fromEntries(AS_WRITTEN.map((column) => [column, cell(column)])),
    // Not trimmed: a password may begin or end with a space.
    password: cells.get("password") ?? "",
    platform_id: platform?.id,
    safe_id: safe ?? undefined,
    system_type: cell("system_type") || platform?.system_type,
    connection_method: cell("connection_method") || platform?.connection_method,
    ssl_enabled: cell("ssl_enabled").toLowerCase() === "true",
    additional_params: params ?? {},
    tags: cell("tags")
      .split(",")
      .filter((tag) => tag.trim() !== ""),
  });
  if (read.success && faults.length === 0) return { account: read.data };
  const known = new Set(faults.map((fault) => fault.field));
  const others = (read.error?.issues ?? []).map((issue) => {
    const field = String(issue.path[0] ?? "");
    return wrong(line, COLUMN_OF_FIELD[field] ?? (field || null), issue.message);
  });
  return {
    faults: [...faults, ...others.filter((fault) => !known.has(fault.field) && !isOfPlatform(fault, platform))],
  };
}

/** Whether an error was only caused by an unknown platform, which is already reported. */
const isOfPlatform = (fault: BadLine, platform: unknown): boolean =>
  platform === null && (fault.field === "system_type" || fault.field === "connection_method");

const PARAMS_NOT_JSON = "Additional parameters must be valid JSON format";

function readParams(text: string): object | null {
  if (text === "") return {};
  try {
    const params: unknown = JSON.parse(text);
    return typeof params === "object" && params !== null && !Array.isArray(params) ? params : null;
  } catch {
    // Any parse error is reported as invalid JSON.
    return null;
  }
}

const isSwitch = (text: string): boolean => ["", "true", "false"].includes(text.toLowerCase());

const wrong = (line: number, field: string | null, message: string): BadLine => ({ line, field, message });

type ExportColumn = readonly [string, (account: Account) => string | number | boolean | null];
const EXPORTED: readonly ExportColumn[] = [
  ["name", (account) => account.name],
  ["hostname", (account) => account.hostname_ip],
  ["username", (account) => account.username],
  ["platform", (account) => account.platform_name],
  ["safe", (account) => account.safe_name],
  ["system_type", (account) => account.system_type],
  ["connection_method", (account) => account.connection_method],
  ["port", (account) => account.port],
  ["database_name", (account) => account.database_name],
  ["schema_name", (account) => account.schema_name],
  ["connection_string", (account) => account.connection_string],
  ["ssl_enabled", (account) => account.ssl_enabled],
  ...ACCOUNT_DETAIL_NAMES.map((name): ExportColumn => [name, (account) => account[name]]),
  ["status", (account) => account.status],
  ["validation_status", (account) => account.last_validation_status],
  ["last_validated_at", (account) => account.last_validated_at],
  ["rotation_status", (account) => account.rotation_status],
  ["last_rotated_at", (account) => account.last_rotated_at],
  ["rotation_due_at", (account) => account.rotation_due_at],
  ["last_accessed", (account) => account.last_accessed],
  ["tags", (account) => account.tags.join(", ")],
  ["notes", (account) => account.notes],
];

export const EXPORT_HEADER = csvLine(EXPORTED.map(([name]) => name));

/** One account as a line. INVARIANT: `Account` has no secret, so the line has none either. */
export const exportLine = (account: Account): string => csvLine(EXPORTED.map(([, read]) => read(account)));
