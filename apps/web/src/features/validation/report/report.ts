// The request and file name of the validation report (VAL-49, VAL-70, VAL-71).
import { REPORT_FIELDS, type ValidationRange } from "@strongroom/contract";

const DAY_MS = 86_400_000;
const DAYS: Record<ValidationRange, number> = { "24h": 1, "7d": 7, "30d": 30 };

/** The range ends now. */
export const reportRequest = (range: ValidationRange, now: Date) => ({
  date_range: {
    start: new Date(now.getTime() - DAYS[range] * DAY_MS).toISOString(),
    end: now.toISOString(),
  },
  include_fields: [...REPORT_FIELDS],
});

/** `validation-dashboard-7d-2026-01-31.xlsx`; the date is UTC, as in the report. */
export const reportFileName = (range: ValidationRange, now: Date, format: "xlsx" | "json"): string =>
  `validation-dashboard-${range}-${now.toISOString().slice(0, 10)}.${format}`;
