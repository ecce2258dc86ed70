// The background job of a report: collects the data, writes the files and notifies the user.
import type { ReportFormat } from "@strongroom/contract";
import { createHash } from "node:crypto";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { absentActor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Job } from "#kernel/jobs/run-job.ts";
import { collectReport } from "./report-data.ts";
import { renderPdf } from "./render/risk-report.ts";
import { renderWorkbook } from "./render/workbook.ts";
import { findActiveOwner, insertFiles, lockReport, updateReport } from "./reports.store.ts";
import type { OwnerRow, ReportRow } from "./reports.store.ts";
import type { ReportContext } from "./reports.ts";

export async function generate(context: ReportContext, { id, signal }: Job<object>): Promise<void> {
  const { database } = context.kernel;
  const begun = await database.transaction((tx) => begin(context, tx, id));
  if (begun === null) return;
  const { report, owner } = begun;
  const onProgress = async (progress: number): Promise<void> => {
    signal.throwIfAborted();
    await updateReport(database.db, report.id, { progress });
  };
  const data = await collectReport(context, database.db, absentActor(owner), report, onProgress);
  const pdf = await renderPdf(data);
  await onProgress(80);
  const files: Record<ReportFormat, Buffer> = {
    pdf,
    xlsx: await renderWorkbook(data),
    json: Buffer.from(`${JSON.stringify(data, null, 2)}\n`),
  };
  await onProgress(95);
  await database.transaction((tx) => complete(context, tx, report, files));
}

/** Null when the report has ended already, or ends now because its user can no longer sign in. */
async function begin(
  context: ReportContext,
  tx: Tx,
  id: string,
): Promise<{ report: ReportRow; owner: OwnerRow } | null> {
  const report = await lockReport(tx, id);
  if (report === undefined || (report.status !== "pending" && report.status !== "running")) return null;
  const owner = await findActiveOwner(tx, report.user_id);
  if (owner === undefined) {
    await failReport(context, tx, report, "The user who requested the report can no longer sign in.");
    return null;
  }
  await updateReport(tx, report.id, { status: "running", progress: 0 });
  return { report, owner };
}

async function complete(
  context: ReportContext,
  tx: Tx,
  { id }: ReportRow,
  files: Readonly<Record<ReportFormat, Buffer>>,
): Promise<void> {
  const report = await lockReport(tx, id);
  if (report?.status !== "running") return;
  const at = context.kernel.clock.now();
  const rows = (Object.entries(files) as [ReportFormat, Buffer][]).map(([format, content]) => ({
    report_id: id,
    format,
    content,
    sha256: createHash("sha256").update(content).digest(),
  }));
  await insertFiles(tx, rows);
  await updateReport(tx, id, { status: "completed", progress: 100, completed_at: at });
  // The trail has the hashes, so that a changed file in the database can be proved.
  const hashes = Object.fromEntries(rows.map(({ format, sha256 }) => [`${format}_sha256`, sha256.toString("hex")]));
  const note = { target: { type: "report", id }, details: { user: report.user_id, ...hashes } };
  await appendAudit(tx, [systemEntry("report.generated", "reports", note, at)]);
  if (report.schedule_id === null) return;
  await context.notify(tx, {
    to: { users: [report.user_id] },
    type: "report_ready",
    title: "Report ready",
    message: "Your scheduled risk assessment is ready to download.",
    severity: "low",
    actionRequired: false,
    metadata: { report_id: id },
    link: "/discovery?tab=risk-assessment",
  });
}

export async function failReport(
  { kernel: { clock } }: ReportContext,
  tx: Tx,
  { id }: ReportRow,
  message: string,
): Promise<void> {
  const at = clock.now();
  await updateReport(tx, id, { status: "failed", completed_at: at, error_message: message });
  const note = { target: { type: "report", id }, result: "failure" as const, reason: message };
  await appendAudit(tx, [systemEntry("report.failed", "reports", note, at)]);
}

/** Ends a report whose job failed permanently. */
export async function endAbandoned(context: ReportContext, id: string): Promise<void> {
  await context.kernel.database.transaction(async (tx) => {
    const report = await lockReport(tx, id);
    if (report === undefined || (report.status !== "pending" && report.status !== "running")) return;
    await failReport(context, tx, report, "The report could not be generated. Try again, or ask an administrator.");
  });
}
