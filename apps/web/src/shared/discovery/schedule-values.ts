// Values of the fields of a scan schedule. Pure.
import type { ScanSchedule } from "@strongroom/contract";

export interface ScheduleValues {
  /** A cron expression; empty without a schedule. */
  cron: string;
  timezone: string;
  jitterMinutes: string;
  /** Both empty for any time. */
  windowFrom: string;
  windowTo: string;
}

/** Usual schedules by their cron expression. */
export const USUAL_SCHEDULES: Readonly<Record<string, string>> = {
  "0 * * * *": "Every hour",
  "0 2 * * *": "Every day at 02:00",
  "0 2 * * 1": "Every Monday at 02:00",
};

export const scheduleText = ({ cron, timezone, window }: ScanSchedule): string =>
  `${USUAL_SCHEDULES[cron] ?? cron} (${timezone})${window === null ? "" : `, between ${window.from} and ${window.to}`}`;

export const NO_SCHEDULE: ScheduleValues = {
  cron: "",
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  jitterMinutes: "30",
  windowFrom: "",
  windowTo: "",
};

export const valuesOfSchedule = (schedule: ScanSchedule | null): ScheduleValues =>
  schedule === null
    ? NO_SCHEDULE
    : {
        cron: schedule.cron,
        timezone: schedule.timezone,
        jitterMinutes: String(schedule.jitterMinutes),
        windowFrom: schedule.window?.from ?? "",
        windowTo: schedule.window?.to ?? "",
      };

export const scheduleOf = ({ cron, timezone, jitterMinutes, windowFrom, windowTo }: ScheduleValues) =>
  cron.trim() === ""
    ? null
    : {
        cron,
        timezone,
        jitterMinutes: Number(jitterMinutes) || 0,
        window: windowFrom === "" && windowTo === "" ? null : { from: windowFrom, to: windowTo },
      };

/** Form fields by their path in the contract. */
export const SCHEDULE_FIELDS: Readonly<Record<string, keyof ScheduleValues>> = {
  "schedule.cron": "cron",
  "schedule.timezone": "timezone",
  "schedule.jitterMinutes": "jitterMinutes",
  "schedule.window.from": "windowFrom",
  "schedule.window.to": "windowTo",
};
