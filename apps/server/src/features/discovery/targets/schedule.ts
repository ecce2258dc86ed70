// Schedules of scans: their next time, within the window and with a random delay.
import type { ScanSchedule } from "@strongroom/contract";
import { CronExpressionParser } from "cron-parser";
import { refuse } from "#kernel/http/refuse.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** Every day of a schedule has the same times of the day, except where clocks change: further days find nothing new. */
const MOST_DAYS = 3;

/** Throws 422 for a schedule that is not valid or never falls into its window. */
export function requireSchedule(schedule: ScanSchedule | null, now: Date): void {
  if (schedule === null) return;
  const msg = faultOf(schedule, now);
  if (msg === null) return;
  throw refuse(422, "discovery.schedule-invalid", msg, { errors: [{ path: "schedule.cron", msg }] });
}

function faultOf(schedule: ScanSchedule, now: Date): string | null {
  if (!isTimeZone(schedule.timezone)) return `"${schedule.timezone}" is not a time zone, such as Europe/Paris.`;
  if (schedule.cron.split(/\s+/).length !== 5) return "A schedule has five fields, such as 30 2 * * 1-5.";
  try {
    return nextScan(schedule, now) === null ? "This schedule never falls into its window." : null;
  } catch {
    // The library's own text names its internals.
    return "This schedule is not valid. Use five fields, such as 30 2 * * 1-5.";
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * The first time after `after`, with its delay, or null without one. `random` is between 0 and 1. The delay never
 * passes the end of the window or the schedule's following time.
 */
export function nextScan(schedule: ScanSchedule | null, after: Date, random: number = Math.random()): Date | null {
  if (schedule === null) return null;
  const { cron, timezone, jitterMinutes } = schedule;
  const times = CronExpressionParser.parse(cron, { currentDate: after, tz: timezone });
  const clock = clockOf(timezone);
  const days = new Set<number>();
  while (days.size <= MOST_DAYS) {
    const time = times.next().toDate();
    days.add(Math.floor(time.getTime() / (DAY_MINUTES * MINUTE_MS)));
    const left = windowLeft(schedule, time, clock);
    if (left === 0) continue;
    const following = times.next().getTime() - time.getTime();
    const delay = Math.min(jitterMinutes * MINUTE_MS, left - MINUTE_MS, following - MINUTE_MS);
    return new Date(time.getTime() + Math.max(0, Math.floor(random * delay)));
  }
  return null;
}

const clockOf = (timeZone: string) =>
  new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });

/** Milliseconds until the window ends; 0 outside of it, and infinite without one. */
export function windowLeft({ window, timezone }: ScanSchedule, at: Date, clock = clockOf(timezone)): number {
  if (window === null) return Infinity;
  const now = minuteOf(clock.format(at));
  const [from, to] = [minuteOf(window.from), minuteOf(window.to)];
  // A window with equal ends is a whole day.
  const length = (to - from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  const passed = (now - from + DAY_MINUTES) % DAY_MINUTES;
  return passed >= length ? 0 : (length - passed) * MINUTE_MS;
}

function minuteOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * 60 + minutes;
}
