// Starts that are one click away in the request form, and the period that a start and a duration give.
import { absoluteTime } from "#shared/format/time.ts";

const pad = (part: number): string => String(part).padStart(2, "0");

/** The value of a `datetime-local` input, in the local time zone. */
const inputOf = (at: Date): string =>
  `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`;

const DAY_MS = 86_400_000;
/** The server refuses a start that is later. */
const MOST_DAYS_AHEAD = 30;
/** When most teams change systems. */
const EVENING = 22;
const SATURDAY = 6;

export interface StartChoice {
  label: string;
  /** The value of a `datetime-local` input; empty starts immediately. */
  value: string;
}

/** Immediately, this evening and the next night to Sunday; each of the latter is in the future. */
export function startChoices(now: number): StartChoice[] {
  const evening = (daysLater: number) => {
    const at = new Date(now);
    return new Date(at.getFullYear(), at.getMonth(), at.getDate() + daysLater, EVENING);
  };
  const first = evening(0).getTime() > now ? 0 : 1;
  const toSaturday = (SATURDAY - evening(first).getDay() + 7) % 7;
  return [
    { label: "Immediately", value: "" },
    { label: first === 0 ? "Tonight" : "Tomorrow night", value: inputOf(evening(first)) },
    ...(toSaturday === 0 ? [] : [{ label: "Saturday night", value: inputOf(evening(first + toSaturday)) }]),
  ];
}

export const startLimits = (now: number) => ({
  min: inputOf(new Date(now)),
  max: inputOf(new Date(now + MOST_DAYS_AHEAD * DAY_MS)),
});

/** "Nov 28, 2026, 10:00 PM to Nov 29, 2026, 2:00 AM (Europe/Berlin)"; null without a valid start. */
export function periodText(startsAt: string, minutes: number): string | null {
  const start = Date.parse(startsAt);
  if (Number.isNaN(start)) return null;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${absoluteTime(start)} to ${absoluteTime(start + minutes * 60_000)} (${zone})`;
}
