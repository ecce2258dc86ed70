import { expect, test } from "vitest";
import { nextRunLabel } from "./cpm-dashboard-page.tsx";

const NOW = Date.parse("2026-01-01T12:00:00.000Z");
const after = (ms: number) => nextRunLabel(new Date(NOW + ms).toISOString(), NOW);
const MINUTE = 60_000;

test.each([
  [-MINUTE, "Starting soon"],
  [0, "Starting soon"],
  [MINUTE - 1, "Starting soon"],
  [MINUTE, "In 1m"],
  [60 * MINUTE - 1, "In 59m"],
  [60 * MINUTE, "In 1h 0m"],
  [25 * 60 * MINUTE + 5 * MINUTE, "In 25h 5m"],
])("CPM-15, OPEN-63: a run in %i ms shows %s", (ms, label) => expect(after(ms)).toBe(label));

test("CPM-15: shows no text when no run is scheduled", () => expect(nextRunLabel(null, NOW)).toBe(null));
