// Durations of requests and extensions (JIT-28 to JIT-30) and the remaining time (JIT-07).
import { EXTENSION_DURATIONS, REQUEST_DURATIONS } from "@strongroom/contract";
import { duration } from "#shared/format/time.ts";

const LABELS: Record<number, string> = {
  30: "30 minutes",
  60: "1 hour",
  120: "2 hours",
  240: "4 hours",
  480: "8 hours",
  1440: "24 hours",
};

export const DEFAULT_MINUTES = 60;

/** The label of a duration; undefined when it is not one of the choices. */
export const durationLabel = (minutes: number): string | undefined => LABELS[minutes];

/** JIT-28, JIT-29: the minutes of a choice; an unknown label returns 60. */
export function minutesOf(label: string): number {
  const found = REQUEST_DURATIONS.find((minutes) => LABELS[minutes] === label);
  return found ?? DEFAULT_MINUTES;
}

const inWords = (minutes: number): string => durationLabel(minutes) ?? duration(minutes * 60);

/** The choices up to a platform's maximum; only the maximum itself when every choice is longer. */
export function requestChoices(mostMinutes: number): string[] {
  const left = REQUEST_DURATIONS.filter((minutes) => minutes <= mostMinutes);
  return left.length > 0 ? left.map(inWords) : [inWords(mostMinutes)];
}

/** JIT-28: one hour, or the longest choice when all are shorter. */
export const usualChoice = (choices: readonly string[]): string =>
  choices.find((label) => minutesOf(label) === DEFAULT_MINUTES && label === LABELS[DEFAULT_MINUTES]) ??
  choices.at(-1) ??
  inWords(DEFAULT_MINUTES);

/** JIT-30. */
export const EXTENSION_CHOICES = EXTENSION_DURATIONS.map((minutes) => ({
  value: String(minutes),
  label: inWords(minutes),
}));

/**
 * JIT-07: "2h 5m", "0h 1m" in the last minute, "Expired" at 0 or below. Takes milliseconds and rounds up to minutes.
 */
export function remainingText(ms: number): string {
  if (ms <= 0) return "Expired";
  const minutes = Math.ceil(ms / 60_000);
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
