// Exports findings as a spreadsheet, CSV, JSON or SARIF. No format contains a secret.
import { FindingStatus, FindingType, FRAMEWORK_NAMES } from "@strongroom/contract";
import type { SecurityFinding, exportFindings as exportEndpoint } from "@strongroom/contract";
import { Readable } from "node:stream";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Download } from "#kernel/http/stream.ts";
import { inertText, sheetText } from "#kernel/spreadsheet-cell.ts";
import type { FindingsContext } from "./findings.ts";
import * as store from "./findings.store.ts";
import type { PreparedFilter, ShownFinding } from "./findings.store.ts";
import { listFilterOf, shownTo } from "./list-findings.ts";
import { complianceImpact, remediationSteps } from "./remediation.policy.ts";
import { sarifLocation, sarifText } from "./sarif.ts";

type Cell = string | number | null;

interface Exported {
  row: ShownFinding;
  finding: SecurityFinding;
}

interface Column {
  header: string;
  /** Characters. */
  width: number;
  read(of: Exported): Cell;
}

const COLUMNS: readonly Column[] = [
  { header: "Severity", width: 10, read: ({ finding }) => finding.severity },
  { header: "Risk score", width: 10, read: ({ finding }) => finding.risk_score },
  { header: "Status", width: 14, read: ({ finding }) => finding.status },
  { header: "Title", width: 40, read: ({ finding }) => finding.title },
  { header: "Type", width: 22, read: ({ finding }) => finding.finding_type },
  { header: "Target", width: 24, read: ({ finding }) => finding.target_name },
  { header: "Host", width: 24, read: ({ finding }) => finding.hostname },
  { header: "File", width: 50, read: ({ finding }) => finding.finding_data.file_path },
  { header: "Line", width: 8, read: ({ finding }) => finding.finding_data.line_number },
  { header: "Setting", width: 20, read: ({ finding }) => finding.finding_data.key_name },
  { header: "User name", width: 20, read: ({ finding }) => finding.finding_data.username },
  { header: "File owner", width: 14, read: ({ row }) => row.file_owner },
  { header: "File mode", width: 10, read: ({ row }) => row.file_mode },
  { header: "Secret works", width: 12, read: ({ finding }) => finding.liveness },
  { header: "Assignee", width: 20, read: ({ finding }) => finding.assignee?.name ?? null },
  { header: "Due (UTC)", width: 24, read: ({ finding }) => finding.due_at },
  { header: "Found (UTC)", width: 24, read: ({ finding }) => finding.created_at },
  { header: "Last seen (UTC)", width: 24, read: ({ finding }) => finding.last_seen_at },
];
const REMEDIATION: Column = { header: "Remediation", width: 80, read: ({ row }) => remediationSteps(row).join("\n") };
const COMPLIANCE: Column = {
  header: "Compliance impact",
  width: 60,
  read: ({ row }) =>
    complianceImpact(row.class)
      .map(({ framework, control }) => `${FRAMEWORK_NAMES[framework]} ${control}`)
      .join("\n"),
};

/** FIND-14. */
export async function exportFindings(
  context: FindingsContext,
  call: Call<typeof exportEndpoint>,
  db: Db,
): Promise<Download> {
  const { format, filters, includeRemediation, includeCompliance } = call.body;
  const { severity, findingType, status } = filters;
  const filter = await store.prepareFilter(db, call.actor, {
    severity,
    findingType: findingType.length === 0 ? FindingType.options : findingType,
    status: status.length === 0 ? FindingStatus.options : status,
    ...listFilterOf(filters),
  });
  // People paste secrets into search fields.
  const { search, ...noted } = filters;
  const details = { format, ...noted, has_search: search !== undefined };
  call.note({ target: { type: "finding-export", id: format }, details });
  const columns = [
    ...COLUMNS,
    ...(includeRemediation ? [REMEDIATION] : []),
    ...(includeCompliance ? [COMPLIANCE] : []),
  ];
  const day = context.kernel.clock.now().toISOString().slice(0, 10);
  const rows = everything(context, db, call.actor, filter);
  const { extension, type, parts } = FORMATS[format];
  const body = Readable.from(parts(columns, rows), { objectMode: false });
  return { body, fileName: `security-findings-${day}.${extension}`, type };
}

