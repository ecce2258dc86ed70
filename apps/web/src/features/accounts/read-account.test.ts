import { describe, expect, test } from "vitest";
import { addressOf, readAccountAnswer } from "./read-account.ts";

const bare = { id: "1", name: "root on web1", username: "root" };
const read = (given: Record<string, unknown> = {}) => readAccountAnswer({ ...bare, ...given });

describe("readAccountAnswer", () => {
  test("ACC-16: keeps id, name and username", () => expect(read()).toMatchObject(bare));

  test.each([
    ["ACC-17", "hostname", { hostname_ip: "10.0.0.1", hostname: "web1" }, "10.0.0.1"],
    ["ACC-17", "hostname", { hostname: "web1" }, "web1"],
    ["ACC-17", "hostname", {}, "N/A"],
    ["ACC-18", "validation_status", { last_validation_status: "valid" }, "valid"],
    ["ACC-18", "validation_status", {}, "untested"],
    ["ACC-18", "validation_status", { last_validation_status: "something new" }, "untested"],
    ["ACC-19", "last_validation_date", { last_validated_at: "2026-11-21T10:00:00.000Z" }, "2026-11-21T10:00:00.000Z"],
    ["ACC-19", "last_validation_date", {}, null],
    ["ACC-20", "last_validation_result", { validation_message: "Logged in." }, "Logged in."],
    ["ACC-21", "account_type", { account_type: "service" }, "service"],
    ["ACC-21", "account_type", { account_type: " " }, "N/A"],
    ["ACC-22", "safe_name", { safe_name: "Databases" }, "Databases"],
    ["ACC-22", "safe_name", {}, "Unknown Safe"],
    ["ACC-23", "platform_id", { platform_id: "p1", system_type: "Linux" }, "p1"],
    ["ACC-23", "platform_id", { system_type: "Linux" }, "Linux"],
    ["ACC-23", "platform_id", {}, "N/A"],
    ["ACC-24", "system_type", { system_type: "oracle" }, "oracle"],
    ["ACC-24", "system_type", { platform_id: "linux" }, "Linux"],
    ["ACC-24", "system_type", { platform_id: "windows" }, "Windows"],
    ["ACC-24", "system_type", {}, "Windows"],
    ["ACC-25", "connection_method", { connection_method: "RDP" }, "RDP"],
    ["ACC-25", "connection_method", {}, "SSH"],
    ["ACC-26", "rotation_status", { rotation_status: "overdue" }, "overdue"],
    ["ACC-26", "rotation_status", {}, "no_policy"],
  ] as const)("%s: reads %s from %o as %s", (_row, field, given, expected) =>
    expect(read(given)[field]).toBe(expected),
  );
});

test("an address includes its port, and brackets around an IPv6 host", () => {
  expect(addressOf({ hostname_ip: "web1", port: null })).toBe("web1");
  expect(addressOf({ hostname_ip: "web1", port: 22 })).toBe("web1:22");
  expect(addressOf({ hostname_ip: "2001:db8::1", port: 22 })).toBe("[2001:db8::1]:22");
});
