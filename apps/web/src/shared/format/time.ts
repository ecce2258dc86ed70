// Formats times: relative when near, a date when far (SHELL-34), durations in one or two units.
import { timeFormat } from "./time-format.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const DATE: Intl.DateTimeFormatOptions = { year: "numeric", month: "short", day: "numeric" };

/**
 * "Just now" under 1 minute, "Nm ago", "Nh ago", "Nd ago" up to 7 days, then the date. A time ahead of this clock is
 * "Just now".
 */
export function relativeTime(moment: string | number | Date, now: number): string {
  const then = new Date(moment).getTime();
  const age = now - then;
  if (age < MINUTE) return "Just now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  if (age <= 7 * DAY) return `${Math.floor(age / DAY)}d ago`;
  return shortDate(then);
}

/**
 * Formats in the user's zone and style. The parts choose what is shown in the style of the browser; Swedish is ISO 8601 with a
 * space, and shows the same parts as numbers.
 */
function shown(moment: string | number | Date, parts: Intl.DateTimeFormatOptions): string {
  const { zone, style } = timeFormat();
  const zoned = { ...parts, ...(zone === "utc" ? { timeZone: "UTC" } : {}) };
  if (style === "local") return new Date(moment).toLocaleString(undefined, zoned);
  return new Date(moment).toLocaleString("sv-SE", {
    ...zoned,
    ...(parts.month === undefined ? {} : { year: "numeric", month: "2-digit" }),
    ...(parts.day === undefined ? {} : { day: "2-digit" }),
    ...(parts.hour === undefined ? {} : { hour: "2-digit" }),
  });
}

/** "Nov 22, 2026" in the user's time zone. */
export const shortDate = (moment: string | number | Date): string => shown(moment, DATE);

/** "Nov 22" for a day that the server counts in UTC. */
export const utcDay = (day: string): string =>
  new Date(day).toLocaleDateString(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

/** Date and time in the user's time zone, with the zone's name. */
export const absoluteTime = (moment: string | number | Date): string =>
  shown(moment, { ...DATE, hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" });

const CLOCK: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };

/** A near time to the minute, in the user's time zone: "2:17 PM" today, "Nov 22, 2:17 PM" otherwise. */
export function nearTime(moment: string | number | Date, now: number): string {
  const isToday = shortDate(moment) === shortDate(now);
  return shown(moment, isToday ? CLOCK : { month: "short", day: "numeric", ...CLOCK });
}

/** The time of day to the second, in the user's time zone: "2:17:05 PM". */
export const clockTime = (moment: string | number | Date): string => shown(moment, { ...CLOCK, second: "2-digit" });

/** The start of a calendar day in the user's time zone. Days beyond the month count on. */
export function startOfDay(year: number, month: number, day: number): Date {
  return timeFormat().zone === "utc" ? new Date(Date.UTC(year, month - 1, day)) : new Date(year, month - 1, day);
}

/** The calendar day of a moment in the user's time zone, as "2026-11-26". */
export function isoDay(moment: Date): string {
  const utc = timeFormat().zone === "utc" ? { timeZone: "UTC" } : {};
  return moment.toLocaleDateString("sv-SE", utc);
}

/** Milliseconds as "340 ms" or "1.24 s" (ACC-85). */
export const responseTime = (ms: number): string =>
  Math.round(ms) < 1000
    ? `${Math.round(ms)} ms`
    : `${(ms / 1000).toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })} s`;

/** Seconds as "45s", "12m", "3h 20m" or "4d 6h". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days}d` : `${days}d ${hours % 24}h`;
}

/** The remaining milliseconds as minutes:seconds (AUTH-59), rounded up to whole seconds. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
