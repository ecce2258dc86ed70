// Tests of the reports card: what happens when a report ends, and what a new one asks for.
import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { ReportsCard } from "./reports-card.tsx";

const REPORTS = "GET /api/v1/discovery/enhanced/reports";
const GENERATE = "POST /api/v1/discovery/enhanced/reports/generate";
const aReport = {
  id: "11111111-0000-4000-8000-000000000000",
  report_type: "risk_assessment",
  status: "running",
  progress: 40,
  target_ids: [],
  timeframe: "30d",
  include_remediation: true,
  schedule_id: null,
  created_at: "2026-11-20T10:00:00.000Z",
  completed_at: null,
  error_message: null,
  files: [],
  expires_at: "2027-02-18T10:00:00.000Z",
};
const list = (...data: object[]) => ({ json: { data } });

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [REPORTS]: list(),
    "GET /api/v1/discovery/enhanced/reports/schedules": list(),
    [GENERATE]: { status: 202, json: aReport },
  });
});
afterEach(() => api.close());

const show = () => renderScreen(<ReportsCard targetId={undefined} timeframe="30d" />);

test("REPORT-03: a report that completes gives a toast", async () => {
  api.on(REPORTS, list(aReport));
  show();
  await screen.findByText("Generating");
  api.on(REPORTS, list({ ...aReport, status: "completed", completed_at: aReport.created_at }));
  expect(await screen.findByText("Risk assessment report generated successfully", {}, { timeout: 8000 })).toBeTruthy();
}, 15_000);

test("REPORT-04: a report that fails gives a toast with the reason", async () => {
  api.on(REPORTS, list(aReport));
  show();
  await screen.findByText("Generating");
  api.on(REPORTS, list({ ...aReport, status: "failed", error_message: "Try again later." }));
  expect(await screen.findByText("Failed to generate report", {}, { timeout: 8000 })).toBeTruthy();
  expect(screen.getAllByText("Try again later.").length).toBeGreaterThan(0);
}, 15_000);

test("REPORT-02, REPORT-04: a refused request keeps the dialog and shows the reason", async () => {
  api.on(GENERATE, problem(409, "report.too-many", "Too many reports."));
  const { user } = show();
  await user.click(await screen.findByRole("button", { name: "Generate Report" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("button", { name: "Generate" }));
  expect(await dialog.findByText(/Too many reports/)).toBeTruthy();
  expect(api.requestsTo(GENERATE)[0]?.body).toEqual({
    reportType: "risk_assessment",
    targetIds: [],
    timeframe: "30d",
    format: "pdf",
    includeRemediation: true,
  });
}, 15_000);
