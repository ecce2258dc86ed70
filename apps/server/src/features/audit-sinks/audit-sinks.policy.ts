// Who may see and change sinks, how long a failing one waits, and when one counts as behind. Pure.
import type { AuditSinkStatus } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants = {
  "audit-sink.read": ["admin", "manager"],
  "audit-sink.manage": ["admin"],
} satisfies Grants;

/** Milliseconds after so many failures in a row: half a second, doubled up to a minute. */
export const pauseAfter = (failures: number): number => Math.min(60_000, 500 * 2 ** Math.max(0, failures - 1));

/**
 * Failures in a row after which people are told: about half a minute. A receiver that restarts is no news, and an
 * entry about a failure is one more to be delivered.
 */
export const TOLD_AFTER = 6;

/** Seconds by which a sink may be behind before the health of the server says so. */
const MOST_BEHIND = 300;

interface Standing {
  content: "entries" | "checkpoints";
  every_seconds: number;
  is_enabled: boolean;
  failures: number;
}

export function stateOf(sink: Standing, behindSeconds: number): AuditSinkStatus["state"] {
  if (!sink.is_enabled) return "disabled";
  if (sink.failures > 0) return "failing";
  const usual = sink.content === "entries" ? 5 : sink.every_seconds + 5;
  return behindSeconds > usual ? "behind" : "current";
}

export function isLagging(sink: Standing, behindSeconds: number): boolean {
  const usual = sink.content === "entries" ? 0 : sink.every_seconds;
  return sink.is_enabled && behindSeconds > usual + MOST_BEHIND;
}

export interface Mark {
  /** Everything before it was taken by then. */
  cursor: number;
  /** Milliseconds of a clock that only runs forwards. */
  at: number;
}

/**
 * A receiver without answers may lose what it had read but not yet kept when it dies. What was sent longer ago than this is
 * taken to be kept.
 */
const SETTLES_AFTER = 60_000;

/** The newest mark that has settled, and those after it; null when none has. */
export function settle(marks: readonly Mark[], now: number): { settled: Mark | null; left: Mark[] } {
  const last = marks.findLastIndex(({ at }) => now - at >= SETTLES_AFTER);
  return { settled: marks[last] ?? null, left: marks.slice(last + 1) };
}
