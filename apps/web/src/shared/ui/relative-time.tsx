// Times: relative and self-updating, with the absolute time as tooltip (SHELL-32, SHELL-34), or vice versa.
import { useNow } from "#shared/format/now.ts";
import { useTimeFormat } from "#shared/format/time-format.ts";
import { absoluteTime, nearTime, relativeTime, shortDate } from "#shared/format/time.ts";

export interface RelativeTimeProps {
  moment: string | null;
  /** Shown when there is no time. */
  none?: string;
  /** Within a sentence: "just now". */
  isInSentence?: boolean;
}

export function RelativeTime({ moment, none = "Never", isInSentence = false }: RelativeTimeProps) {
  const now = useNow();
  useTimeFormat();
  if (moment === null) return <span>{none}</span>;
  return (
    <time dateTime={moment} title={absoluteTime(moment)}>
      {isInSentence ? relativeTime(moment, now).replace(/^Just/, "just") : relativeTime(moment, now)}
    </time>
  );
}

/** Within a month, the year is clear. */
const NEAR_MS = 30 * 86_400_000;

/** A time in the future, for which a relative time says "Just now". */
export function ComingTime({ moment }: { moment: string }) {
  const now = useNow();
  useTimeFormat();
  return (
    <time dateTime={moment} title={absoluteTime(moment)}>
      {Date.parse(moment) - now < NEAR_MS ? nearTime(moment, now) : shortDate(moment)}
    </time>
  );
}

/** A date and time to the second with its zone, and the relative time as tooltip. */
export function AbsoluteTime({ moment }: { moment: string }) {
  const now = useNow();
  useTimeFormat();
  return (
    <time dateTime={moment} title={relativeTime(moment, now)}>
      {absoluteTime(moment)}
    </time>
  );
}
