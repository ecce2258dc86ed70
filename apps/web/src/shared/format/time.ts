// Formats times: relative when near, a date when far (SHELL-34), durations in one or two units.

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

/** "Nov 22, 2026" in the user's time zone. */
export const shortDate = (moment: string | number | Date): string =>
  new Date(moment).toLocaleDateString(undefined, DATE);

/** "Nov 22" for a day that the server counts in UTC. */
export const utcDay = (day: string): string =>
  new Date(day).toLocaleDateString(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

/** Date and time in the user's time zone, with the zone's name, for tooltips. */
export function absoluteTime(moment: string | number | Date): string {
  return new Date(moment).toLocaleString(undefined, {
    ...DATE,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  });
}

/** A near time to the minute, in the user's time zone: "2:17 PM" today, "Nov 22, 2:17 PM" otherwise. */
export function nearTime(moment: string | number | Date, now: number): string {
  const then = new Date(moment);
  const isToday = then.toDateString() === new Date(now).toDateString();
  const clock: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
  return then.toLocaleString(undefined, isToday ? clock : { month: "short", day: "numeric", ...clock });
}

/** The time of day to the second, in the user's time zone: "2:17:05 PM". */
export const clockTime = (moment: string | number | Date): string =>
  new Date(moment).toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit", second: "2-digit" });

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
