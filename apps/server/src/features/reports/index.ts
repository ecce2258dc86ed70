// Reports: generates documents about the risk in the background, for their users to download.
import {
  cancelReport,
  createReportSchedule,
  deleteReport,
  deleteReportSchedule,
  downloadReport,
  generateReport,
  listReportSchedules,
  listReports,
  readReport,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import { endAbandoned, generate } from "./generate-report.ts";
import { rolePermissions } from "./reports.policy.ts";
import { findAbandoned, removeExpired } from "./reports.store.ts";
import {
  REPORT_JOB,
  cancelOwnReport,
  deleteOwnReport,
  downloadOwnReport,
  listOwnReports,
  readOwnReport,
  requestReport,
} from "./reports.ts";
import type { ReportContext } from "./reports.ts";
import { createSchedule, deleteSchedule, listSchedules, queueDueReports } from "./schedules/schedules.ts";

export function installReports(context: ReportContext): void {
  const { kernel } = context;
  const { database, clock } = kernel;
  kernel.authority.grant(rolePermissions);
  implement(kernel, generateReport, (call, tx) => requestReport(context, call, tx));
  implement(kernel, listReports, listOwnReports);
  implement(kernel, readReport, readOwnReport);
  implementDownload(kernel, downloadReport, downloadOwnReport);
  implement(kernel, cancelReport, (call, tx) => cancelOwnReport(context, call, tx));
  implement(kernel, deleteReport, deleteOwnReport);
  implement(kernel, listReportSchedules, listSchedules);
  implement(kernel, createReportSchedule, (call, tx) => createSchedule(context, call, tx));
  implement(kernel, deleteReportSchedule, deleteSchedule);
  // Rendering is busy work, so a process does one at a time.
  kernel.jobs.define(REPORT_JOB, { concurrency: 1, isTracked: true, timeout: 600 }, (job) => generate(context, job));
  kernel.jobs.define("report.tidy", { schedule: "* * * * *", policy: "exclusive" }, async () => {
    for (const id of await findAbandoned(database.db)) await endAbandoned(context, id);
    await queueDueReports(context);
    await database.transaction((tx) => removeExpired(tx, clock.now()));
  });
}
