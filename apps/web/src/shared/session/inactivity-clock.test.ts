import { beforeEach, describe, expect, test } from "vitest";
import {
  CHECK_EVERY_MS,
  createInactivityClock,
  inactivityAt,
  type InactivityClock,
  type InactivityLimits,
} from "./inactivity-clock.ts";
import { DEFAULT_LIMITS, limitsFor } from "./session-limits.ts";

const MINUTE = 60_000;
const limits: InactivityLimits = { timeoutMs: 30 * MINUTE, warningMs: 5 * MINUTE, toastMs: 2 * MINUTE };

describe("the inactivity phase", () => {
  test.each([
    [0, "active", false],
    [25 * MINUTE - 1, "active", false],
    [25 * MINUTE, "warning", false],
    [28 * MINUTE - 1, "warning", false],
    [28 * MINUTE, "warning", true],
    [30 * MINUTE - 1, "warning", true],
    [30 * MINUTE, "expired", false],
    [90 * MINUTE, "expired", false],
  ])("AUTH-57, AUTH-58: after %d ms idle of 30 minutes is %s (toast due: %s)", (idle, phase, isToastDue) =>
    expect(inactivityAt(idle, limits)).toMatchObject({ phase, isToastDue }),
  );

  test("does not extend the session when the clock is set back", () =>
    expect(inactivityAt(-MINUTE, limits).remainingMs).toBe(limits.timeoutMs));

  test("shows no toast when the timeout is no longer than the toast's time", () =>
    expect(inactivityAt(MINUTE, { timeoutMs: 2 * MINUTE, warningMs: 30_000, toastMs: 2 * MINUTE }).isToastDue).toBe(
      false,
    ));
});

describe("the inactivity clock", () => {
  let now: number;
  let last: number;
  let seen: string[];
  let clock: InactivityClock;
  beforeEach(() => {
    now = 0;
    last = 0;
    seen = [];
    clock = createInactivityClock({
      now: () => now,
      lastActivity: () => last,
      limits: () => ({ timeoutMs: 15 * MINUTE, warningMs: MINUTE, toastMs: 2 * MINUTE }),
      onChange: () => undefined,
      onToast: () => seen.push("toast"),
      onExpire: () => seen.push("expire"),
    });
  });
  const checkEverySecondUntil = (end: number) => {
    for (; now <= end; now += CHECK_EVERY_MS) clock.check();
  };

  test("AUTH-55: checks every second", () => expect(CHECK_EVERY_MS).toBe(1000));

  test("AUTH-49, AUTH-50, AUTH-51: fires one toast when 2 minutes remain, then one sign-out", () => {
    checkEverySecondUntil(13 * MINUTE - 1000);
    expect(seen).toEqual([]);
    checkEverySecondUntil(14 * MINUTE);
    expect(seen).toEqual(["toast"]);
    checkEverySecondUntil(40 * MINUTE);
    expect(seen).toEqual(["toast", "expire"]);
  });

  test("AUTH-51: starts a new idle period with its own toast after any activity", () => {
    checkEverySecondUntil(14 * MINUTE);
    last = 14 * MINUTE;
    checkEverySecondUntil(26 * MINUTE);
    expect(seen).toEqual(["toast"]);
    checkEverySecondUntil(28 * MINUTE);
    expect(seen).toEqual(["toast", "toast"]);
  });

  test("signs out at its first check if the session expired while the computer slept", () => {
    clock.check();
    now = 9 * 60 * MINUTE;
    expect(clock.check().phase).toBe("expired");
    expect(seen).toEqual(["expire"]);
  });
});

describe("OPEN-01 to OPEN-03: inactivity limits", () => {
  test("the limits are 30 minutes with a warning at 5 for a user, and 15 minutes for a privileged role", () => {
    expect(limitsFor(DEFAULT_LIMITS, "user", null)).toEqual({
      timeoutMs: 30 * MINUTE,
      warningMs: 5 * MINUTE,
      toastMs: 2 * MINUTE,
    });
    expect(limitsFor(DEFAULT_LIMITS, "manager", null).timeoutMs).toBe(15 * MINUTE);
    expect(limitsFor(DEFAULT_LIMITS, "admin", null).timeoutMs).toBe(15 * MINUTE);
  });

  test("a user's own settings can tighten the limits but never loosen them", () => {
    expect(limitsFor(DEFAULT_LIMITS, "user", { timeout: 15, warningTime: 10 })).toMatchObject({
      timeoutMs: 15 * MINUTE,
      warningMs: 10 * MINUTE,
    });
    expect(limitsFor(DEFAULT_LIMITS, "user", { timeout: 240, warningTime: 2 })).toMatchObject({
      timeoutMs: 30 * MINUTE,
      warningMs: 2 * MINUTE,
    });
    expect(limitsFor(DEFAULT_LIMITS, "admin", { timeout: 120, warningTime: 5 }).timeoutMs).toBe(15 * MINUTE);
  });

  test("the warning is always shorter than the timeout", () => {
    const policy = { timeout_minutes: 60, warning_minutes: 30, privileged_timeout_minutes: 5 };
    expect(limitsFor(policy, "admin", null)).toMatchObject({ timeoutMs: 5 * MINUTE, warningMs: 4 * MINUTE });
  });
});
