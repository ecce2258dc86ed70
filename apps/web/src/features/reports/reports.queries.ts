// Server state of reports and their schedules.
import {
  cancelReport,
  createReportSchedule,
  deleteReport,
  deleteReportSchedule,
  downloadReport,
  generateReport,
  listReportSchedules,
  listReports,
  type DiscoveryTargetId,
  type InputOf,
  type Report,
  type ReportFormat,
  type ReportId,
  type ReportScheduleId,
  type RiskTimeframe,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call, download } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import { saveFile } from "#shared/ui/save-file.ts";

export interface ReportSelection {
  targetId: DiscoveryTargetId | undefined;
  timeframe: RiskTimeframe;
}

export const reportList = queryOf(listReports);
export const scheduleList = queryOf(listReportSchedules);

const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({
    mutationFn: send,
    onSettled: () => invalidatePath(client, "/api/v1/discovery/enhanced/reports"),
  });

export type NewReport = NonNullable<InputOf<typeof generateReport>["body"]>;
export type NewSchedule = NonNullable<InputOf<typeof createReportSchedule>["body"]>;

export const generation = (client: QueryClient) =>
  changing(client, (body: NewReport) => call(generateReport, { body }));

export const cancellation = (client: QueryClient, id: ReportId) =>
  changing(client, () => call(cancelReport, { params: { id } }));

export const deletion = (client: QueryClient, id: ReportId) =>
  changing(client, () => call(deleteReport, { params: { id } }));

export const scheduling = (client: QueryClient) =>
  changing(client, (body: NewSchedule) => call(createReportSchedule, { body }));

export const unscheduling = (client: QueryClient, id: ReportScheduleId) =>
  changing(client, () => call(deleteReportSchedule, { params: { id } }));

/** REPORT-05. */
export const reportDownload = ({ id, created_at }: Report) =>
  mutationOptions({
    mutationFn: async (format: ReportFormat) => {
      const content = await download(downloadReport, { params: { id }, query: { format } });
      saveFile(`risk-assessment-${created_at.slice(0, 10)}.${format}`, content);
    },
  });
