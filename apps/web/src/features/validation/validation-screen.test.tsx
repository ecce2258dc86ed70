import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { ValidationScreen } from "./validation-screen.tsx";
import { aFailure, anAttempt } from "./testing/figures.ts";
import { ATTEMPTS, FAILURES, TRIGGER, dashboardApi, failuresOf } from "./testing/open-dashboard.tsx";

const STATUS = "GET /api/v1/validation/status";
const STATISTICS = "GET /api/v1/validation/statistics";
const AT = "2026-01-02T03:04:05.000Z";

const idle = { status: "idle", under_way: 0, last_attempt_at: AT, next_attempt_at: null };
const statistics = {
  total_accounts: 12,
  verified: 7,
  pending: 0,
  failed: 2,
  rejected: 2,
  unreachable: 0,
  misconfigured: 0,
  never_validated: 3,
  last_24h_attempts: 4,
  last_24h_successes: 3,
  last_24h_failures: 1,
  success_rate: 75,
  average_validation_time: 30,
};

let api: Awaited<ReturnType<typeof dashboardApi>>;
beforeEach(async () => {
  api = await dashboardApi();
  api.on(STATUS, { json: idle });
  api.on(STATISTICS, { json: statistics });
});

afterEach(() => void vi.useRealTimers());

const open = () => renderScreen(<ValidationScreen />, { at: "/discovery", path: "/discovery" });
const card = async (name: string) => within(await screen.findByRole("article", { name }));

describe("the validation screen of the discovery area", () => {
  test("VAL-51, API-95: shows status, statistics, history and failures", async () => {
    api.on(ATTEMPTS, { json: { attempts: [anAttempt(1)], total: 1, next_cursor: null } });
    api.on(FAILURES, failuresOf(aFailure(2)));
    open();
    await (await card("Validation")).findByText("Idle");
    expect((await card("Verified")).getByText("of 12")).toBeTruthy();
    expect((await card("Failed")).getByText("2 rejected, 0 not checked")).toBeTruthy();
    expect((await card("Success Rate, 24 Hours")).getByText("75%")).toBeTruthy();
    const history = within(await screen.findByRole("list", { name: "Validation attempts" }));
    for (const part of [/Account 1/, /app@db1.example.com/]) expect(history.getByText(part)).toBeTruthy();
    const failures = within(await screen.findByRole("list", { name: "Validation failures" }));
    expect(failures.getByText(/Account 2/)).toBeTruthy();
    expect(failures.getByText("High")).toBeTruthy();
    expect(api.requestsTo(ATTEMPTS)[0]?.query.get("limit")).toBe("50");
  });

  test("VAL-48: reloads everything every 30 s, with calls marked as background calls", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    open();
    const asked = [STATUS, STATISTICS, ATTEMPTS, FAILURES];
    for (const route of asked) await waitFor(() => expect(api.requestsTo(route)).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(30_000);
    for (const route of asked) {
      await waitFor(() => expect(api.requestsTo(route)).toHaveLength(2));
      expect(api.requestsTo(route).map(({ headers }) => headers["x-background"])).toEqual(["1", "1"]);
    }
  });

  test("counts running validations, and shows no rate when there were no attempts in 24 hours", async () => {
    api.on(STATUS, { json: { ...idle, status: "running", under_way: 5 } });
    api.on(STATISTICS, { json: { ...statistics, last_24h_attempts: 0, success_rate: 0 } });
    open();
    expect(await (await card("Validation")).findByText("5 under way")).toBeTruthy();
    await (await card("Verified")).findByText("7");
    expect((await card("Success Rate, 24 Hours")).queryByText("0%")).toBeNull();
  });

  test("API-95: filters failures by severity, and validates high and critical ones again with force", async () => {
    api.on(FAILURES, failuresOf(aFailure(2)));
    api.on(TRIGGER, { json: { run_id: null, queued: 1, failed: [] } });
    const { user } = open();
    await screen.findByRole("list", { name: "Validation failures" });
    await user.click(screen.getByRole("combobox", { name: "Severity" }));
    await user.click(await screen.findByRole("option", { name: "High" }));
    await waitFor(() => expect(api.requestsTo(FAILURES).at(-1)?.query.get("severity")).toBe("high"));
    await user.click(await screen.findByRole("button", { name: "Bulk Validate Critical" }));
    await user.click(await screen.findByRole("button", { name: "Validate" }));
    await waitFor(() => expect(api.requestsTo(TRIGGER)[0]?.body).toMatchObject({ force: true }));
  });

  test("VAL-64, OPEN-140: shows a failed load quietly in its place, with Retry", async () => {
    api.on(STATUS, { status: 500, json: { message: "Something broke" } });
    api.on(ATTEMPTS, { status: 500, json: { message: "Something broke" } });
    const { user } = open();
    expect(await screen.findByText(/The figures could not be loaded/)).toBeTruthy();
    expect(await screen.findByText("No validation failures found")).toBeTruthy();
    api.on(STATUS, { json: idle });
    const [retry] = screen.getAllByRole("button", { name: "Retry" });
    await user.click(retry!);
    await (await card("Validation")).findByText("Idle");
    await waitFor(() => expect(screen.queryByText(/The figures could not be loaded/)).toBeNull());
  });
});
