// The schedules of enhanced scans, below the scans.
import { Alert, Button } from "@mantine/core";
import { IconCalendarRepeat, IconTrash } from "@tabler/icons-react";
import type { EnhancedScanSchedule } from "@strongroom/contract";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { scheduleText } from "#shared/discovery/schedule-values.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { ComingTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { DEPTH_LABELS, TYPE_LABELS } from "./scan-labels.ts";
import classes from "./scans.module.css";
import { enhancedScanSchedules, scheduleDeletion } from "./scans.queries.ts";

export function ScanSchedules() {
  const list = useInfiniteQuery(enhancedScanSchedules);
  const [chosen, setChosen] = useState<EnhancedScanSchedule | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className={classes.schedules} aria-label="Schedules of enhanced scans">
      <h3 className={classes.heading}>Schedules</h3>
      <Loaded query={list} failureText="Failed to load the schedules of enhanced scans">
        {({ pages }) => {
          const schedules = pages.flatMap(({ data }) => data);
          return schedules.length === 0 ? (
            <NoRows>No enhanced scan is scheduled. Enhanced Scan on a target offers schedules.</NoRows>
          ) : (
            <>
              <RowList label="Schedules of enhanced scans">
                {schedules.map((schedule) => (
                  <ScheduleRow
                    key={schedule.id}
                    schedule={schedule}
                    onDelete={() => {
                      setChosen(schedule);
                      setIsOpen(true);
                    }}
                  />
                ))}
              </RowList>
              <LoadMore of={list} />
            </>
          );
        }}
      </Loaded>
      {chosen !== null && <DeleteDialog schedule={chosen} opened={isOpen} onClose={() => setIsOpen(false)} />}
    </section>
  );
}

interface ScheduleRowProps {
  schedule: EnhancedScanSchedule;
  onDelete: () => void;
}

function ScheduleRow({ schedule, onDelete }: ScheduleRowProps) {
  const { target, scan_config: config, next_at: nextAt, problem } = schedule;
  return (
    <Row
      icon={<IconCalendarRepeat size={18} aria-hidden />}
      name={target.name}
      isOver={nextAt === null}
      actions={
        schedule.can_manage && (
          <Button
            size="compact-sm"
            variant="light"
            color="red"
            aria-label={`Delete the schedule of ${target.name}: ${scheduleText(schedule.schedule)}`}
            leftSection={<IconTrash size={15} aria-hidden />}
            onClick={onDelete}
          >
            Delete
          </Button>
        )
      }
    >
      <RowDetail>{scheduleText(schedule.schedule)}</RowDetail>
      <RowDetail>{`${target.hostname} · ${TYPE_LABELS[config.scanType]} · ${DEPTH_LABELS[config.scanDepth]}`}</RowDetail>
      <RowDetail>
        Acts for {schedule.owner}
        {nextAt !== null && (
          <>
            {" · Next scan "}
            <ComingTime moment={nextAt} />
          </>
        )}
      </RowDetail>
      {problem !== null && (
        <Alert color={nextAt === null ? "red" : "yellow"} p="xs">
          {problem}
        </Alert>
      )}
    </Row>
  );
}

function DeleteDialog({ schedule, ...props }: DialogProps & { schedule: EnhancedScanSchedule }) {
  return (
    <ConfirmActionDialog
      {...props}
      title="Delete Schedule"
      confirmLabel="Delete Schedule"
      variant="danger"
      mutation={scheduleDeletion(useQueryClient(), schedule.id)}
      done="Schedule deleted successfully"
      failed="Failed to delete schedule"
    >
      <p>
        Stop the scheduled enhanced scans of <strong>{schedule.target.name}</strong> ({scheduleText(schedule.schedule)}
        )? Scans that it started and their findings stay.
      </p>
    </ConfirmActionDialog>
  );
}
