// Pure rules of audit sinks: permissions, retry delays, and when a sink counts as behind.
import type { AuditSinkStatus } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions = {
  "audit-sink.read": ["admin", "manager"],
  "audit-sink.manage": ["admin"],
} satisfies RolePermissions;

/** The retry delay in milliseconds after this many failures in a row: half a second, doubled up to a minute. */
export const pauseAfter = (failures: number): number => Math.min(60_000, 500 * 2 ** Math.max(0, failures - 1));

/**
 * Failures in a row before users are notified: about half a minute. A receiver that restarts causes no notification,
 * because each audit entry about a failure is one more entry to deliver.
 */
export const NOTIFY_AFTER = 6;

/** Seconds by which a sink may be behind before the server's health reports it. */
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
  /** All entries before this position had been sent at that time. */
  cursor: number;
  /** Milliseconds of a monotonic clock. */
  at: number;
}

/**
 * A receiver that sends no acknowledgements may lose data that it has read but not stored when it crashes. Data sent
 * longer ago than this counts as stored.
 */
const SETTLES_AFTER = 60_000;

/** Returns the newest settled mark, or null if no mark has settled, and the later marks. */
export function settle(marks: readonly Mark[], now: number): { settled: Mark | null; left: Mark[] } {
  const last = marks.findLastIndex(({ at }) => now - at >= SETTLES_AFTER);
  return { settled: marks[last] ?? null, left: marks.slice(last + 1) };
}
