import { NewPlatform, type SafeId } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import { EMPTY_PLATFORM, boundsOf, checkPlatform, copyOf, formOf, payloadOf } from "./platform-form-values.ts";
import { approvalsText, bySystem, rotationText, systemLabel, verificationText, windowText } from "./platform-labels.ts";
import { aPlatform } from "./testing/a-platform.ts";

const NAMED = { ...EMPTY_PLATFORM, name: "Linux servers" };

describe("values of the platform form", () => {
  test("a stored platform passes through the form unchanged", () => {
    const platform = aPlatform({
      verify_every_hours: null,
      one_time_password: true,
      session_recording_required: true,
      approvals_level_2: 2,
      approvals_level_1: 1,
      rotation_window: { from_hour: 22, to_hour: 4 },
      rotate_as: "reconcile-account",
      rotate_automatically: false,
      reconcile_hosts: ["*.example.com", "10.0.0.0/8"],
      reconcile_safe_ids: ["66666666-6666-4666-8666-666666666666" as SafeId],
    });
    const { id, account_count, created_at, updated_at, description, reconcile_readiness: _, ...policy } = platform;
    const sent = payloadOf(formOf(platform));
    expect(sent).toEqual({ ...policy, description: "" });
    expect(NewPlatform.parse(sent)).toEqual({ ...policy, description });
    expect([id, account_count, created_at, updated_at].every((each) => each !== undefined)).toBe(true);
  });

  test("the defaults of a new platform are valid once it has a name", () => {
    expect(checkPlatform(NAMED)).toEqual({});
    expect(checkPlatform(EMPTY_PLATFORM)).toEqual({ name: "Platform name must be 3 to 100 characters" });
  });

  test("a copy has its own name and the same policy", () => {
    const copy = copyOf(aPlatform({ name: "x".repeat(100), ticket_required: true }));
    expect(copy.name).toBe(`Copy of ${"x".repeat(92)}`);
    expect(copy.ticket_required).toBe(true);
  });

  test("reports numbers out of bounds, and allows only two numbers to be empty", () => {
    expect(checkPlatform({ ...NAMED, length: "7", history: "", default_duration_minutes: "1.5" })).toEqual({
      length: "Enter a whole number from 8 to 256",
      history: "Enter a whole number from 0 to 100",
      default_duration_minutes: "Enter a whole number from 5 to 10080",
    });
    expect(checkPlatform({ ...NAMED, verify_every_hours: "", rotate_every_days: "" })).toEqual({});
    expect(boundsOf("rotate_every_days")).toEqual({ min: 1, max: 3650 });
  });

  test("a rotation window requires two different hours, and no window means any hour", () => {
    const windowed = { ...NAMED, window_from: "22", window_to: "4" };
    expect(checkPlatform(windowed)).toEqual({});
    expect(payloadOf(windowed).rotation_window).toEqual({ from_hour: 22, to_hour: 4 });
    expect(payloadOf(NAMED).rotation_window).toBeNull();
    expect(checkPlatform({ ...windowed, window_to: "" })).toEqual({
      window_to: "Choose both hours, or any time for both",
    });
    expect(checkPlatform({ ...windowed, window_to: "22" })).toEqual({
      window_to: "The window must not start and end at the same hour",
    });
  });

  test("reads one host of the reconcile account per line and reports an invalid one", () => {
    const typed = { ...NAMED, reconcile_hosts: " db1.example.com \n\n10.0.0.0/8\n" };
    expect(payloadOf(typed).reconcile_hosts).toEqual(["db1.example.com", "10.0.0.0/8"]);
    expect(checkPlatform(typed)).toEqual({});
    expect(Object.keys(checkPlatform({ ...NAMED, reconcile_hosts: "no host" }))).toEqual(["reconcile_hosts"]);
  });

  test("rotation by the reconcile account requires a reconcile account", () => {
    const values = { ...NAMED, rotate_as: "reconcile-account" } as const;
    expect(checkPlatform(values)).toEqual({ rotate_as: "Choose a reconcile account below" });
    expect(checkPlatform({ ...values, reconcile_account: { value: aPlatform().id, label: "root" } })).toEqual({});
  });

  test("reports violations of the contract's cross-field rules", () => {
    expect(checkPlatform({ ...NAMED, length: "200" })).toEqual({ length: "The length exceeds the target's maximum" });
    expect(checkPlatform({ ...NAMED, approvals_level_2: "1" })).toEqual({
      approvals_level_2: "Level 2 requires approvals at level 1",
    });
    expect(checkPlatform({ ...NAMED, default_duration_minutes: "600" })).toEqual({
      default_duration_minutes: "The default must not be longer than the maximum",
    });
    expect(checkPlatform({ ...NAMED, symbols: "ä" })).toEqual({
      symbols: "Symbols must be printable ASCII other than letters and digits",
    });
  });
});

describe("labels of platforms", () => {
  test("MySQL and MariaDB share a label", () => expect(systemLabel("mysql")).toBe("MySQL / MariaDB"));

  test.each([
    [null, "On request"],
    [1, "Every hour"],
    [6, "Every 6 hours"],
    [24, "Every day"],
    [48, "Every 2 days"],
  ])("verification every %s hours is labelled %s", (hours, text) => {
    expect(verificationText({ verify_every_hours: hours })).toBe(text);
  });

  test("rotation labels give the interval, whether it is manual, and the window", () => {
    const nightly = { rotation_window: { from_hour: 22, to_hour: 4 } };
    expect(rotationText(aPlatform())).toBe("Every 90 days");
    expect(rotationText(aPlatform({ rotate_automatically: false }))).toBe("Every 90 days, manual");
    expect(windowText(aPlatform(nightly))).toBe("22:00 to 04:00 UTC");
    expect(windowText(aPlatform({ ...nightly, rotate_automatically: false }))).toBeNull();
  });

  test("approval labels give the number of approvers", () => {
    expect(approvalsText(aPlatform())).toBe("None");
    expect(approvalsText(aPlatform({ approvals_level_1: 1 }))).toBe("1 person");
    expect(approvalsText(aPlatform({ approvals_level_1: 2, approvals_level_2: 1 }))).toBe("2 + 1 people");
  });

  test("sorts platforms in the order of the system types in forms", () => {
    const linux = aPlatform();
    const windows = aPlatform({ system_type: "Windows" });
    expect(bySystem([linux, windows]).map(({ system }) => system)).toEqual(["Windows", "Linux"]);
  });
});
