import type { CredentialId } from "@strongroom/contract";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest, signOutForTest } from "#app/testing/sign-in.ts";
import { currentSession } from "#shared/session/session-store.ts";
import ComponentDemoPage from "./component-demo-page.tsx";
import CpmTestPage, { NOBODYS_ID } from "./cpm-test-page.tsx";
import InactivityTestPage, { TEST_LIMITS, usualLimits } from "./inactivity-test-page.tsx";
import { PAUSE_MS, integrationTests, runTests } from "./integration-tests.ts";
import LoadingDemoPage from "./loading-demo-page.tsx";

const MINUTE = 60_000;

test("DEMO-01: the loading showcase shows every indicator with its default text", async () => {
  const { user } = renderScreen(<LoadingDemoPage />);
  expect(screen.getByText("Securing Vault...")).toBeTruthy();
  expect(screen.getByText("Loading...")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Cover this card" }));
  expect(screen.getByText("Processing...")).toBeTruthy();
});

test("DEMO-16: every sample card of the component demo says that it is a sample", () => {
  renderScreen(<ComponentDemoPage />);
  const cards = screen.getAllByRole("article");
  expect(cards).toHaveLength(5);
  for (const card of cards) expect(within(card).getByText("Sample only")).toBeTruthy();
});

test("SHELL-38, SHELL-39, SHELL-41: the component demo shows every dialog and toast", async () => {
  const { user } = renderScreen(<ComponentDemoPage />);
  await user.click(screen.getByRole("button", { name: "Confirm: danger" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Confirm" }));
  await user.click(screen.getByRole("button", { name: "Modal: 2xl" }));
  expect(await screen.findByRole("dialog", { name: "Modal 2xl (sample only)" })).toBeTruthy();
  await user.keyboard("{Escape}");
  const toasts = { success: "success message", error: "error message", loading: "in progress", custom: "information" };
  for (const [kind, text] of Object.entries(toasts)) {
    fireEvent.click(screen.getByText(`Toast: ${kind}`));
    expect(await screen.findByText(`Sample only: ${text}`)).toBeTruthy();
  }
});

describe("the inactivity test page", () => {
  beforeEach(() => {
    signOutForTest();
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["Date", "setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    signOutForTest();
  });
  const idle = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

  test("DEMO-03: shows a test mode and a Session Security card", () => {
    renderScreen(<InactivityTestPage />);
    expect(screen.getByRole("switch", { name: /^Test mode/ })).toHaveProperty("checked", true);
    expect(screen.getByRole("region", { name: "Session Security" })).toBeTruthy();
  });

  test("DEMO-05: uses 2 minutes and 30 seconds in test mode", () =>
    expect(TEST_LIMITS).toMatchObject({ timeoutMs: 120_000, warningMs: 30_000 }));

  test("DEMO-06: otherwise uses the session settings, or 30 and 5 minutes", async () => {
    expect(usualLimits({ timeout: 60, warningTime: 10 })).toMatchObject({
      timeoutMs: 60 * MINUTE,
      warningMs: 10 * MINUTE,
    });
    renderScreen(<InactivityTestPage />);
    fireEvent.click(screen.getByRole("switch", { name: /^Test mode/ }));
    expect(await screen.findByText("30 minutes")).toBeTruthy();
    expect(screen.getByText("5 minutes")).toBeTruthy();
  });

  test("DEMO-02, DEMO-04: shows a warning before the logout, and says that no session ended when the visitor is signed out", async () => {
    renderScreen(<InactivityTestPage />);
    idle(89_000);
    expect(screen.queryByRole("dialog")).toBeNull();
    idle(2000);
    expect(await screen.findByRole("dialog", { name: "Session Timeout Warning" })).toBeTruthy();
    idle(30_000);
    expect(await screen.findByText(/there was no session to end/)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Start again" })).toBeTruthy();
  });

  test("DEMO-02: signs out a signed-in user", async () => {
    const api = await startApi({ "POST /api/v1/auth/logout": { json: { message: "ok", provider: null } } });
    signInForTest({ exp: Math.floor(Date.now() / 1000) + 86_400 });
    renderScreen(<InactivityTestPage />);
    idle(121_000);
    await waitFor(() => expect(currentSession()).toMatchObject({ status: "signed-out", by: "inactivity" }));
    await api.close();
  });
});

describe("CPM Integration Testing", () => {
  const mine = "33333333-3333-4333-8333-333333333333";
  let api: TestApi;
  beforeEach(async () => {
    signInForTest();
    api = await startApi({
      "GET /api/v1/credentials": { json: { data: [], next_cursor: null } },
      "GET /api/v1/health": {
        json: { status: "healthy", summary: "All systems operational", version: "1", uptime: 1, checks: [] },
      },
      "GET /api/v1/health/ready": { json: { status: "ready" } },
      "GET /api/v1/health/live": { json: { status: "alive" } },
      "GET /api/v1/cpm/status": problem(500, "internal", "Broken on purpose"),
      "GET /api/v1/cpm/credentials/attention": { json: { credentials: [], total: 0 } },
      "GET /api/v1/credentials/:id/history": { json: { history: [], next_cursor: null } },
      "POST /api/v1/credentials/:id/verify": problem(404, "credential.not-found", "There is no such credential."),
    });
  });
  afterEach(async () => {
    signOutForTest();
    await api.close();
  });

  test("DEMO-10 to DEMO-12, DEMO-15, API-43, OPEN-104: shows the title, the seven tests, the field with its default and the links", () => {
    renderScreen(<CpmTestPage />);
    expect(screen.getByRole("heading", { name: "CPM Integration Testing" })).toBeTruthy();
    expect(within(screen.getByRole("list")).getAllByRole("listitem")).toHaveLength(7);
    expect(screen.getByLabelText("Test credential ID")).toHaveProperty("value", NOBODYS_ID);
    expect(screen.getByRole("link", { name: "Credential Vault" }).getAttribute("href")).toBe("/credential-vault");
    expect(screen.getByRole("link", { name: "CPM Dashboard" }).getAttribute("href")).toBe("/cpm-dashboard");
  });

  test("DEMO-13: Run All Tests shows passes and failures with their reasons", async () => {
    const { user } = renderScreen(<CpmTestPage />);
    await user.click(screen.getByRole("button", { name: "Run All Tests" }));
    expect(await screen.findByText(/^0 entries \(/, undefined, { timeout: 8000 })).toBeTruthy();
    expect(screen.getByText(/^Broken on purpose \(/)).toBeTruthy();
    expect(screen.getAllByText("Passed")).toHaveLength(5);
    expect(screen.getAllByText("Failed")).toHaveLength(2);
  }, 15_000);

  test("DEMO-14: runs the tests one by one, 500 ms apart", async () => {
    const steps: string[] = [];
    const pause = (ms: number) => {
      steps.push(`pause ${ms}`);
      return Promise.resolve();
    };
    const onResult = (id: string, { state }: { state: string }) => void steps.push(`${id} ${state}`);
    await runTests(integrationTests.slice(0, 3), mine as CredentialId, onResult, pause, new AbortController().signal);
    expect(PAUSE_MS).toBe(500);
    expect(steps).toEqual([
      "health running",
      "health passed",
      "pause 500",
      "readiness running",
      "readiness passed",
      "pause 500",
      "liveness running",
      "liveness passed",
    ]);
  });

  test("disables the tests while the ID is invalid", async () => {
    const { user } = renderScreen(<CpmTestPage />);
    await user.clear(screen.getByLabelText("Test credential ID"));
    expect(screen.getByText("A credential ID is a UUID.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Run All Tests" })).toHaveProperty("disabled", true);
  });
});