const PAGE = 500;
/** More rows than this do not fit into one sheet. */
const MOST_ROWS = 1_000_000;

async function* everything(
  context: FindingsContext,
  db: Db,
  actor: Actor,
  filter: PreparedFilter,
): AsyncGenerator<Exported> {
  for (let offset = 0; offset < MOST_ROWS; offset += PAGE) {
    const page = await store.listFindings(db, actor, filter, { limit: PAGE, offset });
    const findings = await shownTo(context, db, actor, page);
    for (const [index, row] of page.entries()) {
      const finding = findings[index]!;
      yield { row: { ...row, username: finding.finding_data.username }, finding };
    }
    if (page.length < PAGE) return;
  }
}

interface Format {
  extension: string;
  type: string;
  parts(columns: readonly Column[], rows: AsyncIterable<Exported>): AsyncIterable<string | Uint8Array>;
}

const FORMATS: Record<Call<typeof exportEndpoint>["body"]["format"], Format> = {
  excel: {
    extension: "xlsx",
    type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    parts: workbook,
  },
  csv: { extension: "csv", type: "text/csv", parts: csv },
  json: { extension: "json", type: "application/json", parts: json },
  sarif: { extension: "sarif", type: "application/sarif+json", parts: sarif },
};

async function* workbook(columns: readonly Column[], rows: AsyncIterable<Exported>) {
  const { writeXlsxStream } = await import("hucre/xlsx");
  async function* cells() {
    for await (const row of rows) {
      yield columns.map(({ read }) => {
        const cell = read(row);
        return typeof cell === "string" ? sheetText(cell) : cell;
      });
    }
  }
  yield* writeXlsxStream(cells(), {
    name: "Security findings",
    columns: columns.map(({ header, width }) => ({ header, width })),
    freezePane: { rows: 1 },
  });
}

const csvCell = (cell: Cell): string =>
  typeof cell === "number" ? String(cell) : `"${inertText(cell ?? "").replaceAll('"', '""')}"`;

async function* csv(columns: readonly Column[], rows: AsyncIterable<Exported>) {
  yield `${columns.map(({ header }) => csvCell(header)).join(",")}\r\n`;
  for await (const row of rows) yield `${columns.map(({ read }) => csvCell(read(row))).join(",")}\r\n`;
}

async function* json(columns: readonly Column[], rows: AsyncIterable<Exported>) {
  const [hasSteps, hasControls] = [columns.includes(REMEDIATION), columns.includes(COMPLIANCE)];
  let separator = "";
  yield '{"findings":[';
  for await (const { row, finding } of rows) {
    const more = {
      ...(hasSteps ? { remediation_steps: remediationSteps(row) } : {}),
      ...(hasControls ? { compliance_impact: complianceImpact(row.class) } : {}),
    };
    yield `${separator}\n${JSON.stringify({ ...finding, ...more })}`;
    separator = ",";
  }
  yield "\n]}\n";
}

const LEVELS = { critical: "error", high: "error", medium: "warning", low: "note" } as const;

/** SARIF 2.1.0. */
async function* sarif(columns: readonly Column[], rows: AsyncIterable<Exported>) {
  const hasSteps = columns.includes(REMEDIATION);
  const head = JSON.stringify({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "Strongroom", informationUri: "https://strongroom.invalid" } } }],
  });
  let separator = "";
  yield `${head.slice(0, -"}]}".length)},"results":[`;
  for await (const { row, finding } of rows) {
    const suppressed = finding.status === "false_positive" || finding.status === "accepted";
    const result = {
      ruleId: row.detector,
      level: LEVELS[finding.severity],
      message: { text: sarifText([finding.description, ...(hasSteps ? remediationSteps(row) : [])].join(" ")) },
      locations: [{ physicalLocation: sarifLocation({ hostname: finding.hostname, path: row.path, line: row.line }) }],
      partialFingerprints: { "strongroom/v1": row.identity },
      rank: finding.risk_score,
      ...(suppressed ? { suppressions: [{ kind: "external", status: "accepted" }] } : {}),
    };
    yield `${separator}\n${JSON.stringify(result)}`;
    separator = ",";
  }
  yield "\n]}]}\n";
}
