// Requests a report, or schedules one (REPORT-02).
import { Select, Switch } from "@mantine/core";
import type { ReportCadence } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { generation, scheduling, type ReportSelection } from "./reports.queries.ts";
import classes from "./reports.module.css";

export interface ReportDialogProps {
  /** Null: closed. */
  kind: "generate" | "schedule" | null;
  selection: ReportSelection;
  onClose: () => void;
}

const CADENCES: readonly { value: ReportCadence; label: string }[] = [
  { value: "daily", label: "Every day" },
  { value: "weekly", label: "Every Monday" },
  { value: "monthly", label: "On the first day of the month" },
];

const initial = { includeRemediation: true, cadence: "weekly" as ReportCadence };

export function ReportDialog({ kind, selection, onClose }: ReportDialogProps) {
  const client = useQueryClient();
  const { mutateAsync: generate } = useMutation(generation(client));
  const { mutateAsync: schedule } = useMutation(scheduling(client));
  const isSchedule = kind === "schedule";
  const { targetId, timeframe } = selection;
  const title = isSchedule ? "Schedule Report" : "Generate Report";
  return (
    <FormDialog
      opened={kind !== null}
      onClose={onClose}
      title={title}
      initial={initial}
      submitLabel={isSchedule ? "Schedule" : "Generate"}
      failureText={isSchedule ? "Failed to schedule the report" : "Failed to generate report"}
      save={async ({ includeRemediation, cadence }) => {
        const targetIds = targetId === undefined ? [] : [targetId];
        const content = { reportType: "risk_assessment", targetIds, timeframe, includeRemediation } as const;
        if (isSchedule) await schedule({ ...content, cadence });
        else await generate({ ...content, format: "pdf" });
      }}
      done={isSchedule ? "Report scheduled" : "Report requested"}
    >
      {(props) => (
        <Form {...props} label={title}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                {isSchedule
                  ? "Each report is generated at 05:00 UTC. You are notified when it is ready."
                  : "The report is generated in the background, as PDF, spreadsheet and JSON."}{" "}
                It contains the data you can see now, without passwords or other secrets.
              </p>
              {isSchedule && (
                <Select label="Repeat" data={CADENCES} allowDeselect={false} {...form.getInputProps("cadence")} />
              )}
              <Switch
                label="Include the remediation plan"
                {...form.getInputProps("includeRemediation", { type: "checkbox" })}
              />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
