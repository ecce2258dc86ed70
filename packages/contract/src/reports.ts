// Reports about the risk: generated in the background as PDF, spreadsheet and JSON, once or on a schedule.
import { z } from "zod";
import { DiscoveryTargetId, ScanStatus } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { Message, Moment } from "./fields.ts";
import { RiskTimeframe } from "./risk.ts";

export const ReportId = z.uuid().brand<"ReportId">();
export type ReportId = z.infer<typeof ReportId>;
export const ReportScheduleId = z.uuid().brand<"ReportScheduleId">();
export type ReportScheduleId = z.infer<typeof ReportScheduleId>;

export const ReportFormat = z.enum(["pdf", "xlsx", "json"]);
export type ReportFormat = z.infer<typeof ReportFormat>;
export const ReportType = z.enum(["risk_assessment"]);

const content = {
  reportType: ReportType.default("risk_assessment"),
  /** Empty: everything that the user can see. */
  targetIds: z.array(DiscoveryTargetId).max(1000).default([]),
  timeframe: RiskTimeframe.default("30d"),
  includeRemediation: z.boolean().default(true),
};

/** A report contains what its user could see when it was generated, and only that user can read it. */
export const Report = z.object({
  id: ReportId,
  report_type: ReportType,
  status: ScanStatus,
  /** Percent. */
  progress: z.number().int(),
  target_ids: z.array(DiscoveryTargetId),
  timeframe: RiskTimeframe,
  include_remediation: z.boolean(),
  schedule_id: ReportScheduleId.nullable(),
  created_at: Moment,
  completed_at: Moment.nullable(),
  error_message: z.string().nullable(),
  /** The files of a completed report. */
  files: z.array(z.object({ format: ReportFormat, bytes: z.number().int(), sha256: z.string() })),
  /** When the report is deleted. */
  expires_at: Moment,
});
export type Report = z.infer<typeof Report>;

const reporting = { needs: "report.use", thing: "report" } as const;
const byReport = { ...reporting, params: z.object({ id: ReportId }) } as const;

/** REPORT-02. */
export const generateReport = endpoint({
  ...reporting,
  method: "POST",
  path: "/api/v1/discovery/enhanced/reports/generate",
  summary: "Generate a report in the background",
  body: z.strictObject({
    ...content,
    /** The file that the user wants first. Every format is generated. */
    format: ReportFormat.default("pdf"),
  }),
  reply: Report,
  status: 202,
  sessionOnly: true,
  perMinute: 10,
  audit: "report.requested",
  gives: "nothing",
});

export const listReports = endpoint({
  method: "GET",
  needs: "report.use",
  path: "/api/v1/discovery/enhanced/reports",
  summary: "The caller's reports, newest first, at most 100",
  reply: z.object({ data: z.array(Report) }),
  audit: "none",
});

export const readReport = endpoint({
  ...byReport,
  method: "GET",
  path: "/api/v1/discovery/enhanced/reports/:id",
  summary: "One of the caller's reports",
  reply: Report,
  audit: "none",
});

/** REPORT-05. 409 until the report is completed. */
export const downloadReport = endpoint({
  ...byReport,
  method: "GET",
  path: "/api/v1/discovery/enhanced/reports/:id/download",
  summary: "A file of a completed report",
  query: z.object({ format: ReportFormat.default("pdf") }),
  reply: { stream: "application/pdf" },
  sessionOnly: true,
  audit: "report.downloaded",
  stepUp: true,
});

export const cancelReport = endpoint({
  ...byReport,
  method: "POST",
  path: "/api/v1/discovery/enhanced/reports/:id/cancel",
  summary: "Cancel a report that has not ended",
  reply: Report,
  audit: "report.cancelled",
  gives: "nothing",
});

export const deleteReport = endpoint({
  ...byReport,
  method: "DELETE",
  path: "/api/v1/discovery/enhanced/reports/:id",
  summary: "Delete a report that has ended",
  reply: Message,
  audit: "report.deleted",
  gives: "nothing",
});

export const ReportCadence = z.enum(["daily", "weekly", "monthly"]);
export type ReportCadence = z.infer<typeof ReportCadence>;

export const ReportSchedule = z.object({
  id: ReportScheduleId,
  cadence: ReportCadence,
  report_type: ReportType,
  target_ids: z.array(DiscoveryTargetId),
  timeframe: RiskTimeframe,
  include_remediation: z.boolean(),
  next_at: Moment,
  created_at: Moment,
});
export type ReportSchedule = z.infer<typeof ReportSchedule>;

export const MOST_REPORT_SCHEDULES = 20;

export const listReportSchedules = endpoint({
  method: "GET",
  needs: "report.use",
  path: "/api/v1/discovery/enhanced/reports/schedules",
  summary: "The caller's report schedules",
  reply: z.object({ data: z.array(ReportSchedule) }),
  audit: "none",
});

/** Each report notifies the caller when it is ready, by email too if the caller's preferences say so. */
export const createReportSchedule = endpoint({
  method: "POST",
  needs: "report.use",
  path: "/api/v1/discovery/enhanced/reports/schedules",
  summary: "Generate a report every day, week (Monday) or month (first day), at 05:00 UTC",
  body: z.strictObject({ ...content, cadence: ReportCadence }),
  reply: ReportSchedule,
  status: 201,
  sessionOnly: true,
  audit: "report.schedule-created",
  gives: "nothing",
});

export const deleteReportSchedule = endpoint({
  ...reporting,
  method: "DELETE",
  path: "/api/v1/discovery/enhanced/reports/schedules/:id",
  summary: "Delete a report schedule; its reports stay",
  params: z.object({ id: ReportScheduleId }),
  reply: Message,
  audit: "report.schedule-deleted",
  gives: "nothing",
});
