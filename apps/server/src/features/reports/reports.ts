// Requests, lists, cancels, downloads and deletes reports.
import type {
  Report,
  ReportId,
  cancelReport,
  deleteReport,
  downloadReport,
  generateReport,
  readReport,
} from "@strongroom/contract";
import { Readable } from "node:stream";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Download } from "#kernel/http/stream.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { AuditFeature } from "#features/audit/index.ts";
import type { Notify } from "#features/notifications/index.ts";
import type { RiskContext } from "#features/risk/index.ts";
import { KEPT_DAYS } from "./reports.policy.ts";
import * as store from "./reports.store.ts";
import type { ReportRow, ScheduleRow, ShownReport } from "./reports.store.ts";

export interface ReportContext {
  kernel: Kernel;
  risk: RiskContext;
  audit: Pick<AuditFeature, "proveEntries">;
  notify: Notify;
}

export const REPORT_JOB = "report.generate";

const DAY_MS = 86_400_000;

/** The same refusal for a report of another user. */
const notFound = () => refuse(404, "report.not-found", "Report not found");

const OPEN = ["pending", "running"];

type Content = Pick<ReportRow, "report_type" | "target_ids" | "timeframe" | "include_remediation">;

/** Queues a report in the caller's transaction. */
export async function queueReport(
  { kernel }: ReportContext,
  tx: Tx,
  owner: Actor["id"],
  content: Content & { schedule_id: ScheduleRow["id"] | null },
): Promise<ReportId> {
  const id = (await kernel.jobs.enqueue(tx, REPORT_JOB, {}, { group: owner })) as ReportId;
  const at = kernel.clock.now();
  const expires_at = new Date(at.getTime() + KEPT_DAYS * DAY_MS);
  await store.insertReport(tx, {
    ...content,
    id,
    user_id: owner,
    status: "pending",
    created_at: at,
    completed_at: null,
    expires_at,
    error_message: null,
  });
  return id;
}

export async function requestReport(
  context: ReportContext,
  call: Call<typeof generateReport>,
  tx: Tx,
): Promise<Report> {
  const { reportType, targetIds, timeframe, includeRemediation } = call.body;
  const id = await queueReport(context, tx, call.actor.id, {
    report_type: reportType,
    target_ids: targetIds,
    timeframe,
    include_remediation: includeRemediation,
    schedule_id: null,
  });
  call.note({ target: { type: "report", id }, details: { report_type: reportType, targets: targetIds.length } });
  return toReport((await store.findReport(tx, call.actor.id, id))!);
}

export async function listOwnReports(call: { actor: Actor }, db: Db): Promise<{ data: Report[] }> {
  return { data: (await store.findReports(db, call.actor.id)).map(toReport) };
}

async function requireReport(db: Db, actor: Actor, id: ReportId): Promise<ShownReport> {
  const found = await store.findReport(db, actor.id, id);
  if (found === undefined) throw notFound();
  return found;
}

export async function readOwnReport(call: Call<typeof readReport>, db: Db): Promise<Report> {
  return toReport(await requireReport(db, call.actor, call.params.id));
}

const TYPES = {
  pdf: "application/pdf",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  json: "application/json",
} as const;

export async function downloadOwnReport(call: Call<typeof downloadReport>, db: Db): Promise<Download> {
  const { id } = call.params;
  const { format } = call.query;
  call.note({ target: { type: "report", id }, details: { format } });
  const report = await requireReport(db, call.actor, id);
  const content = await store.readFile(db, id, format);
  if (content === null) throw refuse(409, "report.not-ready", "The report is not completed.");
  return {
    body: Readable.from([content]),
    fileName: `risk-assessment-${report.created_at.toISOString().slice(0, 10)}.${format}`,
    type: TYPES[format],
  };
}

export async function cancelOwnReport(
  { kernel }: ReportContext,
  call: Call<typeof cancelReport>,
  tx: Tx,
): Promise<Report> {
  const { id } = call.params;
  call.note({ target: { type: "report", id } });
  await store.lockReport(tx, id);
  const report = await requireReport(tx, call.actor, id);
  if (!OPEN.includes(report.status)) throw refuse(409, "report.ended", "The report has already ended.");
  await kernel.jobs.cancel(tx, id);
  await store.updateReport(tx, id, { status: "cancelled", completed_at: kernel.clock.now() });
  return toReport(await requireReport(tx, call.actor, id));
}

export async function deleteOwnReport(call: Call<typeof deleteReport>, tx: Tx) {
  const { id } = call.params;
  call.note({ target: { type: "report", id } });
  await store.lockReport(tx, id);
  const report = await requireReport(tx, call.actor, id);
  if (OPEN.includes(report.status)) throw refuse(409, "report.open", "Cancel the report before you delete it.");
  await store.removeReport(tx, id);
  return { message: "Report deleted" };
}

function toReport(row: ShownReport): Report {
  return {
    id: row.id,
    report_type: row.report_type,
    status: row.status,
    progress: row.progress,
    target_ids: row.target_ids,
    timeframe: row.timeframe,
    include_remediation: row.include_remediation,
    schedule_id: row.schedule_id,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    error_message: row.error_message,
    files: row.files,
    expires_at: row.expires_at.toISOString(),
  };
}
