// Computes when secrets are rotated automatically: after the platform's interval plus jitter, inside its window.
import type { Platform } from "@strongroom/contract";

export interface Timing {
  id: string;
  rotatedAt: Date;
  /** Null: the secret is not rotated automatically. */
  everyDays: number | null;
  window: Platform["rotation_window"];
  jitterMinutes: number;
  /** A rotation is wanted now, regardless of interval and window. */
  isWanted: boolean;
}

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Hours are in UTC; 22 to 4 spans midnight. The end is excluded. */
export function isWithin(window: Timing["window"], now: Date): boolean {
  if (window === null) return true;
  const hour = now.getUTCHours();
  const { from_hour: from, to_hour: to } = window;
  return from < to ? from <= hour && hour < to : from <= hour || hour < to;
}

/** Returns a constant delay for each id, from 0 to the limit, in milliseconds, so that rotations are spread out. */
export function jitterOf(id: string, minutes: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return ((hash >>> 0) / 2 ** 32) * minutes * MINUTE;
}

export function isDue({ id, rotatedAt, everyDays, window, jitterMinutes, isWanted }: Timing, now: Date): boolean {
  if (isWanted) return true;
  if (everyDays === null) return false;
  const dueAt = rotatedAt.getTime() + everyDays * DAY + jitterOf(id, jitterMinutes);
  return dueAt <= now.getTime() && isWithin(window, now);
}
