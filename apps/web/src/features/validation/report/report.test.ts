import { expect, test } from "vitest";
import { reportFileName, reportRequest } from "../validation.queries.ts";

const NOW = new Date("2026-01-31T12:00:00.000Z");

test("VAL-49, VAL-71: requests the range as days that end now, and the five fields", () => {
  const starts = (["24h", "7d", "30d"] as const).map((range) => reportRequest(range, NOW).date_range.start);
  expect(starts).toEqual(["2026-01-30T12:00:00.000Z", "2026-01-24T12:00:00.000Z", "2026-01-01T12:00:00.000Z"]);
  expect(reportRequest("24h", NOW)).toMatchObject({
    date_range: { end: NOW.toISOString() },
    include_fields: ["account_name", "hostname", "validation_status", "last_validation_date", "system_type"],
  });
});

test("VAL-70: the file name contains the range and the date", () =>
  expect(reportFileName("7d", NOW, "xlsx")).toBe("validation-dashboard-7d-2026-01-31.xlsx"));
