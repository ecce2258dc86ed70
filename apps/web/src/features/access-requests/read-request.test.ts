import { expect, test, describe } from "vitest";
import { readRequestAnswer } from "./read-request.ts";

const NOW = Date.parse("2026-11-21T10:00:00.000Z");
const bare = { id: "1", resource: "root on web1" };
const read = (given: Record<string, unknown> = {}) => readRequestAnswer({ ...bare, ...given }, NOW);

describe("readRequestAnswer", () => {
  test("JIT-08: keeps id, resource and system", () =>
    expect(read({ system: "web1" })).toMatchObject({ ...bare, system: "web1" }));

  test.each([
    ["JIT-09", "requester", { username: "Olga", user_email: "o@x" }, "Olga"],
    ["JIT-09", "requester", { user_email: "o@x", requester: "x" }, "o@x"],
    ["JIT-09", "requester", { requester: "x" }, "x"],
    ["JIT-09", "requester", { user_id: "7" }, "User ID 7"],
    ["JIT-09", "requester", {}, "Current User"],
    ["JIT-10", "reason", { business_justification: "disk full", reason: "x" }, "disk full"],
    ["JIT-10", "reason", { justification: "disk full" }, "disk full"],
    ["JIT-10", "reason", { reason: "disk full" }, "disk full"],
    ["JIT-10", "reason", { business_justification: " " }, "No reason provided"],
    ["JIT-11", "requestedDuration", {}, "1 hour"],
    ["JIT-11", "requestedDuration", { duration_minutes: 240 }, "4 hours"],
    ["JIT-11", "requestedDuration", { duration_minutes: 90 }, "1h 30m"],
    ["JIT-12", "status", { computed_status: "expiring_soon", status: "active" }, "expiring_soon"],
    ["JIT-12", "status", { status: "denied", is_active: true }, "denied"],
    ["JIT-12", "status", { is_active: true, is_approved: true }, "active"],
    ["JIT-12", "status", { is_approved: true }, "approved"],
    ["JIT-12", "status", { is_denied: true }, "denied"],
    ["JIT-12", "status", { status: "something new" }, "pending"],
    ["JIT-12", "status", {}, "pending"],
    ["JIT-13", "requestTime", { created_at: "2026-11-21T09:00:00.000Z" }, "2026-11-21T09:00:00.000Z"],
    ["JIT-14", "approver", { approver: "Ada", approved_by: "x" }, "Ada"],
    ["JIT-14", "approver", { approved_by: "Ada" }, "Ada"],
    ["JIT-15", "expiresAt", { expires_at: "2026-11-21T11:00:00.000Z", time_remaining: 5 }, "2026-11-21T11:00:00.000Z"],
    ["JIT-15", "expiresAt", { time_remaining: 60 }, "2026-11-21T10:01:00.000Z"],
    ["JIT-15", "expiresAt", {}, null],
    ["JIT-16", "riskLevel", { riskLevel: "high" }, "high"],
    ["JIT-16", "riskLevel", {}, "medium"],
    ["JIT-17", "computed_status", { computed_status: "active" }, "active"],
    ["JIT-17", "time_remaining", { time_remaining: 12 }, 12],
    ["JIT-17", "username", { username: "Olga" }, "Olga"],
  ] as const)("%s: reads %s from %o as %s", (_row, field, given, expected) =>
    expect(read(given)[field]).toBe(expected),
  );
});
