// The validation report: the secrets that the caller can see and their status, as a spreadsheet or as JSON.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";

/** VAL-71. */
export const REPORT_FIELDS = [
  "account_name",
  "hostname",
  "validation_status",
  "last_validation_date",
  "system_type",
] as const;

const report = {
  date_range: z
    .strictObject({ start: Moment, end: Moment })
    .refine(({ start, end }) => start < end, { path: ["end"], message: "The end must be after the start" }),
  include_fields: z
    .array(z.enum(REPORT_FIELDS))
    .min(1)
    .max(REPORT_FIELDS.length)
    .default([...REPORT_FIELDS]),
};

/**
 * VAL-70. The secrets that the caller can see, each with its status; `date_range` bounds the figures on the second
 * sheet.
 */
export const exportValidationReport = endpoint({
  method: "POST",
  path: "/api/v1/validation/report",
  summary: "The validation report as a spreadsheet",
  body: z.strictObject({ format: z.literal("xlsx").default("xlsx"), ...report }),
  reply: { stream: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
  needs: "verification.read",
  audit: "validation.exported",
  gives: "nothing",
  stepUp: true,
});

/** The same as JSON: `accounts`, `filters`, `statistics`, `exported_at`, `total_records`. */
export const exportValidationJson = endpoint({
  method: "POST",
  path: "/api/v1/validation/report.json",
  summary: "The validation report as JSON",
  body: z.strictObject(report),
  reply: { stream: "application/json" },
  needs: "verification.read",
  audit: "validation.exported",
  gives: "nothing",
  stepUp: true,
});
