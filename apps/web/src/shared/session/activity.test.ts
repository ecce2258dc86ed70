import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import { signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import { lastActivity, recordActivity, reportToServer, wasActiveWithin } from "./activity.ts";

let api: TestApi;
const reports = () => api.requestsTo("POST /api/v1/auth/activity").length;

beforeEach(async () => {
  api = await startApi({ "POST /api/v1/auth/activity": { json: { idle_until: "2100-01-01T00:00:00.000Z" } } });
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  signOutForTest();
  await api.close();
});

test("the server is notified of activity at most once a minute, including the last one", async () => {
  signInForTest();
  reportToServer();
  await expect.poll(reports).toBe(1);
  for (let second = 0; second < 50; second += 10) {
    reportToServer();
    vi.advanceTimersByTime(10_000);
  }
  vi.advanceTimersByTime(9999);
  expect(reports()).toBe(1);
  vi.advanceTimersByTime(1);
  await expect.poll(reports).toBe(2);
  vi.advanceTimersByTime(600_000);
  expect(reports()).toBe(2);
});

test("a signed-out user's activity is not reported", async () => {
  signOutForTest();
  reportToServer();
  vi.advanceTimersByTime(120_000);
  expect(reports()).toBe(0);
});

test("activity in another tab counts in this tab", () => {
  recordActivity(Date.now() - 600_000);
  expect(wasActiveWithin(60_000)).toBe(false);
  localStorage.setItem("strongroom.last-activity", String(Date.now() - 5000));
  expect(wasActiveWithin(60_000)).toBe(true);
  expect(lastActivity()).toBe(Date.now() - 5000);
});
