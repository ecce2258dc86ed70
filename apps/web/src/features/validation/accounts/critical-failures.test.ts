import { expect, test } from "vitest";
import { criticalFailures, hasCritical } from "./critical-failures.ts";

test("VAL-73: returns all pages of critical and high failures that the caller may validate", async () => {
  const asked: string[] = [];
  const ids = await criticalFailures((severity, cursor) => {
    asked.push(`${severity} ${cursor ?? "first"}`);
    const account_id = `${severity}-${cursor ?? "first"}`;
    const failures = [
      { account_id, may_validate: true },
      { account_id: "closed", may_validate: false },
    ];
    const hasMore = severity === "critical" && cursor === undefined;
    return Promise.resolve({ failures, next_cursor: hasMore ? "next" : null });
  });
  expect(asked).toEqual(["critical first", "critical next", "high first"]);
  expect(ids).toEqual(["critical-first", "critical-next", "high-first"]);
});

test("stops after a thousand accounts, the limit of one call", async () => {
  let pages = 0;
  const ids = await criticalFailures(() => {
    pages += 1;
    const failures = Array.from({ length: 200 }, (_, n) => ({ account_id: `${pages}-${n}`, may_validate: true }));
    return Promise.resolve({ failures, next_cursor: "next" });
  });
  expect([ids.length, pages]).toEqual([1000, 6]);
});

test("VAL-21: detects at least one high or critical failure", () =>
  expect([
    hasCritical({ critical: 0, high: 0 }),
    hasCritical({ critical: 0, high: 1 }),
    hasCritical({ critical: 1, high: 0 }),
  ]).toEqual([false, true, true]));
