// The user's reports: generate, watch, download, schedule (REPORT-01 to REPORT-05).
import { ActionIcon, Button, Menu, Progress } from "@mantine/core";
import { IconCalendarTime, IconDots, IconDownload, IconFileAnalytics } from "@tabler/icons-react";
import type { Report, ReportFormat, ReportSchedule } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { capitalised } from "#shared/format/text.ts";
import { ConfirmActionDialog, DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { ComingTime, RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatusBadge, type Status } from "#shared/ui/status-badge.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "./reports.module.css";
import { ReportDialog } from "./report-dialog.tsx";
import {
  cancellation,
  deletion,
  reportDownload,
  reportList,
  scheduleList,
  unscheduling,
  type ReportSelection,
} from "./reports.queries.ts";

const WHILE_GENERATING_MS = 2_000;
const isOpen = ({ status }: Report): boolean => status === "pending" || status === "running";

export function ReportsCard(selection: ReportSelection) {
  const [dialog, setDialog] = useState<"generate" | "schedule" | null>(null);
  const reports = useQuery({
    ...reportList,
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) === true ? WHILE_GENERATING_MS : false),
  });
  const schedules = useQuery(scheduleList);
  useResultToasts(reports.data?.data);
  return (
    <SectionCard
      title="Reports"
      description="Only you can read your reports. They are deleted after 90 days."
      actions={
        <div className={classes.actions}>
          <Button
            variant="default"
            leftSection={<IconCalendarTime size={16} aria-hidden />}
            onClick={() => setDialog("schedule")}
          >
            Schedule
          </Button>
          <Button leftSection={<IconFileAnalytics size={16} aria-hidden />} onClick={() => setDialog("generate")}>
            Generate Report
          </Button>
        </div>
      }
    >
      <Loaded query={schedules}>
        {({ data }) =>
          data.length === 0 ? null : (
            <RowList label="Schedules">
              {data.map((schedule) => (
                <ScheduleRow key={schedule.id} schedule={schedule} />
              ))}
            </RowList>
          )
        }
      </Loaded>
      <Loaded query={reports}>
        {({ data }) =>
          data.length === 0 ? (
            <NoRows>No reports yet. Generate one for an auditor, or for your next review.</NoRows>
          ) : (
            <RowList label="Reports">
              {data.map((report) => (
                <ReportRow key={report.id} report={report} />
              ))}
            </RowList>
          )
        }
      </Loaded>
      <ReportDialog kind={dialog} selection={selection} onClose={() => setDialog(null)} />
    </SectionCard>
  );
}

/** Shows a toast when a report that was open ends (REPORT-03, REPORT-04). */
function useResultToasts(reports: readonly Report[] | undefined): void {
  const open = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (reports === undefined) return;
    for (const { id, status, error_message } of reports) {
      if (!open.current.has(id)) continue;
      if (status === "completed") toast.success("Risk assessment report generated successfully");
      if (status === "failed") toast.error(error_message ?? "", { title: "Failed to generate report" });
    }
    open.current = new Set(reports.filter(isOpen).map(({ id }) => id));
  }, [reports]);
}

const STATUSES: Readonly<Record<Report["status"], { status: Status; label: string }>> = {
  pending: { status: "pending", label: "Pending" },
  running: { status: "active", label: "Generating" },
  completed: { status: "verified", label: "Ready" },
  failed: { status: "failed", label: "Failed" },
  cancelled: { status: "inactive", label: "Cancelled" },
};

const FORMATS: readonly [ReportFormat, string][] = [
  ["pdf", "PDF"],
  ["xlsx", "Spreadsheet (XLSX)"],
  ["json", "JSON with proofs"],
];

function ReportRow({ report }: { report: Report }) {
  const client = useQueryClient();
  const [asks, setAsks] = useState<"cancel" | "delete" | null>(null);
  const { mutate: save, isPending } = useMutation(reportDownload(report));
  const name = `Risk assessment, ${report.timeframe}`;
  const when = new Date(report.created_at).toLocaleString();
  const download = (format: ReportFormat): void =>
    save(format, { onError: (error) => toast.error(messageOf(error), { title: "Failed to download the report" }) });
  return (
    <Row
      name={
        <>
          {name} <StatusBadge {...STATUSES[report.status]} />
        </>
      }
      actions={
        <>
          {report.status === "completed" && (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button
                  variant="default"
                  size="compact-sm"
                  loading={isPending}
                  leftSection={<IconDownload size={15} aria-hidden />}
                  aria-label={`Download the report of ${when}`}
                >
                  Download
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {FORMATS.map(([format, label]) => (
                  <Menu.Item key={format} onClick={() => download(format)}>
                    {label}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
          {isOpen(report) ? (
            <Button variant="default" size="compact-sm" onClick={() => setAsks("cancel")}>
              Cancel
            </Button>
          ) : (
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon variant="subtle" aria-label={`More actions for the report of ${when}`}>
                  <IconDots size={16} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item color="red" onClick={() => setAsks("delete")}>
                  Delete
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )}
        </>
      }
    >
      <RowDetail>
        <RelativeTime moment={report.created_at} />
        {report.target_ids.length > 0 && ` · ${report.target_ids.length} selected target`}
        {report.schedule_id !== null && " · Scheduled"}
      </RowDetail>
      {report.error_message !== null && <RowDetail>{report.error_message}</RowDetail>}
      {isOpen(report) && <Progress value={report.progress} aria-label="Progress" mt={6} size="sm" />}
      <ConfirmActionDialog
        opened={asks === "cancel"}
        title="Cancel this report?"
        confirmLabel="Cancel Report"
        mutation={cancellation(client, report.id)}
        done="Report cancelled"
        failed="Failed to cancel the report"
        onClose={() => setAsks(null)}
      >
        You can generate it again at any time.
      </ConfirmActionDialog>
      <DeleteDialog
        opened={asks === "delete"}
        title="Delete this report?"
        mutation={deletion(client, report.id)}
        done="Report deleted"
        failed="Failed to delete the report"
        onClose={() => setAsks(null)}
      >
        Downloaded copies stay where they are. The audit trail keeps the hash of each file.
      </DeleteDialog>
    </Row>
  );
}

function ScheduleRow({ schedule }: { schedule: ReportSchedule }) {
  const [isAsking, setIsAsking] = useState(false);
  const client = useQueryClient();
  const name = `${capitalised(schedule.cadence)} report`;
  return (
    <Row
      icon={<IconCalendarTime size={18} aria-hidden />}
      name={name}
      actions={
        <Button variant="default" size="compact-sm" aria-label={`Delete: ${name}`} onClick={() => setIsAsking(true)}>
          Delete
        </Button>
      }
    >
      <RowDetail>
        Next <ComingTime moment={schedule.next_at} />
      </RowDetail>
      <DeleteDialog
        opened={isAsking}
        title="Delete this schedule?"
        mutation={unscheduling(client, schedule.id)}
        done="Schedule deleted"
        failed="Failed to delete the schedule"
        onClose={() => setIsAsking(false)}
      >
        Reports that it generated stay.
      </DeleteDialog>
    </Row>
  );
}
