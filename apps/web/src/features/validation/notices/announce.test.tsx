import { DashboardPreferences, NotificationPreferences } from "@strongroom/contract";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { TEST_USER, signInForTest } from "#app/testing/sign-in.ts";
import { toast } from "#shared/ui/toast.ts";
import { announceCritical } from "./announce-critical.ts";
import {
  announceValidation,
  announceStart,
  announceSuccess,
  type Announced,
  type Listener,
} from "./announce-validation.ts";
import { SESSION, anEvent, idOf } from "../testing/figures.ts";

class Utterance {
  volume = 1;
  rate = 1;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

let api: TestApi;
let spoken: Utterance[];
beforeEach(async () => {
  toast.dismiss();
  signInForTest();
  spoken = [];
  vi.stubGlobal("SpeechSynthesisUtterance", Utterance);
  vi.stubGlobal("speechSynthesis", { pending: false, speak: (words: Utterance) => spoken.push(words) });
  api = await startApi();
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await api.close();
});

const prefer = (dashboard: object, notifications: object) => {
  api.on("GET /api/v1/user/preferences/dashboard", {
    json: DashboardPreferences.parse({ notifications: dashboard }),
  });
  api.on("GET /api/v1/user/preferences/notifications", { json: NotificationPreferences.parse(notifications) });
};
const CRITICAL = anEvent("1", "critical_failure");
const TEXT = "CRITICAL: Validation failure for Account 1";

const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
async function withFakeTimers(run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    await run();
  } finally {
    vi.useRealTimers();
  }
}

async function alarm(): Promise<void> {
  const { queryClient } = renderScreen(<p>page</p>);
  await act(() => announceCritical(CRITICAL, queryClient));
}

describe("announcing a critical failure", () => {
  test("VAL-68: shows a red toast until dismissed, and is silent unless sounds are on", async () => {
    prefer({}, {});
    await withFakeTimers(async () => {
      await alarm();
      const shown = await screen.findByRole("alert");
      expect(shown.textContent).toContain(TEXT);
      expect(shown.getAttribute("style")).toContain("--mantine-color-red-");
      expect(shown.className).toContain("critical");
      expect(spoken).toEqual([]);
      await passes(600_000);
      expect(screen.queryByText(TEXT)).not.toBeNull();
      fireEvent.click(within(shown).getByRole("button", { name: "Dismiss" }));
      await waitFor(() => expect(screen.queryByText(TEXT)).toBeNull());
    });
  });

  test("VAL-74, OPEN-143, VAL-50: speaks quietly and fast when either preference turns sounds on", async () => {
    prefer({}, { alertSounds: true });
    await alarm();
    await waitFor(() => expect(spoken).toHaveLength(1));
    expect(spoken[0]).toMatchObject({ text: TEXT, volume: 0.3, rate: 1.5 });
  });

  test("VAL-47: shows no toast when critical alerts are turned off", async () => {
    prefer({ enableCriticalAlerts: false, alertSounds: true }, {});
    await alarm();
    expect(screen.queryByText(TEXT)).toBeNull();
    expect(spoken).toEqual([]);
  });

  test("shows the toast even when the preferences cannot be read", async () => {
    api.on("GET /api/v1/user/preferences/dashboard", problem(500, "internal", "Away"));
    await alarm();
    expect(await screen.findByText(TEXT)).toBeTruthy();
  });
});

describe("announcing a validation", () => {
  const QUIET: Listener = { userId: TEST_USER.id, tellsSuccess: false };
  const ALL: Listener = { ...QUIET, tellsSuccess: true };
  const tell = (...events: ReturnType<typeof anEvent>[]) => {
    renderScreen(<p>page</p>);
    act(() => {
      for (const event of events) announceValidation(event, ALL);
    });
  };
  const asked = { asked_by: TEST_USER.id as never };

  test("VAL-65, VAL-66: shows start and result in one toast to the user who started it", async () => {
    tell(anEvent("1", "validation_started", asked));
    expect(await screen.findByText("Validating account: Account 1")).toBeTruthy();
    act(() => announceValidation(anEvent("2", "validation_completed", asked), ALL));
    expect(await screen.findByText("Account validation successful: Account 1")).toBeTruthy();
    expect(screen.queryByText("Validating account: Account 1")).toBeNull();
  });

  test("VAL-65: shows the start for 10 s", async () => {
    await withFakeTimers(async () => {
      tell(anEvent("1", "validation_started", asked));
      await passes(7_000);
      expect(screen.queryByText("Validating account: Account 1")).not.toBeNull();
      await passes(4_000);
      await waitFor(() => expect(screen.queryByText("Validating account: Account 1")).toBeNull());
    });
  });

  test("VAL-47: with success toasts turned off, a success only dismisses the toast about the start", async () => {
    tell(anEvent("1", "validation_started", asked));
    expect(await screen.findByText("Validating account: Account 1")).toBeTruthy();
    act(() => announceValidation(anEvent("2", "validation_completed", asked), QUIET));
    await waitFor(() => expect(screen.queryByText("Validating account: Account 1")).toBeNull());
    expect(screen.queryByText(/^Account validation successful/)).toBeNull();
  });

  test("VAL-47, VAL-66: the success shown by a button stays, in either order of event and reply", async () => {
    const pressed: Announced = { account_id: idOf(1), account_name: "Account 1" };
    const text = "Account validation successful: Account 1";
    const completed = () => announceValidation(anEvent("2", "validation_completed", asked), QUIET);
    renderScreen(<p>page</p>);
    act(() => {
      announceStart(pressed);
      announceSuccess(pressed);
    });
    expect(await screen.findByText(text)).toBeTruthy();
    act(completed);
    expect(screen.queryByText(text)).not.toBeNull();
    act(() => {
      toast.dismiss();
      announceStart(pressed);
      completed();
      announceSuccess(pressed);
    });
    expect(await screen.findByText(text)).toBeTruthy();
  });

  test("VAL-67, VAL-69, NOTIF-12, OPEN-137: shows failures, even for an account without a name", async () => {
    tell(
      anEvent("1", "validation_failed", { ...asked, account_name: null }),
      anEvent("2", "jit_verification_status", { status: "rejected", session_id: SESSION }),
    );
    expect(await screen.findByText("Account validation failed: Unknown Account")).toBeTruthy();
    expect(await screen.findByText(`JIT verification failed for session: ${SESSION}`)).toBeTruthy();
  });

  test("shows no toast for validations by other users or for JIT accounts that work", () => {
    tell(anEvent("1", "validation_failed"), anEvent("2", "jit_verification_status", { status: "verified" }));
    expect(screen.queryByText(/validation|verification/i)).toBeNull();
  });
});
